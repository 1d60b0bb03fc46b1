// Elements that are known before any input is.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "graph/eval.h"
#include "graph/graph.h"

namespace vouch {

// Of constants, of integers that shape arithmetic knows as numbers, and of what is computed from known elements alone: what the
// operators, as they are defined, make of these. `known`: of operands; null where they are not. Results that have many more
// elements than their operands are left alone.
std::optional<Tensor> known_value(const Graph& graph, NodeId node, const std::function<const Tensor*(NodeId)>& known,
                                  GraphEvaluator& evaluator);

// For what is worked out by the way: little memory, soon done.
RunOptions small_runs();

// The same of single nodes of a graph that may grow, worked out where it is asked for.
class KnownNodes {
 public:
  explicit KnownNodes(const Graph& graph) : graph_(graph) {}

  // Null where it is not known, or is computed by more than 256 calls one within another.
  const Tensor* of(NodeId node);

 private:
  const Tensor* value(NodeId node) const;
  void learn(NodeId node, std::size_t depth);

  const Graph& graph_;
  std::unordered_map<NodeId, std::optional<Tensor>> known_;
  GraphEvaluator evaluator_{small_runs()};
};

}  // namespace vouch
