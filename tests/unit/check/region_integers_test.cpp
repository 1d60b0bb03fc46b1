// Regions of given element types: a proof looks at how large their numbers are, and what wraps around is no other number.
#include <gtest/gtest.h>

#include <initializer_list>

#include "../graph/added_call.h"
#include "check/prove.h"
#include "check/region.h"

namespace vouch {
namespace {

class RegionIntegers : public testing::Test {
 protected:
  NodeId input(DType dtype, std::vector<Term> extents) {
    NodeId node = graph.add_input("x" + std::to_string(graph.inputs().size()), Type::tensor(dtype, std::move(extents)));
    inputs.push_back(node);
    return node;
  }
  NodeId call(const char* op, std::initializer_list<NodeId> operands, AttrDict attributes = {}) {
    return added_call(graph, op, operands, attributes);
  }
  NodeId as(const char* dtype, NodeId node) {
    return call("Cast", {node}, AttrDict().with(Symbol("to"), AttrValue(std::string(dtype))));
  }
  NodeId scale(double value) {
    Tensor tensor(DType::Float32, Extents{});
    tensor.set_double(0, value);
    NodeId node = graph.add_constant(tensor);
    inputs.push_back(node);
    return node;
  }
  ProofResult proven(NodeId source, NodeId target) const {
    Region region;
    region.graph = &graph;
    region.source = source;
    region.target = target;
    for (NodeId node : inputs) {
      auto number = static_cast<std::uint32_t>(region.inputs.size());
      region.inputs.push_back({graph.type(node), graph.has_value(node) ? std::optional(graph.value(node)) : std::nullopt, {}});
      region.source_cut.emplace(node, number);
      region.target_cut.emplace(node, number);
    }
    return prove_instance(region_instance(region), {}).result;
  }

  Graph graph;
  std::vector<NodeId> inputs;
};

TEST_F(RegionIntegers, WhatWrapsAroundIsNoOtherNumber) {
  NodeId x = input(DType::Int8, {4});
  NodeId z = input(DType::Int8, {4});
  for (const char* op : {"Mul", "Add", "Sub"}) {
    NodeId narrow = call(op, {x, z});
    EXPECT_EQ(proven(as("int32", narrow), call(op, {as("int32", x), as("int32", z)})), ProofResult::Unknown) << op;
    EXPECT_EQ(proven(call(op, {as("int32", x), as("int32", z)}), as("int32", narrow)), ProofResult::Unknown) << op;
    EXPECT_EQ(proven(as("float32", narrow), call(op, {as("float32", x), as("float32", z)})), ProofResult::Unknown) << op;
  }
  NodeId doubled = call("Add", {x, x});
  EXPECT_EQ(proven(call("DequantizeLinear", {doubled, scale(1)}), call("DequantizeLinear", {x, scale(2)})), ProofResult::Unknown);
}

TEST_F(RegionIntegers, WhatATypeHoldsDoesNotWrap) {
  NodeId x = input(DType::Int8, {4});
  NodeId z = input(DType::UInt8, {4});
  auto wide = [&](const char* dtype) { return call("Mul", {as(dtype, x), as(dtype, z)}); };
  EXPECT_NE(proven(as("int32", wide("int16")), wide("int32")), ProofResult::Unknown);  // at most 128 * 255
  auto cube = [&](const char* dtype) { return call("Mul", {wide(dtype), as(dtype, x)}); };
  EXPECT_EQ(proven(as("int32", cube("int16")), cube("int32")), ProofResult::Unknown);
  EXPECT_EQ(proven(as("float16", wide("int32")), wide("float16")), ProofResult::Unknown);  // it has no number 2049
}

TEST_F(RegionIntegers, ZeroHasNoSign) {
  NodeId x = input(DType::Int8, {4});
  NodeId z = input(DType::Int8, {4});
  auto product = [&](const char* dtype) { return call("Mul", {as(dtype, x), as(dtype, z)}); };
  EXPECT_EQ(proven(as("float32", product("int32")), product("float32")), ProofResult::Real);  // 0 * -1
  EXPECT_EQ(proven(as("float32", product("int32")), as("float32", product("int16"))), ProofResult::Exact);
  auto negative = [&](const char* dtype) { return call("Neg", {as(dtype, x)}); };
  EXPECT_EQ(proven(as("float32", negative("int32")), negative("float32")), ProofResult::Real);
  EXPECT_EQ(proven(as("float64", negative("int32")), negative("float64")), ProofResult::Real);
  EXPECT_EQ(proven(as("int32", negative("int16")), negative("int32")), ProofResult::Exact);
}

TEST_F(RegionIntegers, SumsAreAsLongAsTheyAre) {
  auto products = [&](std::int64_t length) {
    NodeId a = input(DType::UInt8, {2, Term(length)});
    NodeId b = input(DType::Int8, {Term(length), 3});
    return proven(as("float32", call("MatMulInteger", {a, b})), call("MatMul", {as("float32", a), as("float32", b)}));
  };
  EXPECT_NE(products(514), ProofResult::Unknown);  // 514 * 255 * 128 <= 2^24
  EXPECT_EQ(products(515), ProofResult::Unknown);
}

}  // namespace
}  // namespace vouch
