// A call in a graph that a test writes down.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "graph/op_table.h"

namespace vouch {

// Without attributes; that it is ill-typed fails the test.
inline NodeId call_in(Graph& graph, const char* op, const std::vector<NodeId>& operands) {
  Diagnostics diagnostics;
  NodeId made = graph.add_call(*find_op(op), operands, {}, diagnostics);
  EXPECT_NE(made, kNoNode) << diagnostics.text();
  return made;
}

}  // namespace vouch
