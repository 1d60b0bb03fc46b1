#include "rewrite/float_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rewrite/trial_run.h"
#include "rewrite/wild_numbers.h"
#include "tensor/element.h"

namespace vouch {
namespace {

constexpr double kMostWork = 1 << 20;           // multiplications of one trial, about
constexpr double kMostConstants = 1 << 22;      // elements of folded constants that are looked at
constexpr double kFewConstants = 1 << 12;       // and where no number is wild that they are folded from
constexpr int kTrialSizes[] = {2, 1, 3, 4, 8};  // of all sizes without a number: the first by which both sides run

struct Difference {
  double source = 0;
  double target = 0;
};

// Half of the digits of the floats that a result is computed in; integers are rounded from floats, so a tie may be a step apart.
double most_lost(DType dtype, double largest) {
  return is_float(dtype) ? std::ldexp(largest, -exact_bits(dtype) / 2)
                         : std::max(1.0, std::ldexp(largest, -exact_bits(DType::Float32) / 2));
}

bool is_same_non_number(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

// The first element that the source has and the target has not, to half of its digits beside the largest. What is no number in
// the source has gone out of range on the way; of constants that are none, the target has to keep it.
std::optional<Difference> difference(const Tensor& source, const Tensor& target, bool keeps_non_numbers) {
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
    if (std::isfinite(a) ? !(std::abs(a - b) <= most) : keeps_non_numbers && !is_same_non_number(a, b)) {
      return Difference{a, b};
    }
  }
  return std::nullopt;
}

}  // namespace

class FloatLoss::Trials {
 public:
  explicit Trials(const Graph& graph) : graph_(graph), wild_(graph), sides_(graph) {}

  std::optional<std::string> find(const Match& match, const std::vector<NodeId>& results, NodeId first_new) {
    if (!wild_.may_be_near(match, results, first_new) && !folds_few(first_new)) {
      return std::nullopt;
    }
    first_new_ = first_new;
    sides_.choose_sides(match, results, first_new);
    has_non_numbers_ = std::any_of(sides_.leaves().begin(), sides_.leaves().end(), [&](NodeId leaf) {
      return leaf < first_new && graph_.has_value(leaf) && !all_finite(graph_.value(leaf));
    });
    bool wild = is_wild();
    if (auto infinite = folded_constant(wild ? kMostConstants : kFewConstants)) {
      return infinite;
    }
    if (!wild && !folded_wild()) {
      return std::nullopt;
    }
    return tried(match.outputs, results);
  }

 private:
  std::optional<std::string> tried(const std::vector<NodeId>& outputs, const std::vector<NodeId>& results) {
    for (int size : kTrialSizes) {
      bool is_open = sides_.choose_sizes(size);
      bool ran = false;
      for (int trial = 0; sides_.work() <= kMostWork && trial < TrialRun::kTrials; ++trial) {
        if (sides_.run(trial)) {
          ran = true;
          if (auto loss = compared(outputs, results)) {
            return loss;
          }
        }
      }
      if (ran || !is_open) {
        break;
      }
    }
    return std::nullopt;
  }

  bool is_wild() {
    return std::any_of(sides_.leaves().begin(), sides_.leaves().end(),
                       [&](NodeId leaf) { return graph_.has_value(leaf) && wild_.is_wild(leaf, first_new_); }) ||
           std::any_of(sides_.parts().begin(), sides_.parts().end(), [&](NodeId part) {
             return graph_.kind(part) == NodeKind::Call && WildNumbers::has_wild(graph_.attributes(part));
           });
  }

  // Is a new call one of few constants? What it folds to may be wild though they are not, as exp(100) is.
  bool folds_few(NodeId first_new) const {
    for (std::size_t node = first_new; node < graph_.id_limit(); ++node) {
      auto id = static_cast<NodeId>(node);
      std::span<const NodeId> operands = graph_.operands(id);
      bool few =
          graph_.kind(id) == NodeKind::Call && !operands.empty() &&
          std::all_of(operands.begin(), operands.end(), [&](NodeId operand) {
            return operand == kNoNode || (graph_.has_value(operand) && sides_.count(graph_.type(operand)) <= kFewConstants);
          });
      if (few) {
        return true;
      }
    }
    return false;
  }

  bool folded_wild() {
    return std::any_of(sides_.parts().begin(), sides_.parts().end(), [&](NodeId part) {
      auto folded = sides_.values().find(part);
      return folded != sides_.values().end() &&
             std::any_of(folded->second.items.begin(), folded->second.items.end(), has_wild_element);
    });
  }

  // Folds what is new and depends on constants alone.
  std::optional<std::string> folded_constant(double most) {
    if (has_non_numbers_) {
      return std::nullopt;
    }
    sides_.values().clear();
    double elements = 0;
    for (NodeId leaf : sides_.leaves()) {
      if (graph_.has_value(leaf)) {
        elements += static_cast<double>(graph_.value(leaf).count());
        sides_.values()[leaf] = {false, {graph_.value(leaf)}, 0};
      }
    }
    for (NodeId leaf : sides_.leaves()) {
      if (leaf >= first_new_ && graph_.has_value(leaf) && !all_finite(graph_.value(leaf))) {
        return "a constant that it makes here is not finite";
      }
    }
    for (NodeId part : sides_.parts()) {
      if (part < first_new_ || elements > most || !sides_.operands_known(part) || !sides_.evaluate(part)) {
        continue;
      }
      for (const Tensor& tensor : sides_.values()[part].items) {
        elements += static_cast<double>(tensor.count());
        if (!all_finite(tensor)) {
          return "a constant that it folds here is not finite";
        }
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> compared(const std::vector<NodeId>& outputs, const std::vector<NodeId>& results) {
    for (std::size_t k = 0; k < std::min(outputs.size(), results.size()); ++k) {
      const std::vector<Tensor>& source = sides_.values().at(outputs[k]).items;
      const std::vector<Tensor>& target = sides_.values().at(results[k]).items;
      for (std::size_t item = 0; item < std::min(source.size(), target.size()); ++item) {
        if (auto found = difference(source[item], target[item], has_non_numbers_)) {
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
  WildNumbers wild_;
  TrialRun sides_;
  NodeId first_new_ = 0;
  bool has_non_numbers_ = false;  // among the constants of the source
};

FloatLoss::FloatLoss(const Graph& graph) : undefined_(graph), trials_(std::make_unique<Trials>(graph)) {}
FloatLoss::~FloatLoss() = default;

std::optional<std::string> FloatLoss::find(const Match& match, Verdict proven, const std::vector<NodeId>& results,
                                           NodeId first_new) {
  auto undefined = undefined_.find(match, proven);
  return undefined || proven != Verdict::SoundReal ? undefined : trials_->find(match, results, first_new);
}

}  // namespace vouch
