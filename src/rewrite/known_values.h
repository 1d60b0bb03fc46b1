// Values that constants alone decide: of constants, of calls on such, of what sizes are computed by. What may be fed, an
// initialiser that is an input too among it, is not known.
#pragma once

#include <optional>
#include <unordered_map>

#include "graph/eval.h"
#include "graph/graph.h"

namespace vouch {

class KnownValues {
 public:
  explicit KnownValues(const Graph& graph);

  // Of a tensor; null where it is not known, or would be large. Valid until `forget`.
  const Tensor* of(NodeId node);
  void forget() { values_.clear(); }

 private:
  std::optional<Tensor> compute(NodeId node, int depth);
  const std::optional<Tensor>& at(NodeId node, int depth);

  const Graph& graph_;
  GraphEvaluator evaluator_;
  std::unordered_map<NodeId, std::optional<Tensor>> values_;
};

}  // namespace vouch
