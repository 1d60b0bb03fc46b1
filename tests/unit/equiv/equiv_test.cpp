// Verdicts on small models: equal ones of each kind, and neighbours that differ.
#include "equiv/equiv.h"

#include "models.h"

namespace vouch {
namespace {

EquivResult compared(const Graph& a, const Graph& b, bool exact = false) {
  EquivOptions options;
  options.exact = exact;
  return compare_models(a, b, options);
}

AttrDict::Entry ints(const char* name, std::vector<std::int64_t> values) { return {Symbol(name), AttrValue::of_ints(values)}; }

Graph sum_of_relu(bool swapped, const char* outer = "Add") {
  ModelText m;
  NodeId x = m.input("x", {Term(2), Term(3)});
  NodeId y = m.input("z", {Term(2), Term(3)});
  NodeId r = m.call("Relu", {x});
  return m.with_output(swapped ? m.call(outer, {y, r}) : m.call(outer, {r, y}));
}

TEST(Equiv, a_model_is_itself_bit_for_bit) {
  EXPECT_EQ(compared(sum_of_relu(false), sum_of_relu(false)).verdict, EquivVerdict::EqualExact);
}

TEST(Equiv, operands_of_a_sum_may_be_swapped_and_those_of_a_difference_not) {
  EXPECT_EQ(compared(sum_of_relu(false), sum_of_relu(true)).verdict, EquivVerdict::EqualExact);
  EXPECT_EQ(compared(sum_of_relu(false, "Sub"), sum_of_relu(true, "Sub")).verdict, EquivVerdict::Different);
}

Graph transposed(const char* op, bool outside, std::vector<Term> extents) {
  ModelText m;
  NodeId x = m.input("x", std::move(extents));
  NodeId inner = outside ? m.call(op, {x}) : m.call("Transpose", {x}, {ints("perm", {1, 0})});
  return m.with_output(outside ? m.call("Transpose", {inner}, {ints("perm", {1, 0})}) : m.call(op, {inner}));
}

TEST(Equiv, a_transposition_moves_through_a_function_of_elements_at_all_sizes) {
  for (const std::vector<Term>& extents : {std::vector<Term>{Term(2), Term(3)}, std::vector<Term>{int_var("n"), int_var("m")}}) {
    EXPECT_EQ(compared(transposed("Tanh", false, extents), transposed("Tanh", true, extents)).verdict, EquivVerdict::EqualExact);
  }
}

Graph scaled_product(double scale, bool folded, double off = 0) {
  ModelText m;
  NodeId x = m.input("x", {int_var("n"), Term(2)});
  std::vector<double> w{0.5, -1.25, 3, 0.1};
  if (folded) {
    for (double& element : w) {
      element = static_cast<float>(static_cast<float>(element) * scale);
    }
    w[1] += off;
    return m.with_output(m.call("MatMul", {x, m.values({2, 2}, w)}));
  }
  return m.with_output(m.call("Mul", {m.call("MatMul", {x, m.values({2, 2}, w)}), m.values({}, {scale})}));
}

TEST(Equiv, a_folded_scale_is_equal_within_the_rounding_of_float32) {
  EquivResult result = compared(scaled_product(0.7, false), scaled_product(static_cast<float>(0.7), true));
  EXPECT_EQ(result.verdict, EquivVerdict::EqualReal);
  EXPECT_EQ(result.folded, 1U);
  EXPECT_GT(result.fold_bound, 0);
  EXPECT_LT(result.fold_bound, 1e-7);
  EXPECT_EQ(compared(scaled_product(0.7, false), scaled_product(static_cast<float>(0.7), true), true).verdict,
            EquivVerdict::Open);
}

TEST(Equiv, a_folded_scale_that_is_off_is_never_equal) {
  EXPECT_EQ(compared(scaled_product(0.7, false), scaled_product(static_cast<float>(0.7), true, 1e-2)).verdict,
            EquivVerdict::Different);
  EquivVerdict close = compared(scaled_product(0.7, false), scaled_product(static_cast<float>(0.7), true, 1e-5)).verdict;
  EXPECT_TRUE(close == EquivVerdict::Different || close == EquivVerdict::Open);
}

// x * HardSigmoid(x) with alpha as an attribute of float32 gives it: the function itself has a sixth.
Graph hard_swish(std::optional<double> alpha) {
  ModelText m;
  NodeId x = m.input("x", {Term(2), int_var("n")});
  if (!alpha) {
    return m.with_output(m.call("HardSwish", {x}));
  }
  NodeId gate =
      m.call("HardSigmoid", {x}, {{Symbol("alpha"), AttrValue::of_float(*alpha)}, {Symbol("beta"), AttrValue::of_float(0.5)}});
  return m.with_output(m.call("Mul", {x, gate}));
}

TEST(Equiv, the_rounding_of_a_number_is_no_difference_of_functions_and_is_told) {
  for (bool turned : {false, true}) {
    Graph exact = hard_swish(std::nullopt);
    Graph rounded = hard_swish(static_cast<float>(1.0 / 6));
    EquivResult result = turned ? compared(rounded, exact) : compared(exact, rounded);
    EXPECT_EQ(result.verdict, EquivVerdict::EqualReal);
    EXPECT_GT(result.fold_bound, 1e-9);
    EXPECT_LT(result.fold_bound, 6e-8);
  }
  EXPECT_EQ(compared(hard_swish(std::nullopt), hard_swish(static_cast<float>(1.0 / 6)), true).verdict, EquivVerdict::Open);
  EXPECT_EQ(compared(hard_swish(std::nullopt), hard_swish(0.1666)).verdict, EquivVerdict::Different);
}

// Two draws are not one: equal forms of what draws numbers are not equal.
Graph dropped() {
  ModelText m;
  NodeId x = m.input("x", {Term(2)});
  NodeId training = m.graph.add_input("training", Type::tensor(DType::Bool, Extents{}));
  NodeId ratio = m.values({}, {0.5});
  return m.with_output(m.call("Dropout", {x, ratio, training}));
}

TEST(Equiv, what_draws_random_numbers_is_never_equal) { EXPECT_EQ(compared(dropped(), dropped()).verdict, EquivVerdict::Open); }

TEST(Equiv, interfaces_that_do_not_match_are_told) {
  ModelText m;
  NodeId x = m.input("x", {Term(2), Term(3)});
  EquivResult result = compared(sum_of_relu(false), m.with_output(m.call("Relu", {x})));
  EXPECT_EQ(result.verdict, EquivVerdict::Mismatched);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].what, "input 'z'");
}

Graph zero_added(double zero) {
  ModelText m;
  NodeId x = m.input("x", {Term(2)});
  return m.with_output(m.call("Div", {m.values({}, {1}), m.call("Add", {m.call("Mul", {x, x}), m.values({}, {zero})})}));
}

TEST(Equiv, the_two_zeros_are_not_one_constant_bit_for_bit) {
  EXPECT_NE(compared(zero_added(0.0), zero_added(-0.0)).verdict, EquivVerdict::EqualExact);
}

// The output of the square is the same; what is squared is not.
Graph squared(bool swapped) {
  ModelText m;
  NodeId x = m.input("x", {Term(3)});
  NodeId y = m.input("z", {Term(3)});
  NodeId difference = swapped ? m.call("Sub", {y, x}) : m.call("Sub", {x, y});
  return m.with_output(m.call("Mul", {difference, difference}));
}

TEST(Equiv, a_square_hides_the_order_of_a_difference) {
  EXPECT_EQ(compared(squared(false), squared(true)).verdict, EquivVerdict::EqualReal);
}

Graph batch_of(Term batch, bool fixed) {
  ModelText m;
  NodeId x = m.input("x", {batch, Term(6)});
  NodeId shape = m.ints(fixed ? std::vector<std::int64_t>{1, 2, 3} : std::vector<std::int64_t>{-1, 2, 3});
  return m.with_output(m.call("Reshape", {x, shape}));
}

TEST(Equiv, a_size_that_one_model_fixes_is_no_equality_for_all_sizes) {
  EXPECT_EQ(compared(batch_of(Term(1), false), batch_of(Term(1), true)).verdict, EquivVerdict::EqualExact);
  EquivResult result = compared(batch_of(int_var("n"), false), batch_of(int_var("n"), true));
  EXPECT_TRUE(result.verdict == EquivVerdict::Different || result.verdict == EquivVerdict::Mismatched);
}

// A matrix [first, second], in the shape [rows, columns] by an attribute; by that of a branch, too.
Graph reshaped(const char* first, const char* second, const char* rows, const char* columns) {
  ModelText m;
  NodeId x = m.input("x", {int_var(first), int_var(second)});
  AttrTuple shape{AttrValue(int_var(rows)), AttrValue(int_var(columns))};
  return m.with_output(m.call("reshape", {x}, {{Symbol("shape"), AttrValue(shape)}}));
}

Graph branched(const char* first, const char* second, const char* rows, const char* columns) {
  ModelText m;
  NodeId x = m.input("x", {int_var(first), int_var(second)});
  NodeId chosen = m.input("c", {}, DType::Bool);
  auto branch = std::make_shared<const Graph>(reshaped(first, second, rows, columns));
  NodeId captured = m.graph.add_tuple(std::span(&x, 1));
  NodeId both =
      m.call("If", {chosen, captured}, {{Symbol("then_branch"), AttrValue(branch)}, {Symbol("else_branch"), AttrValue(branch)}});
  return m.with_output(m.graph.add_projection(both, 0));
}

// The second model calls the sizes the other way round: [m, n] is no reshape there, and one to [n, m] in the first.
TEST(Equiv, sizes_in_attributes_are_those_of_their_model) {
  for (auto made : {reshaped, branched}) {
    Graph turned = made("n", "m", "m", "n");
    EXPECT_EQ(compared(turned, made("m", "n", "n", "m")).verdict, EquivVerdict::EqualExact);
    EquivVerdict kept = compared(turned, made("m", "n", "m", "n")).verdict;
    EXPECT_TRUE(kept != EquivVerdict::EqualExact && kept != EquivVerdict::EqualReal);
  }
}

}  // namespace
}  // namespace vouch
