#include "graph/call_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

NodeId CallBuilder::call(std::string_view op, std::initializer_list<NodeId> operands, AttrDict attributes) {
  auto id = find_op(op);
  if (!id) {
    diagnostics.error_at(place, fmt::format("operator '{}' is not in the table", op));
  }
  failed = failed || !id || std::find(operands.begin(), operands.end(), kNoNode) != operands.end();
  if (failed) {
    return kNoNode;
  }
  NodeId node = graph.add_call(*id, std::span(operands.begin(), operands.size()), attributes, diagnostics, place);
  failed = node == kNoNode;
  return node;
}

NodeId CallBuilder::ints(const Extents& values) {
  return graph.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
}

NodeId CallBuilder::scalar(DType dtype, double value) {
  return graph.add_constant(Tensor::of_doubles(dtype, {}, std::span(&value, 1)));
}

NodeId CallBuilder::transpose(NodeId x, std::initializer_list<std::int64_t> perm) {
  AttrValue order = AttrValue::of_ints(std::span(perm.begin(), perm.size()));
  return call("Transpose", {x}, AttrDict({{Symbol("perm"), std::move(order)}}));
}

NodeId CallBuilder::concat(const std::vector<NodeId>& items, std::int64_t axis) {
  failed = failed || std::find(items.begin(), items.end(), kNoNode) != items.end();
  if (failed || items.size() == 1) {
    return failed ? kNoNode : items[0];
  }
  return call("Concat", {graph.add_tuple(items)}, AttrDict({{Symbol("axis"), axis}}));
}

std::vector<NodeId> CallBuilder::split(NodeId x, std::int64_t axis, std::int64_t parts) {
  if (parts == 1) {
    return {x};
  }
  NodeId pieces = call("Split", {x}, AttrDict({{Symbol("axis"), axis}, {Symbol("num_outputs"), parts}}));
  std::vector<NodeId> out;
  for (std::int64_t i = 0; i < parts; ++i) {
    out.push_back(failed ? kNoNode : graph.add_projection(pieces, static_cast<std::uint32_t>(i)));
  }
  return out;
}

}  // namespace vouch
