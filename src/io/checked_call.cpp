#include "io/checked_call.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

static bool is_countable(Type type) {
  if (type.is_tuple()) {
    return std::all_of(type.items().begin(), type.items().end(), is_countable);
  }
  auto extents = type.concrete_extents();
  bool numbers = std::all_of(type.extents().begin(), type.extents().end(), [](Term extent) { return is_const(extent); });
  return extents ? element_count(*extents).has_value() : !numbers;  // a number beyond 64 bits is none too
}

NodeId add_checked_call(Graph& graph, OpId op, std::span<const NodeId> operands, AttrDict attributes, const std::string& place,
                        Diagnostics& diagnostics) {
  const OpDef& def = op_def(op);
  if (!verify_call_form(def, operands.size(), attributes, place, diagnostics)) {
    return kNoNode;
  }
  NodeId node = graph.add_call(op, operands, attributes, diagnostics, place);
  if (node != kNoNode && !is_countable(graph.type(node))) {
    diagnostics.error_at(place,
                         fmt::format("{}: the result {} has no element count within 64 bits", def.name, graph.type(node).text()));
    return kNoNode;
  }
  return node;
}

}  // namespace vouch
