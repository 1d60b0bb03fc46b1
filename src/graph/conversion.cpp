#include "graph/conversion.h"

#include <string>

#include "graph/op_table.h"
#include "support/fault.h"

namespace vouch {

NodeId add_conversion(Graph& graph, NodeId node, DType to) {
  if (graph.type(node).dtype() == to) {
    return node;
  }
  static const OpId conversion = *find_op("Cast");
  Diagnostics diagnostics;
  AttrDict attributes = AttrDict().with(Symbol("to"), AttrValue(std::string(dtype_name(to))));
  NodeId out = graph.add_call(conversion, {&node, 1}, attributes, diagnostics);
  ensure(out != kNoNode, "every tensor can be converted");
  return out;
}

}  // namespace vouch
