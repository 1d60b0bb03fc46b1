// What a summand was simplified to is remembered: with where it stood, since elsewhere it becomes something else.
#include <gtest/gtest.h>

#include "algebra/equality.h"

namespace vouch {
namespace {

class SimplifiedTest : public testing::Test {
 protected:
  std::string simplified(Term term, const Context& context) { return forms.text(equality.simplified(forms.of(term), context)); }

  Term i = int_var("i"), j = int_var("j"), n = int_var("n");
  Term x = read(Symbol("x"), {int_var("i")});
  Arithmetic arithmetic{Facts{ge(int_var("n"), 1)}};
  FormBuilder forms{Algebra::Split, {}};
  Equality equality{forms, arithmetic};
};

TEST_F(SimplifiedTest, GuardsFallByTheFactsOfTheirPlace) {
  Term guarded = select(lt(i, n), x, real_const(0));
  for (int round = 0; round < 2; ++round) {
    std::string open = simplified(guarded, {});
    EXPECT_EQ(simplified(guarded, {{lt(i, n)}, {}}), forms.text(forms.of(x)));
    EXPECT_EQ(simplified(guarded, {{le(n, i)}, {}}), forms.text(NormalForm{}));
    EXPECT_NE(open, forms.text(forms.of(x)));
    EXPECT_NE(open, forms.text(NormalForm{}));
  }
}

// Nested in a function, where the context has grown by guards outside.
TEST_F(SimplifiedTest, TermsInsideOfOthersToo) {
  Term inside = call(Fn::Exp, {select(lt(i, n), x, real_const(0))});
  Term plain = call(Fn::Exp, {x});
  std::string known = simplified(plain, {});
  std::string zero = simplified(call(Fn::Exp, {real_const(0)}), {});
  ASSERT_NE(known, zero);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(simplified(inside, {{lt(i, n)}, {}}), known);
    EXPECT_EQ(simplified(inside, {{le(n, i)}, {}}), zero);
  }
}

// The largest of two is the one that the signs name.
TEST_F(SimplifiedTest, ChoicesBySignsFallByTheSigns) {
  Term chosen = select(real_lt(real_const(0), x), x, real_const(0));
  auto positive = forms.split(real_lt(real_const(0), x), true);
  auto other = forms.split(real_lt(real_const(0), x), false);
  ASSERT_EQ(positive.size(), 1U);
  ASSERT_EQ(other.size(), 1U);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(simplified(chosen, Context{}.with(positive[0])), forms.text(forms.of(x)));
    EXPECT_EQ(simplified(chosen, Context{}.with(other[0])), forms.text(NormalForm{}));
  }
}

// Not by what is known of other names, nor scaled by what another summand had.
TEST_F(SimplifiedTest, SummandsAreToldApart) {
  Term guarded = select(lt(i, n), x, real_const(0));
  EXPECT_NE(simplified(guarded, {{lt(j, n)}, {}}), forms.text(forms.of(x)));
  EXPECT_EQ(simplified(real_const(2) * guarded, {{lt(i, n)}, {}}), forms.text(forms.of(real_const(2) * x)));
  EXPECT_EQ(simplified(real_const(3) * guarded, {{lt(i, n)}, {}}), forms.text(forms.of(real_const(3) * x)));
}

}  // namespace
}  // namespace vouch
