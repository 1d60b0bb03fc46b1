// What is known of a call's operands in its graph, as the operator table takes it.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/op_table.h"

namespace vouch {

struct TypedOperands {
  std::vector<Type> types;  // one per operand, none of an absent one
  KnownContents contents;   // point into the graph
};

inline TypedOperands typed_operands(const Graph& graph, NodeId call) {
  TypedOperands out;
  for (NodeId operand : graph.operands(call)) {
    out.types.push_back(operand == kNoNode ? Type() : graph.type(operand));
    out.contents.push_back(operand == kNoNode ? nullptr : graph.contents(operand));
  }
  return out;
}

}  // namespace vouch
