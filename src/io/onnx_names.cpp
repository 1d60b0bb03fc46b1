#include "io/onnx_names.h"

#include <fmt/format.h>

namespace vouch {

std::string OnnxNamePool::claim(const std::string& wish) {
  std::string name = wish.empty() ? "value" : wish;
  while (!taken_.insert(name).second) {
    name = fmt::format("{}_{}", wish.empty() ? "value" : wish, ++next_[wish]);
  }
  return name;
}

OnnxValueNames::OnnxValueNames(const Graph& graph, const std::vector<NodeId>& order, OnnxNamePool& pool)
    : graph_(graph), pool_(pool) {
  for (NodeId input : graph.inputs()) {
    names_[{input, 0}] = pool.claim(graph.name(input));
  }
  claim_outputs();
  for (NodeId node : order) {
    if (graph.kind(node) == NodeKind::Parameter && names_.count({node, 0}) == 0) {
      names_[{node, 0}] = pool.claim(graph.name(node));
    }
  }
  for (NodeId node : order) {
    claim_rest(node);
  }
}

OnnxValueNames::Key OnnxValueNames::source_of(NodeId node) const {
  while (graph_.kind(node) == NodeKind::Projection) {
    NodeId tuple = graph_.operands(node)[0];
    if (graph_.kind(tuple) != NodeKind::Tuple) {
      return {tuple, graph_.projection_index(node)};
    }
    node = graph_.operands(tuple)[graph_.projection_index(node)];
  }
  return {node, 0};
}

// A value that calls give takes the name of the first output it is; inputs and parameters keep their own.
void OnnxValueNames::claim_outputs() {
  for (const GraphOutput& output : graph_.outputs()) {
    outputs_.push_back(pool_.claim(output.name));
    Key source = source_of(output.node);
    NodeKind kind = graph_.kind(source.first);
    if (kind == NodeKind::Call || kind == NodeKind::Constant) {
      names_.emplace(source, outputs_.back());
    }
  }
}

void OnnxValueNames::claim_rest(NodeId node) {
  if (graph_.kind(node) == NodeKind::Projection) {
    Key source = source_of(node);
    if (names_.count(source) == 0) {
      names_[source] = pool_.claim(graph_.name(node));
    }
    names_[{node, 0}] = names_.at(source);
  } else if (graph_.type(node).is_tensor() && names_.count({node, 0}) == 0) {
    names_[{node, 0}] = pool_.claim(graph_.name(node));
  }
}

}  // namespace vouch
