#include "term/substitute.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

const Symbol x("x"), y("y"), k("k"), k1("k_1"), n("n"), t("t"), u("u");

Term sum(Symbol index, Term extent, Term body) { return reduce(Reduction::Sum, {{index, extent}}, bool_const(true), body); }

TEST(Substitute, NormalisesAgain) {
  Term e = floor_div(int_var(x) + 1, int_var(n));
  EXPECT_EQ(substitute(e, {{x, int_const(5)}, {n, int_const(4)}}), Term(1));
  EXPECT_EQ(substitute(le(int_var(x), 3), x, 4), bool_const(false));
}

TEST(Substitute, IsSimultaneous) {
  Term e = int_var(x) - int_var(y);
  EXPECT_EQ(substitute(e, {{x, int_var(y)}, {y, int_var(x)}}), int_var(y) - int_var(x));
}

TEST(Substitute, LeavesUntouchedTermsAlone) {
  Term e = sum(k, int_var(n), read(t, {int_var(k)}));
  EXPECT_EQ(substitute(e, k, 3), e);
  EXPECT_EQ(substitute(e, x, int_var(k)), e);
}

TEST(Substitute, BoundIndexShadowsButNotInItsExtent) {
  Term e = sum(k, int_var(k), read(t, {int_var(k)}));
  EXPECT_EQ(substitute(e, k, 7), sum(k, 7, read(t, {int_var(k)})));
}

TEST(Substitute, BoundIndexShadowsNextToVariablesThatAreReplaced) {
  Term e = sum(k, int_var(n), read(t, {int_var(k), int_var(x)}));
  EXPECT_EQ(substitute(e, {{k, int_const(7)}, {x, int_const(2)}}), sum(k, int_var(n), read(t, {int_var(k), 2})));
}

TEST(Substitute, AvoidsCapture) {
  Term e = sum(k, int_var(n), read(t, {int_var(k) + int_var(x)}));
  EXPECT_EQ(substitute(e, x, int_var(k)), sum(k1, int_var(n), read(t, {int_var(k1) + int_var(k)})));
}

TEST(Substitute, FreshNameIsFreeInTheBodyToo) {
  Term e = sum(k, int_var(n), read(t, {int_var(k) + int_var(x) + int_var(k1)}));
  Symbol k2("k_2");
  EXPECT_EQ(substitute(e, x, int_var(k)), sum(k2, int_var(n), read(t, {int_var(k2) + int_var(k) + int_var(k1)})));
}

TEST(Substitute, ScalarVariables) {
  Term e = real_var(x) * real_var(y);
  EXPECT_EQ(substitute(e, {{x, read(t, {})}, {y, int_var(n)}}), read(t, {}) * real_of(int_var(n)));
}

TEST(Substitute, DivisorThatBecomesZeroStaysInTheTerm) {
  Term e = floor_mod(int_var(x), int_var(n));
  EXPECT_EQ(substitute(e, n, 0).kind(), TermKind::FloorMod);
}

TEST(Substitute, SharedTermsAreVisitedOnce) {
  Term e = real_var(x);
  for (int i = 0; i < 200; ++i) {  // 2^200 as a tree
    e = e + e;
  }
  Term expected = real_var(y);
  for (int i = 0; i < 200; ++i) {
    expected = expected + expected;
  }
  EXPECT_EQ(substitute(e, x, real_var(y)), expected);
}

TEST(ReplaceReads, InlinesInside) {
  Term e = read(t, {int_of(read(t, {int_var(x)}))});
  Term inlined = replace_reads(e, [](Symbol, std::span<const Term> at) { return read(u, {at[0] + 1}); });
  EXPECT_EQ(inlined, read(u, {int_of(read(u, {int_var(x) + 1})) + 1}));
}

TEST(ReplaceReads, KeepsWhatIsNotReplaced) {
  Term e = sum(k, int_var(n), read(t, {int_var(k)}) * read(u, {int_var(k)}));
  EXPECT_EQ(replace_reads(e, [](Symbol, std::span<const Term>) { return std::nullopt; }), e);
}

TEST(ReplaceReads, OwnVariablesOfTheReplacementAreNotCaptured) {
  // t[i] := u[i, k] with k a size: the sum's k must step aside.
  Term e = sum(k, int_var(n), read(t, {int_var(k)}));
  Term inlined = replace_reads(e, [](Symbol, std::span<const Term> at) { return read(u, {at[0], int_var(k)}); });
  EXPECT_EQ(inlined, sum(k1, int_var(n), read(u, {int_var(k1), int_var(k)})));
}

TEST(ReplaceReads, NestedReductions) {
  Term inner = sum(k, int_var(x), read(t, {int_var(k), int_var(x)}));
  Term e = reduce(Reduction::Max, {{x, int_var(n)}}, le(int_var(x), 3), inner);
  Term inlined = replace_reads(e, [](Symbol, std::span<const Term> at) { return read(u, {at[1], at[0]}); });
  EXPECT_EQ(inlined,
            reduce(Reduction::Max, {{x, int_var(n)}}, le(int_var(x), 3), sum(k, int_var(x), read(u, {int_var(x), int_var(k)}))));
}

TEST(FreshenBound, RenamesRefusedNamesAlone) {
  Term inner = sum(k, int_var(x), read(t, {int_var(k), int_var(x)}));
  Term e = sum(x, int_var(n), inner);
  Term fresh = freshen_bound(e, [](Symbol s) { return s == k; });
  EXPECT_EQ(fresh, sum(x, int_var(n), sum(k1, int_var(x), read(t, {int_var(k1), int_var(x)}))));
  EXPECT_EQ(freshen_bound(e, [](Symbol) { return false; }), e);
}

}  // namespace
}  // namespace vouch
