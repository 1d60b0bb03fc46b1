#include "rewrite/undefined_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "kernel/exact.h"
#include "rewrite/known_values.h"
#include "rewrite/partial_terms.h"

namespace vouch {
namespace {

using Needs = PartialTerm::Needs;

struct CallMeaning {
  Kernel kernel;
  std::vector<PartialTerm> partial;
};

// One call whose operands are partly known.
class PartialCall {
 public:
  PartialCall(const Graph& graph, NodeId call, const CallMeaning& meaning, KnownValues& values)
      : graph_(graph), call_(call), meaning_(meaning) {
    bind_operands(values);
    environment_.steps = kMostSteps;
    environment_.read = [this](Symbol tensor, std::span<const std::int64_t> at) { return element(tensor, at); };
  }

  std::optional<std::string> undefined() {
    for (const PartialTerm& partial : meaning_.partial) {
      if (is_known(partial.term) && !is_harmless(partial)) {
        last_read_.clear();
        points_ = 0;
        if (search(partial, needed(partial), 0)) {
          return text(partial);
        }
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t kMostSteps = 20'000'000;
  static constexpr std::int64_t kMostPoints = 1'000'000;  // a few seconds

  struct Operand {
    NodeId node;
    const Tensor* value;
  };

  void bind_operands(KnownValues& values) {
    std::size_t input = 0;
    auto bind = [&](NodeId node) {
      if (input < meaning_.kernel.inputs.size()) {
        const Tensor* value = values.of(node);
        operands_.emplace(meaning_.kernel.inputs[input++].name, Operand{node, value});
        for (std::int64_t extent : value != nullptr ? value->extents() : Extents()) {
          longest_ = std::max(longest_, extent);
        }
      }
    };
    for (NodeId operand : graph_.operands(call_)) {
      if (operand == kNoNode) {
        continue;
      }
      if (graph_.type(operand).is_tensor()) {
        bind(operand);
        continue;
      }
      bool listed = graph_.kind(operand) == NodeKind::Tuple;
      for (std::size_t k = 0; k < graph_.type(operand).items().size(); ++k) {
        bind(listed ? graph_.operands(operand)[k] : kNoNode);
      }
    }
  }

  const Statement* statement_of(Symbol tensor) const {
    auto found = std::find_if(meaning_.kernel.statements.begin(), meaning_.kernel.statements.end(),
                              [&](const Statement& statement) { return statement.target == tensor; });
    return found == meaning_.kernel.statements.end() ? nullptr : &*found;
  }

  bool is_known(Term term) const {
    std::vector<Symbol> tensors = tensors_read(term);
    return std::all_of(tensors.begin(), tensors.end(), [&](Symbol tensor) {
      if (auto operand = operands_.find(tensor); operand != operands_.end()) {
        return operand->second.value != nullptr;
      }
      const Statement* statement = statement_of(tensor);
      return statement != nullptr && is_known(statement->value);
    });
  }

  // No element of a constant, or of a constant and a number that is added to it, is one for which the term is not defined. A sum
  // of two doubles has the sign of the exact one.
  bool is_harmless(const PartialTerm& partial) const {
    bool shifted = partial.term.kind() == TermKind::RealAdd && partial.term.arg(1).kind() == TermKind::RealConst;
    Term read = shifted ? partial.term.arg(0) : partial.term;
    double shift = shifted ? double_of(partial.term.arg(1)->value) : 0;
    auto operand = read.kind() == TermKind::Read ? operands_.find(read->symbol) : operands_.end();
    if (operand == operands_.end() || partial.needs == Needs::Value ||
        (shifted && rational_of(shift) != partial.term.arg(1)->value)) {
      return false;
    }
    const Tensor& value = *operand->second.value;
    for (std::int64_t i = 0; i < value.count(); ++i) {
      double element = is_float(value.dtype()) ? value.double_at(i) : static_cast<double>(value.int_at(i));
      if (fails(partial.needs, element + shift)) {
        return false;
      }
    }
    return true;
  }

  static bool fails(Needs needs, double element) {
    switch (needs) {
      case Needs::NonZero: return element == 0;
      case Needs::NonNegative: return element < 0;
      default: return element <= 0;
    }
  }

  std::optional<ExactNumber> element(Symbol tensor, std::span<const std::int64_t> at) {
    auto operand = operands_.find(tensor);
    if (operand == operands_.end()) {
      return computed_element(tensor, at);
    }
    if (operand->second.value == nullptr) {
      return std::nullopt;
    }
    const Tensor& value = *operand->second.value;
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (at[axis] < 0 || at[axis] >= value.extents()[axis]) {
        return std::nullopt;
      }
      position = position * value.extents()[axis] + at[axis];
    }
    auto number = exact_element(value, position);
    if (number) {
      last_read_ = fmt::format("'{}' is {}{}", graph_.name(operand->second.node), shown(value, position),
                               at.empty() ? std::string() : fmt::format(" at [{}]", fmt::join(at, ", ")));
    }
    return number;
  }

  static std::string shown(const Tensor& value, std::int64_t at) {
    return is_float(value.dtype()) ? fmt::format("{:.6g}", value.double_at(at)) : std::to_string(value.int_at(at));
  }

  // Of a local: by its statement.
  std::optional<ExactNumber> computed_element(Symbol tensor, std::span<const std::int64_t> at) {
    const Statement* statement = statement_of(tensor);
    if (statement == nullptr) {
      return std::nullopt;
    }
    EvalEnvironment inner = environment_;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      inner.integers[statement->indices[axis]] = at[axis];
    }
    auto value = eval_scalar(statement->value, inner);
    const Enclosure* known = std::get_if<Enclosure>(&value);
    return known != nullptr ? std::optional(ExactNumber(*known)) : std::nullopt;
  }

  // The indices that the term and what guards it speak of, outer ones first.
  std::vector<BoundIndex> needed(const PartialTerm& partial) const {
    std::vector<Symbol> names = free_variables(partial.term);
    for (Term guard : partial.guards) {
      for (Symbol name : is_known(guard) ? free_variables(guard) : std::vector<Symbol>()) {
        names.push_back(name);
      }
    }
    std::vector<BoundIndex> out;
    for (auto index = partial.indices.rbegin(); index != partial.indices.rend(); ++index) {
      if (std::find(names.begin(), names.end(), index->name) != names.end()) {
        out.insert(out.begin(), *index);
        std::vector<Symbol> sizes = free_variables(index->extent);
        names.insert(names.end(), sizes.begin(), sizes.end());
      }
    }
    return out;
  }

  // Some point at which it is computed, and not defined, or not seen to be: within the points that are looked at. A size that is
  // not known is tried as far as constants reach.
  bool search(const PartialTerm& partial, const std::vector<BoundIndex>& indices, std::size_t at) {
    if (at == indices.size()) {
      return ++points_ > kMostPoints || (is_computed(partial) && !is_defined(partial));
    }
    auto extent = eval_int(indices[at].extent, environment_);
    const Integer* known = std::get_if<Integer>(&extent);
    Integer end = known != nullptr ? *known : Integer(longest_);
    for (Integer i = 0; i < end; ++i) {
      environment_.integers[indices[at].name] = i;
      if (search(partial, indices, at + 1)) {
        return true;
      }
    }
    return false;
  }

  // Unless constants tell that it is not.
  bool is_computed(const PartialTerm& partial) const {
    return std::all_of(partial.guards.begin(), partial.guards.end(), [&](Term guard) {
      auto holds = eval_guard(guard, environment_);
      return !std::holds_alternative<bool>(holds) || std::get<bool>(holds);
    });
  }

  bool is_defined(const PartialTerm& partial) const {
    if (partial.term.sort() == Sort::Int) {
      auto value = eval_int(partial.term, environment_);
      return !std::holds_alternative<Integer>(value) || std::get<Integer>(value) != 0;
    }
    auto value = eval_scalar(partial.term, environment_);
    if (const EvalFailure* failure = std::get_if<EvalFailure>(&value)) {
      // What is not known is no constant; a division within is asked about by itself.
      return failure->problem == EvalProblem::Unbound || failure->problem == EvalProblem::OutOfRange ||
             (failure->problem == EvalProblem::DivisionByZero && partial.needs != Needs::Value);
    }
    const Enclosure& number = std::get<Enclosure>(value);
    switch (partial.needs) {
      case Needs::NonZero: return number.infinite != 0 || !number.contains(0);
      case Needs::NonNegative: return number.infinite > 0 || (number.infinite == 0 && number.low >= 0);
      case Needs::Positive: return number.infinite > 0 || (number.infinite == 0 && number.low > 0);
      case Needs::Value: return true;
    }
    return true;
  }

  std::string text(const PartialTerm& partial) const {
    if (points_ > kMostPoints) {
      return fmt::format("whether its source has a value here is not known: '{}' ({}) is not looked at beyond {} elements",
                         graph_.name(call_), op_def(graph_.op(call_)).name, kMostPoints);
    }
    return fmt::format("its source has no value here: '{}' ({}) {}, where {}", graph_.name(call_), op_def(graph_.op(call_)).name,
                       partial.needs == Needs::NonZero ? "divides by 0" : "takes a root, power or logarithm that there is not",
                       last_read_);
  }

  const Graph& graph_;
  NodeId call_;
  const CallMeaning& meaning_;
  std::unordered_map<Symbol, Operand> operands_;
  EvalEnvironment environment_;
  std::int64_t longest_ = 1;  // extent of a constant
  std::int64_t points_ = 0;   // looked at
  std::string last_read_;
};

}  // namespace

class UndefinedSource::Sites {
 public:
  explicit Sites(const Graph& graph) : graph_(graph), values_(graph) {}

  std::optional<std::string> find(const Match& match, Verdict proven) {
    values_.forget();
    for (NodeId node : match.inside) {
      if (graph_.kind(node) != NodeKind::Call || op_def(graph_.op(node)).opaque ||
          (proven == Verdict::SoundExact && computes_floats(node))) {
        continue;
      }
      const CallMeaning& meaning = meaning_of(node);
      if (meaning.partial.empty()) {
        continue;
      }
      if (auto reason = PartialCall(graph_, node, meaning, values_).undefined()) {
        return reason;
      }
    }
    return std::nullopt;
  }

 private:
  using Form = std::vector<const void*>;
  struct FormHash {
    std::size_t operator()(const Form& form) const noexcept {
      std::size_t h = 0x9e3779b97f4a7c15ULL;
      for (const void* word : form) {
        h = (h ^ std::hash<const void*>()(word)) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32U;
      }
      return h;
    }
  };

  bool computes_floats(NodeId node) const {
    auto has_floats = [&](NodeId part) {
      return part != kNoNode && graph_.type(part).is_tensor() && is_float(graph_.type(part).dtype());
    };
    std::span<const NodeId> operands = graph_.operands(node);
    return has_floats(node) || std::any_of(operands.begin(), operands.end(), has_floats);
  }

  const CallMeaning& meaning_of(NodeId node) {
    form_.assign({&op_def(graph_.op(node)), graph_.attributes(node).id()});
    types_.clear();
    contents_.clear();
    for (NodeId operand : graph_.operands(node)) {
      types_.push_back(operand == kNoNode ? Type() : graph_.type(operand));
      contents_.push_back(operand == kNoNode ? nullptr : graph_.contents(operand));
      form_.push_back(types_.back().id());
      for (std::size_t k = 0; contents_.back() != nullptr && k < contents_.back()->size(); ++k) {
        form_.push_back((*contents_.back())[k].id());
      }
    }
    auto [at, is_new] = meanings_.try_emplace(form_);
    if (is_new) {
      at->second.kernel = call_meaning(graph_.op(node), types_, graph_.attributes(node), contents_);
      at->second.partial = partial_terms(at->second.kernel);
    }
    return at->second;
  }

  const Graph& graph_;
  KnownValues values_;
  Form form_;  // scratch space
  std::vector<Type> types_;
  KnownContents contents_;
  std::unordered_map<Form, CallMeaning, FormHash> meanings_;
};

UndefinedSource::UndefinedSource(const Graph& graph) : sites_(std::make_unique<Sites>(graph)) {}
UndefinedSource::~UndefinedSource() = default;

std::optional<std::string> UndefinedSource::find(const Match& match, Verdict proven) { return sites_->find(match, proven); }

}  // namespace vouch
