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

}  // namespace
}  // namespace vouch
