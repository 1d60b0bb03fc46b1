// Ranges of whole numbers, on bounds worked out by hand.
#include "instance/ranges.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

// Of tensors called after their types.
Ranges typed() {
  return Ranges([](Term term) { return term.kind() == TermKind::Read ? parse_dtype(term->symbol.name()) : std::nullopt; });
}

void expect_range(Term term, std::int64_t low, std::int64_t high) {
  auto range = typed().of(term);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, Rational(low));
  EXPECT_EQ(range->high, Rational(high));
}

Term element(const char* dtype) { return read(Symbol(dtype), {int_var("i")}); }
Term number(std::int64_t value) { return real_const(Rational(value)); }
Term sum(Term body, Term extent) { return reduce(Reduction::Sum, {{Symbol("i"), extent}}, bool_const(true), body); }

TEST(Ranges, OfTypes) {
  expect_range(element("int8"), -128, 127);
  expect_range(element("uint8"), 0, 255);
  expect_range(element("uint16"), 0, 65535);
  expect_range(element("bool"), 0, 1);
  EXPECT_EQ(range_of(DType::Int64).low, -(Rational(Integer(1) << 63U)));
  EXPECT_EQ(range_of(DType::UInt64).high, Rational(Integer(1) << 64U) - 1);
  EXPECT_FALSE(typed().of(element("float32")));
  EXPECT_FALSE(typed().of(read(Symbol("of no type"), {})));
}

TEST(Ranges, OfSumsProductsAndChoices) {
  Term a = element("int8");
  Term b = element("uint8");
  expect_range(a - b, -383, 127);
  expect_range(a * b, -32640, 32385);
  expect_range(a * a, -16256, 16384);  // no law of squares: of any two
  expect_range(-a, -127, 128);
  expect_range(call(Fn::Max, {a, number(0)}), 0, 127);
  expect_range(call(Fn::Min, {b, number(6)}), 0, 6);
  expect_range(select(le(int_var("i"), 3), a, b), -128, 255);
  EXPECT_FALSE(typed().of(a / b));
  EXPECT_FALSE(typed().of(a + element("float32")));
}

TEST(Ranges, OfSumsOverIndices) {
  Term product = element("int8") * element("int8");
  expect_range(sum(product, 3), -48768, 49152);
  expect_range(sum(number(5), 4), 0, 20);  // a guard may leave each of them out
  expect_range(sum(product, 0), 0, 0);
  EXPECT_FALSE(typed().of(sum(product, int_var("n"))));
}

}  // namespace
}  // namespace vouch
