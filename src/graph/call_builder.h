// What one call of an operator means, written as calls of others.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// Adds calls to a graph until one fails; then gives kNoNode, having reported.
struct CallBuilder {
  Graph& graph;
  const std::string& place;
  Diagnostics& diagnostics;
  bool failed = false;

  NodeId call(std::string_view op, std::initializer_list<NodeId> operands, AttrDict attributes = {});
  NodeId ints(const Extents& values);
  NodeId scalar(DType dtype, double value);
  NodeId transpose(NodeId x, std::initializer_list<std::int64_t> perm);
  NodeId concat(const std::vector<NodeId>& items, std::int64_t axis);
  // Equal parts; the axis must be divisible.
  std::vector<NodeId> split(NodeId x, std::int64_t axis, std::int64_t parts);
};

}  // namespace vouch
