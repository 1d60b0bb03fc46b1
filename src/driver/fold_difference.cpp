#include "driver/fold_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "graph/exact.h"
#include "support/how_many.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostMeasured = 500'000;  // of one result; a rational takes some hundred bytes

// Relative to the largest element; nothing where an element has no value, or is no number.
std::optional<double> difference(const Tensor& kept, const ExactTensor& exact) {
  Rational most = 0;
  Rational largest = 0;
  for (std::int64_t at = 0; at < kept.count(); ++at) {
    auto k = static_cast<std::size_t>(at);
    Enclosure value = exact.values[k].enclosure();
    if (exact.missing.contains(k) || value.infinite != 0 || !std::isfinite(kept.double_at(at))) {
      return std::nullopt;
    }
    Rational here = rational_of(kept.double_at(at));
    most = std::max({most, abs(here - value.low), abs(here - value.high)});
    largest = std::max({largest, abs(value.low), abs(value.high)});
  }
  return most == 0 ? 0 : largest == 0 ? std::nullopt : std::optional(double_of(most / largest));
}

// The call by itself: floats are inputs, since they may be what no float is; all else is as it stands.
class Alone {
 public:
  Alone(const Graph& from, std::function<std::optional<ExactTensor>(NodeId)> before) : from_(from), before_(std::move(before)) {}

  bool add(NodeId operand) {
    if (operand == kNoNode) {
      operands_.push_back(kNoNode);
    } else if (from_.kind(operand) == NodeKind::Tuple) {
      std::vector<NodeId> items;
      for (NodeId item : from_.operands(operand)) {
        items.push_back(leaf(item));
      }
      operands_.push_back(graph_.add_tuple(items));
    } else {
      operands_.push_back(leaf(operand));
    }
    return known_;
  }

  Evaluated<std::vector<ExactTensor>> run(NodeId call) {
    Diagnostics diagnostics;
    NodeId made = graph_.add_call(from_.op(call), operands_, from_.attributes(call), diagnostics);
    if (made == kNoNode) {
      return EvalFailure{EvalProblem::Undefined, diagnostics.text()};
    }
    graph_.add_output("y", made);
    return eval_graph_exact(graph_, inputs_);
  }

 private:
  NodeId leaf(NodeId node) {
    const Tensor& value = from_.value(node);
    if (!is_float(value.dtype())) {
      return graph_.add_constant(value);
    }
    std::optional<ExactTensor> exact = before_(node);
    known_ = known_ && exact;
    inputs_.push_back(exact ? std::move(*exact) : ExactTensor());
    return graph_.add_input(fmt::format("x{}", inputs_.size()), from_.type(node));
  }

  const Graph& from_;
  std::function<std::optional<ExactTensor>(NodeId)> before_;
  Graph graph_;
  std::vector<NodeId> operands_;
  std::vector<ExactTensor> inputs_;
  bool known_ = true;
};

}  // namespace

// Another graph may stand where an earlier one stood: the number must be the one that was kept.
std::optional<ExactTensor> FoldDifference::exact_before(const Graph& graph, NodeId node) const {
  auto found = folded_.find({&graph, node});
  bool computed = found != folded_.end() && found->second.value == graph.value(node);
  return computed ? found->second.exact : exact_of(graph.value(node));
}

Evaluated<ExactTensor> FoldDifference::exact(const Graph& graph, NodeId call) const {
  Alone alone(graph, [&](NodeId node) { return exact_before(graph, node); });
  for (NodeId operand : graph.operands(call)) {
    if (!alone.add(operand)) {
      return EvalFailure{EvalProblem::Undefined, "an operand is NaN, or not measured"};
    }
  }
  auto results = alone.run(call);
  if (auto* failure = std::get_if<EvalFailure>(&results)) {
    return *failure;
  }
  return std::move(std::get<std::vector<ExactTensor>>(results).front());
}

void FoldDifference::add(const Graph& graph, NodeId call, NodeId parameter) {
  ++calls_;
  const Tensor& kept = graph.value(parameter);
  if (!is_float(kept.dtype())) {
    return;  // integers are what they are
  }
  auto fail = [&](std::string why) {
    ++unmeasured_;
    folded_.insert_or_assign({&graph, parameter}, Folded{kept, std::nullopt});
    why_ = why_.empty() ? fmt::format("{}: {}", graph.name(parameter), why) : why_;
  };
  if (kept.count() > kMostMeasured) {
    return fail(fmt::format("more than {} elements", kMostMeasured));
  }
  auto value = exact(graph, call);
  if (auto* failure = std::get_if<EvalFailure>(&value)) {
    return fail(failure->message);
  }
  auto off = difference(kept, std::get<ExactTensor>(value));
  if (!off) {
    return fail("an element is no number");
  }
  worst_ = std::max(worst_, *off);
  if (*off != 0) {
    folded_.insert_or_assign({&graph, parameter}, Folded{kept, std::move(std::get<ExactTensor>(value))});
  }
}

std::string FoldDifference::text() const {
  if (calls_ == 0) {
    return "none";
  }
  std::string far = unmeasured_ == calls_ ? "not measured"
                    : worst_ == 0         ? "each is exact"
                                  : fmt::format("at most {:.2g} of their tensor's largest element from what is exact", worst_);
  std::string out = fmt::format("{}, evaluated in double and rounded: {}", how_many(calls_, "call"), far);
  return unmeasured_ == 0 ? out : out + fmt::format("; {} not measured ({})", unmeasured_, why_);
}

}  // namespace vouch
