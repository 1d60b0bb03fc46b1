#include "array/typing.h"

#include <gtest/gtest.h>

#include "array/program.h"

namespace vouch::array {
namespace {

Size n() { return size_var(0); }
Size m() { return size_var(1); }
Size c(int value) { return size_const(value); }
Type vector(const Size& size) { return type_array(size, type_num()); }

TEST(Size, EquationsHoldForAllValues) {
  EXPECT_TRUE(same_size(size_mul(n(), size_add(m(), c(2))), size_add(size_mul(c(2), n()), size_mul(m(), n()))));
  EXPECT_FALSE(same_size(size_mul(n(), n()), n()));
  EXPECT_TRUE(size_at_most({}, n(), size_add(n(), m())));
  EXPECT_FALSE(size_at_most({}, n(), size_mul(n(), m())));  // m may be 0
  EXPECT_TRUE(size_at_most({{n(), m()}}, n(), m()));
  EXPECT_FALSE(size_at_most({{n(), m()}}, m(), n()));
}

TEST(Typing, PositionsAreBelowTheirBounds) {
  IndexContext context{{}, {n()}};
  Index i = index_var(0);
  auto plus = [](const Index& a, const Index& b) { return index_op(IndexKind::Add, a, b); };
  EXPECT_TRUE(index_below(context, i, n()));
  EXPECT_FALSE(index_below(context, plus(i, index_size(c(1))), n()));
  EXPECT_TRUE(index_below(context, plus(i, index_size(c(1))), size_add(n(), c(1))));
  EXPECT_TRUE(index_below(context, index_op(IndexKind::Sub, index_size(n()), plus(i, index_size(c(1)))), n()));
  EXPECT_FALSE(index_safe(context, index_op(IndexKind::Sub, i, index_size(c(1)))));
  EXPECT_TRUE(index_below(context, index_op(IndexKind::Mod, i, index_size(c(3))), c(3)));
  EXPECT_FALSE(index_safe(context, index_op(IndexKind::Div, i, i)));
  EXPECT_FALSE(index_safe(context, index_var(1)));
  // Inside a loop of n iterations n is at least 1, so that 0 is below it.
  EXPECT_TRUE(index_below(context, index_size(c(0)), n()));
  EXPECT_FALSE(index_below({}, index_size(c(0)), n()));
}

TEST(Typing, Layouts) {
  IndexContext none;
  Type matrix = type_array(n(), vector(m()));
  EXPECT_EQ(layout_result(none, layout(LayoutKind::Trans), matrix), type_array(m(), vector(n())));
  EXPECT_EQ(layout_result(none, layout(LayoutKind::Join, {m(), n()}), matrix), vector(size_mul(m(), n())));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Join, {n(), m()}), matrix));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Split, {c(2), n()}), vector(n())));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Trans), vector(n())));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Fst), vector(n())));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Zip), type_pair(vector(n()), vector(m()))));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Slice, {c(1), n()}), vector(n())));
  EXPECT_TRUE(
      layout_result(none, layout(LayoutKind::Slide, {n(), c(3), c(2), c(1)}), vector(size_add(size_mul(c(2), n()), c(1)))));
  EXPECT_FALSE(layout_result(none, layout(LayoutKind::Slide, {n(), c(3), c(2), c(1)}), vector(size_mul(c(2), n()))));
}

TEST(Typing, TermsWithWrongAnnotations) {
  Exp map = exp_map(LoopKind::Seq, n(), type_num(), type_num(), exp_var(0), exp_var(0));
  EXPECT_EQ(infer_type({}, {vector(n())}, map), vector(n()));
  EXPECT_FALSE(infer_type({}, {vector(m())}, map));
  EXPECT_FALSE(infer_type({}, {type_num()}, map));
  Exp wrong_result = exp_map(LoopKind::Seq, n(), type_num(), vector(n()), exp_var(0), exp_var(0));
  EXPECT_FALSE(infer_type({}, {vector(n())}, wrong_result));
  EXPECT_FALSE(infer_type({}, {}, exp_var(0)));
  EXPECT_FALSE(infer_type({}, {}, exp_op(Op::Add, exp_const(type_num(), {}))));
}

}  // namespace
}  // namespace vouch::array
