// Reductions that differ in the names of their indices become one; what is free stays free, whatever it is called.
#include <gtest/gtest.h>

#include <algorithm>

#include "algebra/normal_form.h"

namespace vouch {
namespace {

NormalForm largest(FormBuilder& forms, const char* index, const char* row) {
  BoundIndex bound{Symbol(index), int_var("n")};
  return forms.of(reduce(Reduction::Max, {bound}, bool_const(true), read(Symbol("x"), {int_var(index), int_var(row)})));
}

TEST(NamedAlike, OneReductionHasOneName) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm one = largest(forms, "k", "i");
  NormalForm other = largest(forms, "m", "i");
  NormalForm difference = forms.sum(forms.named_alike(one), forms.scaled(-1, forms.named_alike(other)));
  EXPECT_TRUE(difference.empty()) << forms.text(difference);
}

TEST(NamedAlike, AnotherRowIsAnother) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm one = forms.named_alike(largest(forms, "k", "i"));
  NormalForm other = forms.named_alike(largest(forms, "k", "j"));
  EXPECT_FALSE(forms.sum(one, forms.scaled(-1, other)).empty());
}

TEST(NamedAlike, NothingFreeIsCaptured) {
  FormBuilder forms(Algebra::Real, {});
  NormalForm plain = forms.named_alike(largest(forms, "k", "i"));
  const Symbol given = plain[0].factors[0].atom->bound[0];
  NormalForm form = forms.named_alike(largest(forms, "k", given.name().c_str()));
  std::vector<Symbol> free = free_symbols(form);
  EXPECT_NE(std::find(free.begin(), free.end(), given), free.end()) << forms.text(form);
}

}  // namespace
}  // namespace vouch
