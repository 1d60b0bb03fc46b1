#include "rewrite/partial_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "kernel/exact.h"
#include "tensor/element.h"

namespace vouch {
namespace {

using Needs = PartialTerm::Needs;

// One call whose operands are partly known.
class PartialCall {
 public:
  PartialCall(const Graph& graph, NodeId call, const CallMeaning& meaning, KnownValues& values, Vanishing& vanishing)
      : graph_(graph), call_(call), meaning_(meaning), vanishing_(vanishing) {
    bind_operands(values);
    environment_.steps = kMostSteps;
    environment_.read = [this](Symbol tensor, std::span<const std::int64_t> at) { return element(tensor, at); };
  }

  std::optional<std::string> undefined() {
    for (const PartialTerm& partial : meaning_.partial) {
      if (is_known(partial.term) ? !is_harmless(partial) : may_vanish(partial)) {
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
    std::vector<NodeId> given = tensor_operands(graph_, call_);
    for (std::size_t k = 0; k < given.size() && k < meaning_.kernel->inputs.size(); ++k) {
      const Tensor* value = values.of(given[k]);
      operands_.emplace(meaning_.kernel->inputs[k].name, Operand{given[k], value});
      for (std::int64_t extent : value != nullptr ? value->extents() : Extents()) {
        longest_ = std::max(longest_, extent);
      }
    }
  }

  bool may_vanish(const PartialTerm& partial) {
    return partial.needs == Needs::NonZero && partial.term.sort() == Sort::Real && vanishing_.may(call_, partial.term);
  }

  const Statement* statement_of(Symbol tensor) const {
    auto found = std::find_if(meaning_.kernel->statements.begin(), meaning_.kernel->statements.end(),
                              [&](const Statement& statement) { return statement.target == tensor; });
    return found == meaning_.kernel->statements.end() ? nullptr : &*found;
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
      double element = value.double_at(i);
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
    return is_float(value.dtype()) ? fmt::format("{:.6g}", value.double_at(at)) : whole_element(value, at).str();
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

  // A divisor of which not all is known.
  bool is_zero(const PartialTerm& partial) {
    if (partial.needs != Needs::NonZero || !vanishing_.is(call_, partial.term, environment_)) {
      return false;
    }
    last_read_ = "that is 0 whatever is fed";
    auto operand = partial.term.kind() == TermKind::Read ? operands_.find(partial.term->symbol) : operands_.end();
    if (operand != operands_.end()) {
      last_read_ = fmt::format("'{}' has an element that is 0 whatever is fed", graph_.name(operand->second.node));
    }
    return true;
  }

  bool is_defined(const PartialTerm& partial) {
    if (partial.term.sort() == Sort::Int) {
      auto value = eval_int(partial.term, environment_);
      return !std::holds_alternative<Integer>(value) || std::get<Integer>(value) != 0;
    }
    auto value = eval_scalar(partial.term, environment_);
    if (const EvalFailure* failure = std::get_if<EvalFailure>(&value)) {
      // What is not known is no constant; a division within is asked about by itself.
      return failure->problem == EvalProblem::Unbound || failure->problem == EvalProblem::OutOfRange
                 ? !is_zero(partial)
                 : failure->problem == EvalProblem::DivisionByZero && partial.needs != Needs::Value;
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
  Vanishing& vanishing_;
  std::unordered_map<Symbol, Operand> operands_;
  EvalEnvironment environment_;
  std::int64_t longest_ = 1;  // extent of a constant
  std::int64_t points_ = 0;   // looked at
  std::string last_read_;
};

}  // namespace

std::optional<std::string> undefined_call(const Graph& graph, NodeId call, const CallMeaning& meaning, KnownValues& values,
                                          Vanishing& vanishing) {
  return PartialCall(graph, call, meaning, values, vanishing).undefined();
}

}  // namespace vouch
