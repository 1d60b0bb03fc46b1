#include "equiv/renamed_sizes.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "graph/order.h"
#include "graph/with_terms.h"

namespace vouch {
namespace {

std::shared_ptr<const Graph> with_sizes(const Graph& graph, const Substitution& sizes, bool& typed) {
  auto out = std::make_shared<Graph>();
  std::vector<NodeId> made(graph.id_limit(), kNoNode);
  for (NodeId input : graph.inputs()) {
    made[input] = out->add_input(graph.name(input), with_sizes(graph.type(input), sizes));
  }
  for (NodeId node : reverse_post_order(graph)) {
    if (made[node] != kNoNode) {
      continue;
    }
    std::vector<NodeId> operands;
    std::transform(graph.operands(node).begin(), graph.operands(node).end(), std::back_inserter(operands),
                   [&](NodeId operand) { return operand == kNoNode ? kNoNode : made[operand]; });
    Diagnostics unfit;
    switch (graph.kind(node)) {
      case NodeKind::Parameter:
      case NodeKind::Constant: made[node] = out->add_constant(graph.value(node)); break;
      case NodeKind::Tuple: made[node] = out->add_tuple(operands); break;
      case NodeKind::Projection: made[node] = out->add_projection(operands[0], graph.projection_index(node)); break;
      case NodeKind::Call:
        made[node] = out->add_call(graph.op(node), operands, with_sizes(graph.attributes(node), sizes, typed), unfit);
        break;
      default: break;
    }
    if (made[node] == kNoNode) {
      typed = false;
      return nullptr;
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    out->add_output(output.name, made[output.node]);
  }
  return out;
}

AttrValue with_sizes(const AttrValue& value, const Substitution& sizes, bool& typed) {
  if (const Term* number = value.number()) {
    return AttrValue(substitute(*number, sizes));
  }
  if (const AttrTuple* items = value.tuple()) {
    AttrTuple out;
    std::transform(items->begin(), items->end(), std::back_inserter(out),
                   [&](const AttrValue& item) { return with_sizes(item, sizes, typed); });
    return AttrValue(std::move(out));
  }
  auto body = value.graph() != nullptr ? with_sizes(*value.graph(), sizes, typed) : nullptr;
  return body ? AttrValue(std::move(body)) : value;
}

}  // namespace

Type with_sizes(Type type, const Substitution& sizes) {
  return with_terms(type, [&](Term extent) { return substitute(extent, sizes); });
}

AttrDict with_sizes(AttrDict attributes, const Substitution& sizes, bool& typed) {
  AttrDict out = attributes;
  for (const auto& [name, value] : sizes.empty() ? std::span<const AttrDict::Entry>() : attributes.entries()) {
    out = out.with(name, with_sizes(value, sizes, typed));
  }
  return out;
}

}  // namespace vouch
