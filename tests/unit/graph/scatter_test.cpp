// ScatterND as a graph of other operators, on values worked out by hand, and as the interpreter has it.
#include "graph/scatter.h"

#include "calls.h"
#include "graph/eval.h"
#include "graph/order.h"

namespace vouch {
namespace {

struct Scattered {
  std::string error;
  Values values;
  std::string operators;  // of the graph, in order
};

Values values_of(const Tensor& tensor) {
  Values out;
  for (std::int64_t k = 0; k < tensor.count(); ++k) {
    out.push_back(tensor.double_at(k));
  }
  return out;
}

Scattered scattered(const Tensor& data, const Tensor& indices, const Tensor& updates, const std::string& reduction = "none") {
  Diagnostics diagnostics;
  AttrDict attributes = dict({{"reduction", text(reduction)}});
  std::vector<Type> types;
  for (const Tensor* operand : {&data, &indices, &updates}) {
    types.push_back(Type::tensor(operand->dtype(), operand->extents()));
  }
  auto graph = scatter_steps(types, indices, attributes, "here", diagnostics);
  Scattered out;
  if (graph) {
    for (NodeId node : reverse_post_order(*graph)) {
      out.operators += graph->kind(node) == NodeKind::Call ? std::string(op_def(graph->op(node)).name) + " " : "";
    }
    if (auto results = eval_graph(*graph, {data, updates}, diagnostics)) {
      out.values = values_of((*results)[0]);
      EXPECT_EQ((*results)[0].extents(), data.extents());
    }
  }
  out.error = diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  if (out.error.empty()) {
    GraphEvaluator interpreter;
    auto expected = interpreter.call(*find_op("ScatterND"), {{false, {data}}, {false, {indices}}, {false, {updates}}}, attributes,
                                     "call", diagnostics);
    EXPECT_TRUE(expected && values_of((*expected)[0]) == out.values) << diagnostics.text();
  }
  return out;
}

TEST(Scatter, ARowIsPutIn) {
  Scattered y = scattered(counting({3, 2}), ints({1, 1}, {1}), floats({1, 2}, {10, 20}));
  EXPECT_EQ(y.values, Values({1, 2, 10, 20, 5, 6}));
  EXPECT_EQ(y.operators.find("Gather"), std::string::npos) << y.operators;
  EXPECT_EQ(scattered(counting({3, 2}), ints({1, 1}, {-1}), floats({1, 2}, {10, 20})).values, Values({1, 2, 3, 4, 10, 20}));
}

TEST(Scatter, ABoxIsPutIn) {
  // rows 1 and 2, columns 0 and 1, of 3 × 3
  Tensor box = ints({2, 2, 2}, {1, 0, 1, 1, 2, 0, 2, 1});
  Scattered y = scattered(counting({3, 3}), box, floats({2, 2}, {10, 20, 30, 40}));
  EXPECT_EQ(y.values, Values({1, 2, 3, 10, 20, 6, 30, 40, 9}));
  EXPECT_EQ(y.operators.find("Gather"), std::string::npos) << y.operators;
  EXPECT_EQ(scattered(counting({3, 3}), box, floats({2, 2}, {10, 20, 30, 40}), "add").values,
            Values({1, 2, 3, 14, 25, 6, 37, 48, 9}));
  EXPECT_EQ(scattered(counting({3, 3}), box, floats({2, 2}, {4.5, 4, 8, 7}), "max").values,
            Values({1, 2, 3, 4.5, 5, 6, 8, 8, 9}));
  EXPECT_EQ(scattered(counting({3, 3}), box, floats({2, 2}, {3, 9, 8, 7}), "min").values, Values({1, 2, 3, 3, 5, 6, 7, 7, 9}));
}

TEST(Scatter, AllOfTheData) {
  Scattered y = scattered(counting({2, 1}), ints({2, 2}, {0, 0, 1, 0}), floats({2}, {8, 9}));
  EXPECT_EQ(y.values, Values({8, 9}));
}

TEST(Scatter, NothingIsPutIn) {
  EXPECT_EQ(scattered(counting({2, 2}), ints({0, 1}, {}), floats({0, 2}, {})).values, Values({1, 2, 3, 4}));
}

// The same numbers as a box, in another order; with a gap; with the box's ends alone.
TEST(Scatter, WhatIsNoBoxIsPickedByRows) {
  EXPECT_EQ(scattered(counting({4}), ints({4, 1}, {4 - 1, 1, 0, 2}), floats({4}, {10, 20, 30, 40})).values,
            Values({30, 20, 40, 10}));
  EXPECT_EQ(scattered(counting({4}), ints({2, 1}, {0, 2}), floats({2}, {10, 20})).values, Values({10, 2, 20, 4}));
  Scattered y = scattered(counting({2, 2}), ints({2, 2}, {0, 0, 1, 1}), floats({2}, {10, 20}));
  EXPECT_EQ(y.values, Values({10, 2, 3, 20}));
  EXPECT_NE(y.operators.find("Gather"), std::string::npos) << y.operators;
  EXPECT_EQ(scattered(counting({3, 2}), ints({2, 1}, {2, 0}), floats({2, 2}, {10, 20, 30, 40}), "mul").values,
            Values({30, 80, 3, 4, 50, 120}));
}

TEST(Scatter, UpdatesOfOnePosition) {
  EXPECT_EQ(scattered(counting({3}), ints({3, 1}, {1, 1, 0}), floats({3}, {10, 20, 30})).values, Values({30, 20, 3}));
  EXPECT_EQ(scattered(counting({3}), ints({3, 1}, {1, 1, 0}), floats({3}, {10, 20, 30}), "add").values, Values({31, 32, 3}));
  EXPECT_EQ(scattered(counting({2}), ints({3, 1}, {1, 1, -1}), floats({3}, {2, 3, 4}), "mul").values, Values({1, 48}));
  Scattered many = scattered(counting({1}), ints({65, 1}, std::vector<std::int64_t>(65, 0)), floats({65}, Values(65, 1)), "add");
  EXPECT_EQ(many.error, "expected at most 64 updates of one position, found 65");
}

TEST(Scatter, AnIndexOutOfRangeIsNamed) {
  EXPECT_EQ(scattered(counting({2, 3}), ints({1, 2}, {1, 3}), floats({1}, {1})).error,
            "index 3 is out of range for axis 1 of size 3");
  EXPECT_EQ(scattered(counting({2}), ints({1, 1}, {-3}), floats({1}, {1})).error,
            "index -3 is out of range for axis 0 of size 2");
}

}  // namespace
}  // namespace vouch
