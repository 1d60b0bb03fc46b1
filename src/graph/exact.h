// What a graph gives on concrete tensors, exactly: every call by its meaning in kernel/exact.h, so elements are rationals,
// or enclosures where a function such as exp takes part, and an element without value is missing without harm to others.
// Nothing is rounded: a float32 tensor holds any real number here. Opaque operators (loops, recurrences, branches) have no
// exact evaluation.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "kernel/exact.h"

namespace vouch {

// One graph, on any number of inputs. The graph must outlive it and stay as it is.
class ExactEvaluator {
 public:
  explicit ExactEvaluator(const Graph& graph);

  // One tensor for each graph output, with the graph's inputs in order. Failures name the node: a call that is ill-typed on
  // these elements, more work than allowed, an operator without exact evaluation.
  Evaluated<std::vector<ExactTensor>> run(const std::vector<ExactTensor>& inputs, const ExactLimits& limits = {});
  // Some call has an operand of another element type than its result, which is one of floats.
  bool converts() const;
  // What ends a run of the last inputs, whatever becomes of the element: a position outside of a tensor, an integer divided by 0.
  const std::optional<EvalFailure>& failing() const { return failing_; }

 private:
  using Value = std::vector<ExactTensor>;  // one tensor, or the items of a tuple

  Evaluated<Value> eval_node(NodeId node, const std::vector<Value>& values, const ExactLimits& limits);
  Evaluated<Value> eval_call(NodeId node, const std::vector<Value>& values, const ExactLimits& limits);
  void note_failing(NodeId node, const Kernel& meaning, const Value& operands, const Value& results);
  Evaluated<std::shared_ptr<const Kernel>> meaning_of(NodeId node, const std::vector<Value>& values);
  Evaluated<std::shared_ptr<const Kernel>> meaning_with_values(NodeId node, const std::vector<Type>& types,
                                                               const std::vector<Value>& values) const;

  const Graph& graph_;
  std::vector<NodeId> order_;
  std::optional<EvalFailure> failing_;
  std::vector<Extents> sizes_;                                          // of the inputs of the last run
  std::unordered_map<NodeId, std::shared_ptr<const Kernel>> meanings_;  // of calls that no elements decide
};

Evaluated<std::vector<ExactTensor>> eval_graph_exact(const Graph& graph, const std::vector<ExactTensor>& inputs,
                                                     const ExactLimits& limits = {});

}  // namespace vouch
