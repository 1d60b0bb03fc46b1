#include "rewrite/trial_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "graph/order.h"
#include "tensor/element.h"

namespace vouch {
namespace {

struct Floats {
  double least;
  double most;
  int exponent;
};
// About 1, of both signs; about 1 and positive; small; so large that a constant which became 0 is missed.
constexpr Floats kFloats[TrialRun::kTrials] = {{-2, 2, 0}, {0.5, 2, 0}, {-2, 2, -12}, {-2, 2, 100}};

// Bytes are numbers, any of their type; wider integers may be indices, and are 0 or 1.
Tensor trial_input(DType dtype, const Extents& extents, int trial, std::mt19937& random) {
  const Floats& floats = kFloats[trial];
  std::uniform_real_distribution<double> around(floats.least, floats.most);
  Tensor out(dtype, extents);
  for (std::int64_t i = 0; i < out.count(); ++i) {
    if (is_float(dtype)) {
      out.set_double(i, std::ldexp(around(random), floats.exponent));
    } else {
      bool byte = dtype != DType::Bool && byte_size(dtype) == 1;
      out.set_int(i, static_cast<std::int64_t>(random() % (byte ? 1U << bit_width(dtype) : 2)));
    }
  }
  return out;
}

}  // namespace

void TrialRun::choose_sides(const Match& match, const std::vector<NodeId>& results, NodeId first_new) {
  first_new_ = first_new;
  inside_ = {match.inside.begin(), match.inside.end()};
  leaves_.clear();
  values_.clear();
  sizes_.clear();
  std::vector<NodeId> roots = match.outputs;
  roots.insert(roots.end(), results.begin(), results.end());
  parts_ = post_order_within(graph_, roots, [&](NodeId node) {
    bool is_part = node >= first_new_ || inside_.contains(node);
    bool is_call = is_part && !graph_.has_value(node) && graph_.kind(node) != NodeKind::Input;
    if (!is_call) {
      leaves_.push_back(node);
    }
    return is_call;
  });
}

bool TrialRun::choose_sizes(int size) {
  sizes_.clear();
  for (const std::vector<NodeId>* nodes : {&leaves_, &parts_}) {
    for (NodeId node : *nodes) {
      choose_sizes(graph_.type(node), size);
    }
  }
  return !sizes_.empty();
}

void TrialRun::choose_sizes(Type type, int size) {
  if (!type.is_tensor()) {
    for (Type item : type.items()) {
      choose_sizes(item, size);
    }
    return;
  }
  for (Term extent : type.extents()) {
    for (Symbol name : free_variables(extent)) {
      sizes_.emplace(name, Term(size));
    }
  }
}

std::optional<Extents> TrialRun::extents_of(Type type) const {
  if (!type.is_tensor()) {
    return std::nullopt;
  }
  Extents out;
  for (Term extent : type.extents()) {
    auto known = const_int(sizes_.empty() ? extent : substitute(extent, sizes_));
    if (!known) {
      return std::nullopt;
    }
    out.push_back(*known);
  }
  return out;
}

double TrialRun::count(Type type) const {
  if (!type.is_tensor()) {
    double all = 0;
    for (Type item : type.items()) {
      all += count(item);
    }
    return all;
  }
  auto extents = extents_of(type);
  auto elements = extents ? element_count(*extents) : std::nullopt;
  return elements ? static_cast<double>(*elements) : std::numeric_limits<double>::infinity();
}

double TrialRun::work() const {
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

bool TrialRun::run(int trial) {
  std::mt19937 random(static_cast<std::uint32_t>(trial + 1));
  values_.clear();
  for (NodeId leaf : leaves_) {
    Type type = graph_.type(leaf);
    auto extents = extents_of(type);
    if (!extents) {
      return false;
    }
    values_[leaf] = {
        false, {graph_.has_value(leaf) ? graph_.value(leaf) : trial_input(type.dtype(), *extents, trial, random)}, 0};
  }
  return std::all_of(parts_.begin(), parts_.end(), [&](NodeId part) { return evaluate(part); });
}

bool TrialRun::operands_known(NodeId node) const {
  std::span<const NodeId> operands = graph_.operands(node);
  return std::all_of(operands.begin(), operands.end(),
                     [&](NodeId operand) { return operand == kNoNode || values_.contains(operand); });
}

bool TrialRun::evaluate(NodeId node) {
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
    case NodeKind::Call:
      if (!evaluate_call(node, value)) {
        return false;
      }
      break;
    case NodeKind::Erased:
    case NodeKind::Input:
    case NodeKind::Parameter:
    case NodeKind::Constant: return false;
  }
  values_[node] = std::move(value);
  return true;
}

bool TrialRun::evaluate_call(NodeId node, EvalValue& value) {
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
  return true;
}

}  // namespace vouch
