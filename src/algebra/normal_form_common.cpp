// Factors that all summands of a sum share, and what they are in its reciprocal and its logarithm.
#include <algorithm>
#include <cstdlib>

#include "algebra/normal_form.h"

namespace vouch {
namespace {

// The power of the factor that divides the summand, too: of one sign, the one nearest to 0; nothing where what is bound varies
// it.
std::optional<Factor> shared_with(const Factor& factor, const Summand& s) {
  for (const Factor& g : s.factors) {
    bool free = std::none_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(g.atom->symbols, b); });
    if (g.atom == factor.atom && free && (g.exponent > 0) == (factor.exponent > 0)) {
      return std::abs(factor.exponent) < std::abs(g.exponent) ? factor : g;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Factor> common_factors(const NormalForm& form) {
  std::vector<Factor> common = form.empty() ? std::vector<Factor>{} : form[0].factors;
  for (const Summand& s : form) {
    std::vector<Factor> kept;
    for (const Factor& f : common) {
      if (auto shared = shared_with(f, s)) {
        kept.push_back(*shared);
      }
    }
    common = std::move(kept);
  }
  return common;
}

NormalForm without_factors(const NormalForm& form, const std::vector<Factor>& common) {
  NormalForm rest = form;
  for (Summand& s : rest) {
    for (const Factor& f : common) {
      for (Factor& g : s.factors) {
        g.exponent -= g.atom == f.atom ? f.exponent : 0;
      }
    }
    std::erase_if(s.factors, [](const Factor& f) { return f.exponent == 0; });
  }
  return rest;
}

// A product's reciprocal is that of its factors; a guarded one keeps its guards (1/0 = 0). Choices with disjoint guards
// stay choices. Else the sum stays together, without the factors that all its summands share: 1/(s/a) is a/s for every a, 0
// included.
NormalForm FormBuilder::reciprocal(const NormalForm& form) {
  if (form.empty()) {
    return {};
  }
  if (form.size() == 1 && form[0].bound.empty()) {
    Summand s = form[0];
    s.coefficient = 1 / s.coefficient;
    for (Factor& f : s.factors) {
      f.exponent = -f.exponent;
    }
    return {s};
  }
  std::vector<Factor> common = common_factors(form);
  if (common.empty()) {
    return single(make_atom(AtomKind::Group, {}, {}, {form}), -1);
  }
  NormalForm rest = without_factors(form, common);
  for (Factor& f : common) {
    f.exponent = -f.exponent;
  }
  return product({make(1, {}, {}, common)}, reciprocal(rest));
}

}  // namespace vouch
