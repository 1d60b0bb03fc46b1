// Outputs that are one whatever a part of the model computes; sizes and numbers that differences show at.
#include "equiv/equiv.h"
#include "equiv/open_sizes.h"
#include "equiv/settled.h"
#include "models.h"

namespace vouch {
namespace {

// Rows of equal weights, but for one weight that is `off`, behind a function of x that is too long for one region.
Graph classified(const char* function, double off = 0) {
  ModelText m;
  NodeId u = m.call(function, {m.input("x", {Term(2), Term(3)})});
  for (std::size_t k = 0; k < 15; ++k) {
    u = m.call("Sin", {m.call("Mul", {u, m.values({}, {1.5})})});
  }
  std::vector<double> weights(12, 0.25);
  weights[7] += off;
  NodeId product = m.call("MatMul", {u, m.values({3, 4}, weights)});
  return m.with_output(m.call("Softmax", {product}));
}

TEST(Hidden, what_no_output_shows_need_not_be_equal) {
  EquivResult result = compare_models(classified("Sin"), classified("Exp"), {});
  EXPECT_EQ(result.verdict, EquivVerdict::EqualReal);
  EXPECT_TRUE(result.unproven.empty());
}

TEST(Hidden, a_weight_that_lets_it_through_is_a_difference) {
  EXPECT_EQ(compare_models(classified("Sin", 0.01), classified("Exp", 0.01), {}).verdict, EquivVerdict::Different);
  EXPECT_EQ(compare_models(classified("Sin"), classified("Sin", 0.01), {}).verdict, EquivVerdict::Different);
}

TEST(Hidden, given_sizes_are_made_odd_all_the_way_down) {
  ModelText m;
  Graph graph = m.with_output(m.input("x", {int_var("n"), int_var("h"), int_var("w")}));
  std::vector<Tensor> given(1, Tensor(DType::Float32, {1, 48, 200}));
  Sizes up = sizes_to_try(graph, given, 3, true).front();
  EXPECT_EQ(up.at(Symbol("h")), 33);  // 17, 9, 5, 3 and 2, rounded up
  EXPECT_EQ(up.at(Symbol("w")), 129);
  EXPECT_EQ(up.at(Symbol("n")), 1);
  EXPECT_EQ(sizes_to_try(graph, given, 4, true).front().at(Symbol("h")), 31);  // 15, 7, 3 and 1, rounded down
  EXPECT_EQ(sizes_to_try(graph, given, 1, false).front().at(Symbol("h")), 48);
}

TEST(Hidden, small_sizes_fit_what_a_model_asks_of_them) {
  ModelText m;
  NodeId old = m.input("past", {int_var("batch"), int_var("past")});
  const std::vector<NodeId> parts{old, m.input("x", {int_var("batch"), int_var("tokens")})};
  NodeId all = m.call("Concat", {m.graph.add_tuple(parts)}, {{Symbol("axis"), AttrValue(1)}});
  Graph graph = m.with_output(m.call("Add", {all, m.input("mask", {int_var("batch"), int_var("total")})}));
  std::size_t fitting = 0;
  for (const Sizes& sizes : sizes_to_try(graph, {}, 0, false)) {
    std::int64_t total = sizes.at(Symbol("total"));
    fitting +=
        total > 1 && total == sizes.at(Symbol("past")) + sizes.at(Symbol("tokens")) && sizes.at(Symbol("batch")) > 1 ? 1 : 0;
  }
  EXPECT_GE(fitting, 1U);
}

Graph scaled(std::vector<double> first, std::vector<double> second) {
  ModelText m;
  NodeId x = m.input("x", {Term(2)});
  return m.with_output(m.call("Add", {m.call("Mul", {x, m.values({2}, first)}), m.call("Mul", {x, m.values({2}, second)})}));
}

bool is_settled(const Pairing& pairing, std::vector<double> elements) {
  return SettledNumbers(*pairing.pair).contains(Tensor::of_doubles(DType::Float64, {2}, elements));
}

TEST(Hidden, numbers_that_both_models_have_equally_often_are_settled) {
  Pairing both = pair_models(scaled({0.5, 0.25}, {3.5, 1.5}), scaled({3.5, 1.5}, {0.5, 0.125}), {});
  EXPECT_TRUE(is_settled(both, {3.5, 1.5}));
  EXPECT_FALSE(is_settled(both, {0.5, 0.25}));
  EXPECT_FALSE(is_settled(both, {0.5, 0.125}));
  // One of the second model's two may be what the first computes otherwise.
  Pairing twice = pair_models(scaled({0.5, 0.25}, {3.5, 1.5}), scaled({0.5, 0.25}, {0.5, 0.25}), {});
  EXPECT_FALSE(is_settled(twice, {0.5, 0.25}));
}

}  // namespace
}  // namespace vouch
