// Congruent terms, and beside each a neighbour that differs somewhere: it must not be called congruent.
#include "algebra/congruence.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

class CongruenceTest : public testing::Test {
 protected:
  static Term at(const char* tensor, std::vector<Term> indices) { return read(Symbol(tensor), std::move(indices)); }
  static Term total(const std::vector<BoundIndex>& over, Term guard, Term body) {
    return reduce(Reduction::Sum, over, guard, body);
  }

  bool congruent(Term a, Term b, bool settle = true) {
    Facts box{le(0, i), lt(i, n), ge(n, 1), ge(m, 1)};
    Arithmetic arithmetic(box);
    FormBuilder forms(Algebra::Exact, {});
    Equality equality(forms, arithmetic);
    Congruence congruence(equality, arithmetic);
    return settle ? congruence.congruent(congruence.settled(a, box), congruence.settled(b, box), {})
                  : congruence.congruent(a, b, {});
  }

  Term i = int_var("i"), n = int_var("n"), m = int_var("m");
  Symbol k{"k"}, l{"l"};
  Term kk = int_var("k"), ll = int_var("l");
};

TEST_F(CongruenceTest, IndicesAreEqualByTheFacts) {
  EXPECT_TRUE(congruent(at("x", {int_min(i, n - 1)}), at("x", {i})));
  EXPECT_FALSE(congruent(at("x", {int_min(i, n - 2)}), at("x", {i})));
  EXPECT_FALSE(congruent(at("x", {i}), at("y", {i})));
  EXPECT_TRUE(congruent(at("x", {floor_div(m * n + i, n)}), at("x", {m})));
  EXPECT_FALSE(congruent(at("x", {floor_div(m * n + i + 1, n)}), at("x", {m})));  // i = n - 1
}

TEST_F(CongruenceTest, OperationsAreTheSameInTheirOrder) {
  Term x = at("x", {i});
  Term y = at("y", {i});
  Term z = at("z", {i});
  EXPECT_TRUE(congruent(x + y, y + x));
  EXPECT_TRUE(congruent((x + y) * z, z * (y + x)));
  EXPECT_FALSE(congruent((x + y) + z, x + (y + z)));
  EXPECT_FALSE(congruent(x - y, y - x));
  EXPECT_FALSE(congruent(x / y, y / x));
  EXPECT_FALSE(congruent(call(Fn::Exp, {x}), call(Fn::Log, {x})));
  EXPECT_FALSE(congruent(call(Fn::Pow, {x, y}), call(Fn::Pow, {y, x})));
}

TEST_F(CongruenceTest, ChoicesOfIntegersGoAsTheFactsSay) {
  Term x = at("x", {i});
  Term y = at("y", {i});
  EXPECT_TRUE(congruent(select(lt(i, n), x, y), x));
  EXPECT_FALSE(congruent(select(lt(i, n - 1), x, y), x));
  // Two halves of one tensor, whichever way they are told apart.
  EXPECT_TRUE(congruent(select(lt(i, m), x, at("x", {int_max(i, m)})), x));
  EXPECT_FALSE(congruent(select(lt(i, m), x, at("x", {int_max(i, m) + 1})), x));
}

// The other side would be undefined where the index is out of range: data is not split on.
TEST_F(CongruenceTest, ChoicesOfDataStay) {
  Term x = at("x", {i});
  Term same = at("x", {int_min(i, n)});
  EXPECT_TRUE(congruent(x, select(lt(m + i, n), x, same), false));
  EXPECT_FALSE(congruent(x, select(lt(int_of(at("p", {i + n})), m), x, same), false));
  EXPECT_TRUE(congruent(select(real_lt(x, at("y", {i})), x, at("y", {i})),
                        select(real_lt(x, at("y", {int_min(i, n)})), x, at("y", {i}))));
  EXPECT_FALSE(congruent(select(real_lt(x, at("y", {i})), x, at("y", {i})), select(real_le(x, at("y", {i})), x, at("y", {i}))));
}

TEST_F(CongruenceTest, SumsAreOverTheSamePointsInTheSameOrder) {
  Term body = at("x", {i, kk}) * at("w", {kk});
  Term other = at("x", {i, ll}) * at("w", {int_min(ll, m - 1)});
  EXPECT_TRUE(congruent(total({{k, m}}, bool_const(true), body), total({{l, m}}, bool_const(true), other)));
  EXPECT_FALSE(congruent(total({{k, m}}, bool_const(true), body), total({{l, m + 1}}, bool_const(true), other)));
  EXPECT_FALSE(congruent(total({{k, m}}, bool_const(true), body), reduce(Reduction::Product, {{l, m}}, bool_const(true), other)));
  Term two = at("x", {kk, ll});
  EXPECT_FALSE(congruent(total({{k, m}, {l, n}}, bool_const(true), two), total({{l, n}, {k, m}}, bool_const(true), two)));
  EXPECT_TRUE(congruent(total({{k, m}}, le(kk, i), body), total({{l, m}}, lt(ll, i + 1), other)));
  EXPECT_FALSE(congruent(total({{k, m}}, le(kk, i), body), total({{l, m}}, lt(ll, i), other)));
}

// Settling looks through what is free of bound indices only.
TEST_F(CongruenceTest, BoundIndicesAreNotSettled) {
  Term within = total({{k, n}}, bool_const(true), at("x", {int_min(kk, n - 1)}));
  EXPECT_TRUE(congruent(within, total({{k, n}}, bool_const(true), at("x", {kk}))));
  Term shadow = total({{Symbol("i"), n + 1}}, bool_const(true), at("x", {int_min(i, n - 1)}));
  EXPECT_FALSE(congruent(shadow, total({{Symbol("i"), n + 1}}, bool_const(true), at("x", {i}))));
}

// The first of those of a merged axis p = m * k + l that fit a bound: where they are, by both names of the place.
class MergedAxes : public CongruenceTest {
 protected:
  static Term first(const std::vector<BoundIndex>& over, Term guard, Term place, Reduction which = Reduction::Min) {
    return reduce(which, over, guard, real_of(place));
  }
  static Term fits(Term element) { return real_le(at("bound", {}), element); }

  bool same(Term a, Term b, const Facts& sizes) {
    Arithmetic arithmetic(sizes);
    FormBuilder forms(Algebra::Exact, {});
    Equality equality(forms, arithmetic);
    Congruence congruence(equality, arithmetic);
    return congruence.congruent_by_axes(congruence.settled(a, sizes), congruence.settled(b, sizes), sizes);
  }
  bool same(Term a, Term b) { return same(a, b, {ge(n, 1), ge(m, 1)}); }

  Term p = int_var("p");
  Term at_p = at("x", {floor_div(p, m), floor_mod(p, m)});
  Term merged = first({{Symbol("p"), n* m}}, fits(at_p), p);
};

TEST_F(MergedAxes, AreTheAxesApart) {
  EXPECT_TRUE(same(merged, first({{k, n}, {l, m}}, fits(at("x", {kk, ll})), m * kk + ll)));
  EXPECT_TRUE(same(first({{k, n}, {l, m}}, fits(at("x", {kk, ll})), m * kk + ll), merged));
  // What the guard looks at may go over the merged axis itself.
  auto largest = [&](const std::vector<BoundIndex>& over, Term element) {
    return reduce(Reduction::Max, over, bool_const(true), element);
  };
  Term q = int_var("q");
  Term of_merged = largest({{Symbol("q"), n * m}}, at("x", {floor_div(q, m), floor_mod(q, m)}));
  Term of_both = largest({{k, n}, {l, m}}, at("x", {kk, ll}));
  EXPECT_TRUE(same(first({{Symbol("p"), n * m}}, real_eq(at_p, of_merged), p),
                   first({{k, n}, {l, m}}, real_eq(at("x", {kk, ll}), of_both), m * kk + ll)));
  EXPECT_FALSE(
      same(first({{Symbol("p"), n * m}}, real_eq(at_p, of_merged), p),
           first({{k, n}, {l, m}}, real_eq(at("x", {kk, ll}), largest({{k, m}, {l, n}}, at("x", {ll, kk}))), m * kk + ll)));
}

TEST_F(MergedAxes, NothingElseIs) {
  const std::vector<BoundIndex> both{{k, n}, {l, m}};
  Term there = fits(at("x", {kk, ll}));
  EXPECT_FALSE(same(merged, first(both, there, m * kk + ll, Reduction::Max)));  // the last one
  EXPECT_FALSE(same(merged, first(both, there, n * ll + kk)));                  // by columns
  EXPECT_FALSE(same(merged, first(both, there, m * kk + ll + 1)));
  EXPECT_FALSE(same(merged, first(both, fits(at("x", {ll, kk})), m * kk + ll)));          // transposed
  EXPECT_FALSE(same(merged, first(both, fits(at("x", {kk, m - 1 - ll})), m * kk + ll)));  // from the other end
  EXPECT_FALSE(same(merged, first(both, fits(at("y", {kk, ll})), m * kk + ll)));
  EXPECT_FALSE(same(merged, first(both, real_lt(at("bound", {}), at("x", {kk, ll})), m * kk + ll)));  // beyond the bound
  EXPECT_FALSE(same(merged, first(both, negate(there), m * kk + ll)));
  EXPECT_FALSE(same(merged, first({{k, n + 1}, {l, m}}, there, m * kk + ll)));
  EXPECT_FALSE(same(merged, first({{k, n}, {l, m - 1}}, there, m * kk + ll)));
  EXPECT_FALSE(same(merged, first({{k, m}, {l, n}}, there, m * kk + ll)));
}

TEST_F(MergedAxes, AreWholeAndOfSizesThatDivide) {
  Term apart = first({{k, n}, {l, m}}, fits(at("x", {kk, ll})), m * kk + ll);
  EXPECT_FALSE(same(merged, apart, {ge(n, 1)}));  // m may be 0, or less
  EXPECT_FALSE(same(merged, apart, {ge(n, 1), ge(m, 0)}));
  EXPECT_TRUE(same(merged, apart, {ge(n, 0), ge(m, 1)}));  // nothing on both sides
  EXPECT_FALSE(same(first({{Symbol("p"), n * m - 1}}, fits(at_p), p), apart));
  EXPECT_FALSE(same(first({{Symbol("p"), n * m + 1}}, fits(at_p), p), apart));
  EXPECT_FALSE(same(first({{Symbol("p"), n}}, fits(at_p), p), apart));
}

// The sum of two numbers may be another one from the other end, bit by bit.
TEST_F(MergedAxes, OfSumsStayMerged) {
  Term over_both = total({{k, n}, {l, m}}, fits(at("x", {kk, ll})), at("x", {kk, ll}));
  EXPECT_FALSE(same(total({{Symbol("p"), n * m}}, fits(at_p), at_p), over_both));
}

}  // namespace
}  // namespace vouch
