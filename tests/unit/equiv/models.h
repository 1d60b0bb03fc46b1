// Small models for the tests of the room.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../graph/added_call.h"
#include "graph/graph.h"

namespace vouch {

class ModelText {
 public:
  NodeId input(const std::string& name, std::vector<Term> extents, DType dtype = DType::Float32) {
    return graph.add_input(name, Type::tensor(dtype, std::move(extents)));
  }
  NodeId values(Extents extents, std::vector<double> elements) {
    return graph.add_constant(Tensor::of_doubles(DType::Float32, std::move(extents), elements));
  }
  NodeId ints(std::vector<std::int64_t> elements) {
    return graph.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(elements.size())}, elements));
  }
  NodeId call(const char* op, std::vector<NodeId> operands, std::vector<AttrDict::Entry> attributes = {}) {
    return added_call(graph, op, operands, AttrDict(std::move(attributes)));
  }
  Graph with_output(NodeId node) {
    graph.add_output("y", node);
    return graph;
  }

  Graph graph;
};

}  // namespace vouch
