#include "graph/copy_graph.h"

#include "graph/order.h"

namespace vouch {
namespace {

NodeId copy_node(Graph& into, const Graph& from, NodeId node, const std::vector<NodeId>& copies, const AddCall& add) {
  std::vector<NodeId> operands;
  for (NodeId operand : from.operands(node)) {
    operands.push_back(operand == kNoNode ? kNoNode : copies[operand]);
  }
  switch (from.kind(node)) {
    case NodeKind::Parameter:
    case NodeKind::Constant: return into.add_constant(from.value(node));
    case NodeKind::Call: return add(from.op(node), operands, from.attributes(node));
    case NodeKind::Tuple: return into.add_tuple(operands);
    case NodeKind::Projection: return into.add_projection(operands[0], from.projection_index(node));
    case NodeKind::Input:
    case NodeKind::Erased: break;
  }
  return kNoNode;
}

}  // namespace

std::optional<std::vector<NodeId>> copy_graph(Graph& into, const Graph& from, const std::vector<NodeId>& inputs,
                                              const AddCall& add, bool named) {
  if (inputs.size() != from.inputs().size()) {
    return std::nullopt;
  }
  std::vector<NodeId> copies(from.id_limit(), kNoNode);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    copies[from.inputs()[k]] = inputs[k];
  }
  for (NodeId node : reverse_post_order(from)) {
    if (copies[node] == kNoNode) {
      copies[node] = copy_node(into, from, node, copies, add);
    }
    if (copies[node] == kNoNode) {
      return std::nullopt;
    }
    if (named && from.has_name(node) && !into.has_name(copies[node]) && !into.find_name(from.name(node))) {
      into.set_name(copies[node], from.name(node));
    }
  }
  std::vector<NodeId> outputs;
  for (const GraphOutput& output : from.outputs()) {
    outputs.push_back(copies[output.node]);
  }
  return outputs;
}

}  // namespace vouch
