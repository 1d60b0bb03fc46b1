// What a substitution, or another map of integer terms, does not change is the same form, and nothing is put together for it;
// what it does change is the form of the term in which the same was substituted.
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra/normal_form.h"

namespace vouch {
namespace {

Term at(const char* tensor, const char* index) { return read(Symbol(tensor), {int_var(index)}); }

Term exp_of_sum() { return call(Fn::Exp, {at("x", "i") + at("y", "i") * at("z", "i")}); }

Term largest(const char* index, Term body) {
  return reduce(Reduction::Max, {BoundIndex{Symbol(index), int_var("n")}}, bool_const(true), body);
}

const Substitution kOther{{Symbol("j"), int_var("m")}};

TEST(Unchanged, WhatASubstitutionDoesNotReachIsNotBuiltAgain) {
  FormBuilder forms(Algebra::Real, {});
  AtomRef atom = forms.of(exp_of_sum())[0].factors[0].atom;
  forms.limit(0);
  EXPECT_EQ(forms.substituted(atom, kOther), atom);
}

TEST(Unchanged, WhatAMapLeavesIsNotBuiltAgain) {
  FormBuilder forms(Algebra::Real, {});
  AtomRef atom = forms.of(exp_of_sum())[0].factors[0].atom;
  forms.limit(0);
  EXPECT_EQ(forms.mapped(atom, [](Term t) { return t; }), atom);
}

TEST(Unchanged, TheFirstPowerIsTheForm) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm form = forms.of(exp_of_sum());
  NormalForm power = forms.power(form, 1);
  ASSERT_EQ(power.size(), 1U);
  EXPECT_EQ(power[0].factors, form[0].factors);
}

// (In the exact algebra either order of two operands is right, and their atoms' ages decide which it is.)
TEST(Unchanged, WhatChangesIsTheFormOfTheChangedTerm) {
  const Substitution by{{Symbol("i"), int_var("j") + 1}};
  for (Term term : {exp_of_sum(), at("x", "i") * at("y", "k"), call(Fn::Sqrt, {at("x", "i")}) * call(Fn::Sqrt, {at("x", "j")}),
                    real_of(int_var("i")) * at("x", "k"), largest("k", read(Symbol("x"), {int_var("k"), int_var("i")})),
                    select(le(int_var("i"), int_var("k")), at("x", "i"), at("y", "k"))}) {
    FormBuilder forms(Algebra::Real, {});
    NormalForm mapped = forms.named_alike(forms.substituted(forms.of(term), by));
    NormalForm other = forms.named_alike(forms.of(substitute(term, by)));
    EXPECT_TRUE(forms.sum(mapped, forms.scaled(-1, other)).empty()) << forms.text(mapped) << " and " << forms.text(other);
  }
}

// Two roots of the same become what is under them only where both are there.
TEST(Unchanged, FactorsThatBecomeOneAreMultiplied) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm product = forms.of(call(Fn::Sqrt, {at("x", "i")}) * call(Fn::Sqrt, {at("x", "j")}));
  NormalForm square = forms.substituted(product, {{Symbol("i"), int_var("j")}});
  EXPECT_TRUE(forms.sum(square, forms.scaled(-1, forms.of(at("x", "j")))).empty()) << forms.text(square);
}

TEST(Unchanged, NothingBroughtInIsCaptured) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm form = forms.of(call(Fn::Exp, {largest("k", read(Symbol("x"), {int_var("k"), int_var("i")}))}));
  const Symbol bound = form[0].factors[0].atom->args[0][0].factors[0].atom->bound[0];
  NormalForm now = forms.substituted(form, {{Symbol("i"), int_var(bound)}});
  std::vector<Symbol> free = free_symbols(now);
  EXPECT_NE(std::find(free.begin(), free.end(), bound), free.end()) << forms.text(now);
}

// What is bound is not what is replaced, though it has the same name.
TEST(Unchanged, WhatIsBoundIsNotReplaced) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm form = forms.of(largest("k", at("x", "k")));
  const Symbol bound = form[0].factors[0].atom->bound[0];
  NormalForm now = forms.substituted(form, {{bound, int_var("m")}});
  std::vector<Symbol> free = free_symbols(now);
  EXPECT_EQ(std::find(free.begin(), free.end(), Symbol("m")), free.end()) << forms.text(now);
}

}  // namespace
}  // namespace vouch
