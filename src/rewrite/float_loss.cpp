#include "rewrite/float_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "graph/eval.h"
#include "graph/order.h"
#include "rewrite/wild_numbers.h"
#include "tensor/element.h"

namespace vouch {
namespace {

constexpr double kMostWork = 1 << 20;       // multiplications of one trial, about
constexpr double kMostConstants = 1 << 22;  // elements of folded constants that are looked at
constexpr double kFewConstants = 1 << 12;   // and where no number is wild that they are folded from

// Floats: about 1, of both signs; about 1 and positive; small. Bytes are numbers, any of their type; wider integers may be
// indices, and are 0 or 1.
Tensor trial_input(Type type, const Extents& extents, int trial, std::mt19937& random) {
  std::uniform_real_distribution<double> around(trial == 1 ? 0.5 : -2.0, 2.0);
  Tensor out(type.dtype(), extents);
  for (std::int64_t i = 0; i < out.count(); ++i) {
    if (is_float(type.dtype())) {
      out.set_double(i, std::ldexp(around(random), trial == 2 ? -12 : 0));
    } else {
      bool byte = type.dtype() != DType::Bool && byte_size(type.dtype()) == 1;
      out.set_int(i, static_cast<std::int64_t>(random() % (byte ? 1U << bit_width(type.dtype()) : 2)));
    }
  }
  return out;
}

struct Difference {
  double source = 0;
  double target = 0;
};

// Half of the digits of the floats that a result is computed in; integers are rounded from floats, so a tie may be a step apart.
double most_lost(DType dtype, double largest) {
  return is_float(dtype) ? std::ldexp(largest, -form_of(dtype).digits / 2)
                         : std::max(1.0, std::ldexp(largest, -form_of(DType::Float32).digits / 2));
}

// The first element that the source has and the target has not, to half of its digits beside the largest.
std::optional<Difference> difference(const Tensor& source, const Tensor& target) {
  if (source.dtype() == DType::Bool || source.dtype() != target.dtype() || source.count() != target.count()) {
    return std::nullopt;
  }
  double largest = 0;
  for (std::int64_t i = 0; i < source.count(); ++i) {
    for (double value : {source.double_at(i), target.double_at(i)}) {
      largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
  }
  double most = most_lost(source.dtype(), largest);
  for (std::int64_t i = 0; i < source.count(); ++i) {
    double a = source.double_at(i);
    double b = target.double_at(i);
    if (std::isfinite(a) && !(std::abs(a - b) <= most)) {
      return Difference{a, b};
    }
  }
  return std::nullopt;
}

}  // namespace

class FloatLoss::Trials {
 public:
  explicit Trials(const Graph& graph) : graph_(graph), wild_(graph) {}

  std::optional<std::string> find(const Match& match, const std::vector<NodeId>& results, NodeId first_new) {
    if (!wild_.may_be_near(match, results, first_new) && !folds_few(first_new)) {
      return std::nullopt;
    }
    first_new_ = first_new;
    inside_ = {match.inside.begin(), match.inside.end()};
    order(match.outputs, results);
    bool wild = is_wild();
    if (auto infinite = folded_constant(wild ? kMostConstants : kFewConstants)) {
      return infinite;
    }
    if (!wild && !folded_wild()) {
      return std::nullopt;
    }
    constexpr int kTrials = 3;
    for (int trial = 0; work() <= kMostWork && trial < kTrials; ++trial) {
      if (run(trial)) {
        if (auto loss = compared(match.outputs, results)) {
          return loss;
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool is_part(NodeId node) const { return node >= first_new_ || inside_.contains(node); }

  // Both sides, operands before users; what they take from outside stands among the leaves.
  void order(const std::vector<NodeId>& outputs, const std::vector<NodeId>& results) {
    leaves_.clear();
    std::vector<NodeId> roots = outputs;
    roots.insert(roots.end(), results.begin(), results.end());
    parts_ = post_order_within(graph_, roots, [&](NodeId node) {
      bool is_call = is_part(node) && !graph_.has_value(node) && graph_.kind(node) != NodeKind::Input;
      if (!is_call) {
        leaves_.push_back(node);
      }
      return is_call;
    });
  }

  bool is_wild() {
    return std::any_of(leaves_.begin(), leaves_.end(),
                       [&](NodeId leaf) { return graph_.has_value(leaf) && wild_.is_wild(leaf, first_new_); }) ||
           std::any_of(parts_.begin(), parts_.end(), [&](NodeId part) {
             return graph_.kind(part) == NodeKind::Call && WildNumbers::has_wild(graph_.attributes(part));
           });
  }

  // Is a new call one of few constants? What it folds to may be wild though they are not, as exp(100) is.
  bool folds_few(NodeId first_new) const {
    for (std::size_t node = first_new; node < graph_.id_limit(); ++node) {
      auto id = static_cast<NodeId>(node);
      std::span<const NodeId> operands = graph_.operands(id);
      bool few = graph_.kind(id) == NodeKind::Call && !operands.empty() &&
                 std::all_of(operands.begin(), operands.end(), [&](NodeId operand) {
                   return operand == kNoNode || (graph_.has_value(operand) && count(graph_.type(operand)) <= kFewConstants);
                 });
      if (few) {
        return true;
      }
    }
    return false;
  }

  bool folded_wild() const {
    return std::any_of(parts_.begin(), parts_.end(), [&](NodeId part) {
      auto folded = values_.find(part);
      return folded != values_.end() && std::any_of(folded->second.items.begin(), folded->second.items.end(), has_wild_element);
    });
  }

  // Folds what is new and depends on constants alone.
  std::optional<std::string> folded_constant(double most) {
    values_.clear();
    double elements = 0;
    for (NodeId leaf : leaves_) {
      if (graph_.has_value(leaf)) {
        if (leaf < first_new_ && !all_finite(graph_.value(leaf))) {
          return std::nullopt;
        }
        elements += static_cast<double>(graph_.value(leaf).count());
        values_[leaf] = {false, {graph_.value(leaf)}, 0};
      }
    }
    for (NodeId leaf : leaves_) {
      if (leaf >= first_new_ && graph_.has_value(leaf) && !all_finite(graph_.value(leaf))) {
        return "a constant that it makes here is not finite";
      }
    }
    for (NodeId part : parts_) {
      if (part < first_new_ || elements > most || !operands_known(part) || !evaluate(part)) {
        continue;
      }
      for (const Tensor& tensor : values_[part].items) {
        elements += static_cast<double>(tensor.count());
        if (!all_finite(tensor)) {
          return "a constant that it folds here is not finite";
        }
      }
    }
    return std::nullopt;
  }

  bool operands_known(NodeId node) const {
    std::span<const NodeId> operands = graph_.operands(node);
    return std::all_of(operands.begin(), operands.end(),
                       [&](NodeId operand) { return operand == kNoNode || values_.contains(operand); });
  }

  // Multiplications, as of a product of matrices: the root of the sizes of both operands and of the result.
  double work() const {
    double all = 0;
    for (NodeId part : parts_) {
      double product = count(graph_.type(part));
      for (NodeId operand : graph_.operands(part)) {
        product *= operand == kNoNode ? 1.0 : std::max(1.0, count(graph_.type(operand)));
      }
      all += graph_.kind(part) == NodeKind::Call ? std::sqrt(product) + count(graph_.type(part)) : 0.0;
    }
    return all;
  }

  static double count(Type type) {
    if (!type.is_tensor()) {
      double all = 0;
      for (Type item : type.items()) {
        all += count(item);
      }
      return all;
    }
    auto extents = type.concrete_extents();
    auto elements = extents ? element_count(*extents) : std::nullopt;
    return elements ? static_cast<double>(*elements) : kMostWork + 1;
  }

  bool run(int trial) {
    std::mt19937 random(static_cast<std::uint32_t>(trial + 1));
    values_.clear();
    for (NodeId leaf : leaves_) {
      Type type = graph_.type(leaf);
      auto extents = type.is_tensor() ? type.concrete_extents() : std::nullopt;
      if (!extents) {
        return false;
      }
      values_[leaf] = {false, {graph_.has_value(leaf) ? graph_.value(leaf) : trial_input(type, *extents, trial, random)}, 0};
    }
    return std::all_of(parts_.begin(), parts_.end(), [&](NodeId part) { return evaluate(part); });
  }

  bool evaluate(NodeId node) {
    EvalValue value;
    value.is_tuple = graph_.type(node).is_tuple();
    switch (graph_.kind(node)) {
      case NodeKind::Tuple:
        for (NodeId item : graph_.operands(node)) {
          if (values_.at(item).is_tuple) {
            return false;
          }
          value.items.push_back(values_.at(item).items.front());
        }
        break;
      case NodeKind::Projection:
        value.items = {values_.at(graph_.operands(node)[0]).items.at(graph_.projection_index(node))};
        break;
      case NodeKind::Call: {
        if (op_def(graph_.op(node)).opaque) {
          return false;
        }
        std::vector<EvalValue> operands;
        for (NodeId operand : graph_.operands(node)) {
          operands.push_back(operand == kNoNode ? EvalValue() : values_.at(operand));
        }
        Diagnostics diagnostics;
        auto results = evaluator_.call(graph_.op(node), operands, graph_.attributes(node), graph_.name(node), diagnostics);
        if (!results) {
          return false;
        }
        value.items = std::move(*results);
        break;
      }
      case NodeKind::Erased:
      case NodeKind::Input:
      case NodeKind::Parameter:
      case NodeKind::Constant: return false;
    }
    values_[node] = std::move(value);
    return true;
  }

  std::optional<std::string> compared(const std::vector<NodeId>& outputs, const std::vector<NodeId>& results) const {
    for (std::size_t k = 0; k < std::min(outputs.size(), results.size()); ++k) {
      const std::vector<Tensor>& source = values_.at(outputs[k]).items;
      const std::vector<Tensor>& target = values_.at(results[k]).items;
      for (std::size_t item = 0; item < std::min(source.size(), target.size()); ++item) {
        if (auto found = difference(source[item], target[item])) {
          return fmt::format(
              "it is equal over the reals alone, and floats would be ruined here: on a trial '{}' is {:.6g}, and would "
              "become {:.6g}",
              graph_.name(outputs[k]), found->source, found->target);
        }
      }
    }
    return std::nullopt;
  }

  const Graph& graph_;
  GraphEvaluator evaluator_;
  WildNumbers wild_;
  NodeId first_new_ = 0;
  std::unordered_set<NodeId> inside_;
  std::vector<NodeId> parts_;   // of both sides, in the order of evaluation
  std::vector<NodeId> leaves_;  // what these take from outside: constants, and whatever is computed
  std::unordered_map<NodeId, EvalValue> values_;
};

FloatLoss::FloatLoss(const Graph& graph) : undefined_(graph), trials_(std::make_unique<Trials>(graph)) {}
FloatLoss::~FloatLoss() = default;

std::optional<std::string> FloatLoss::find(const Match& match, Verdict proven, const std::vector<NodeId>& results,
                                           NodeId first_new) {
  auto undefined = undefined_.find(match, proven);
  return undefined || proven != Verdict::SoundReal ? undefined : trials_->find(match, results, first_new);
}

}  // namespace vouch
