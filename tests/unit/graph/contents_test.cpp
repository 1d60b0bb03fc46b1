// Shape arithmetic through a graph: known elements fold, sizes stay symbolic.
#include "graph/contents.h"

#include <gtest/gtest.h>

#include "calls.h"
#include "graph/graph.h"
#include "term/print.h"

namespace vouch {
namespace {

class ShapeArithmetic : public testing::Test {
 protected:
  NodeId call(const std::string& name, std::vector<NodeId> operands, const Attributes& attributes = {}) {
    NodeId node = graph.add_call(*find_op(name), operands, dict(attributes), diagnostics);
    EXPECT_EQ(diagnostics.text(), "");
    return node;
  }
  NodeId constant(Tensor value) { return graph.add_constant(std::move(value)); }
  NodeId concat(std::vector<NodeId> items) { return call("Concat", {graph.add_tuple(items)}, {{"axis", 0}}); }
  // Size `axis` of x as a list of one element: Shape, Gather, Unsqueeze.
  NodeId size(NodeId x, std::int64_t axis) {
    return call("Unsqueeze", {call("Gather", {call("Shape", {x}), constant(ints({}, {axis}))}), constant(list({0}))});
  }
  // The known elements, comma-separated; `unknown` if there are none.
  std::string known(NodeId node) {
    const std::vector<Term>* elements = graph.contents(node);
    if (!elements) {
      return "unknown";
    }
    std::string out;
    for (Term element : *elements) {
      out += (out.empty() ? "" : ", ") + print_term(element);
    }
    return out;
  }
  std::string type(NodeId node) { return graph.type(node).text(); }

  Graph graph;
  Diagnostics diagnostics;
  NodeId fixed = graph.add_input("fixed", Type::tensor(DType::Float32, Extents{2, 3, 4}));
  NodeId open = graph.add_input("open", Type::tensor(DType::Float32, {int_var("batch"), int_var("tokens"), Term(6)}));
};

TEST_F(ShapeArithmetic, ReshapesByComputedShapes) {
  auto heads = [&](NodeId x) { return concat({size(x, 0), size(x, 1), constant(list({2, -1}))}); };
  EXPECT_EQ(type(call("Reshape", {fixed, heads(fixed)})), "float32[2, 3, 2, 2]");
  EXPECT_EQ(known(heads(open)), "batch, tokens, 2, -1");
  EXPECT_EQ(type(call("Reshape", {open, heads(open)})), "float32[batch, tokens, 2, 3]");
}

TEST_F(ShapeArithmetic, ComputesWithSizes) {
  NodeId tokens = size(open, 1);
  NodeId two = constant(list({2}));
  EXPECT_EQ(known(call("Mul", {tokens, two})), "2 * tokens");
  EXPECT_EQ(known(call("Add", {tokens, two})), "tokens + 2");
  EXPECT_EQ(known(call("Sub", {tokens, tokens})), "0");
  EXPECT_EQ(known(call("Div", {tokens, two})), "tokens // 2");
  EXPECT_EQ(known(call("Div", {call("Mul", {tokens, two}), two})), "tokens");
  EXPECT_EQ(known(call("Cast", {tokens}, {{"to", text("int32")}})), "tokens");
  EXPECT_EQ(known(call("ReduceProd", {call("Shape", {open})})), "6 * batch * tokens");
  EXPECT_EQ(known(call("Size", {open})), "6 * batch * tokens");
}

TEST_F(ShapeArithmetic, SlicesAndSplitsShapes) {
  NodeId shape = call("Shape", {open});
  EXPECT_EQ(known(call("Slice", {shape, constant(list({1})), constant(list({INT64_MAX}))})), "tokens, 6");
  NodeId pieces = call("Split", {shape}, {{"num_outputs", 3}});
  EXPECT_EQ(known(graph.add_projection(pieces, 1)), "tokens");
  EXPECT_EQ(known(call("Squeeze", {graph.add_projection(pieces, 2), constant(list({0}))})), "6");
}

// A size is one term, whether it is computed for a type or read from one.
TEST_F(ShapeArithmetic, SizesOfSlicesAreWhatShapeSays) {
  NodeId cut = call("Slice", {fixed, constant(list({0})), size(open, 1), constant(list({1}))});
  EXPECT_EQ(type(cut), "float32[2, max(0, min(3, max(0, tokens))), 4]");
  EXPECT_EQ(known(call("Shape", {cut})), "2, max(0, min(3, max(0, tokens))), 4");
  EXPECT_EQ(type(call("Reshape", {cut, concat({size(cut, 0), size(cut, 1), constant(list({2, 2}))})})),
            "float32[2, max(0, min(3, max(0, tokens))), 2, 2]");
}

TEST_F(ShapeArithmetic, ChoosesBetweenSizes) {
  // The idiom of Expand: where(shape == -1, 1, shape)
  NodeId shape = constant(list({-1, 5}));
  NodeId ones = call("ConstantOfShape", {constant(list({2}))}, {{"value", AttrValue(std::make_shared<const Tensor>(list({1})))}});
  EXPECT_EQ(known(ones), "1, 1");
  NodeId minus = call("Mul", {ones, constant(list({-1}))});
  EXPECT_EQ(known(call("Where", {call("Equal", {shape, minus}), ones, shape})), "1, 5");
}

TEST_F(ShapeArithmetic, TypesRangesAndFills) {
  NodeId tokens = call("Gather", {call("Shape", {open}), constant(ints({}, {1}))});
  NodeId range = call("Range", {constant(ints({}, {0})), tokens, constant(ints({}, {1}))});
  EXPECT_EQ(type(range), "int64[tokens]");
  NodeId less = call("Range", {constant(ints({}, {3})), tokens, constant(ints({}, {1}))});
  EXPECT_EQ(type(less), "int64[max(0, tokens - 3)]");
  EXPECT_EQ(type(call("ConstantOfShape", {call("Shape", {open})})), "float32[batch, tokens, 6]");
  NodeId few = call("Range", {constant(ints({}, {3})), constant(ints({}, {9})), constant(ints({}, {2}))});
  EXPECT_EQ(known(few), "3, 5, 7");
}

TEST_F(ShapeArithmetic, UnknownShapesGetFreshSizes) {
  NodeId data = graph.add_input("shape", Type::tensor(DType::Int64, Extents{2}));
  EXPECT_EQ(known(data), "unknown");
  NodeId reshaped = call("Reshape", {fixed, data});
  EXPECT_EQ(graph.type(reshaped).rank(), 2U);
  EXPECT_FALSE(graph.type(reshaped).concrete_extents());
  EXPECT_EQ(graph.conditions().size(), 1U);  // the number of elements stays
}

TEST_F(ShapeArithmetic, IntegersWrapAsStored) {
  NodeId big = constant(ints({1}, {INT32_MAX}, DType::Int32));
  EXPECT_EQ(known(call("Add", {big, constant(ints({1}, {1}, DType::Int32))})), "-2147483648");
}

TEST_F(ShapeArithmetic, WhatMayNotFitTheTypeIsNotFollowed) {
  NodeId tokens = call("Gather", {call("Shape", {open}), constant(ints({}, {1}))});
  auto as = [&](NodeId from, DType to) { return call("Cast", {from}, {{"to", AttrValue(std::string(dtype_name(to)))}}); };
  auto back = [&](DType through) { return known(as(as(tokens, through), DType::Int64)); };
  for (DType kept : {DType::Int32, DType::UInt32, DType::UInt64, DType::Float64}) {
    EXPECT_EQ(back(kept), "tokens") << dtype_name(kept);
  }
  for (DType narrow : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Float16, DType::BFloat16, DType::Float32}) {
    EXPECT_EQ(back(narrow), "unknown") << dtype_name(narrow);
  }
  NodeId in_words = as(tokens, DType::Int32);
  EXPECT_EQ(known(call("Add", {in_words, in_words})), "2 * tokens");
  EXPECT_EQ(known(call("Mul", {in_words, in_words})), "unknown");  // of 65536 it is 0
  EXPECT_EQ(known(call("Mul", {tokens, tokens})), "tokens * tokens");
  NodeId fewer = call("Sub", {tokens, constant(ints({}, {1}))});
  EXPECT_EQ(known(as(fewer, DType::Int32)), "tokens - 1");
  EXPECT_EQ(known(as(fewer, DType::UInt64)), "unknown");
  EXPECT_EQ(known(as(call("Mod", {tokens, constant(ints({}, {8}))}), DType::Int8)), "tokens % 8");
}

TEST_F(ShapeArithmetic, DataIsNotFollowed) {
  EXPECT_EQ(known(call("Add", {fixed, fixed})), "unknown");
  EXPECT_EQ(known(call("Shape", {call("Add", {fixed, fixed})})), "2, 3, 4");
}

}  // namespace
}  // namespace vouch
