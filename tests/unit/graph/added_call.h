// Calls added to graphs that tests build.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/op_table.h"

namespace vouch {

// The call, which has to be well-typed.
inline NodeId added_call(Graph& graph, std::string_view op, const std::vector<NodeId>& operands,
                         const AttrDict& attributes = {}) {
  Diagnostics diagnostics;
  NodeId node = graph.add_call(*find_op(op), operands, attributes, diagnostics);
  EXPECT_NE(node, kNoNode) << diagnostics.text();
  return node;
}

}  // namespace vouch
