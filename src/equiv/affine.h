// A scalar term as a sum of products in which what depends on data stands apart from what depends on parameters alone:
//
//     sum(k) x[i, k] * (w[k, j] * s[j]) + (b[j] * s[j] + t[j])
//
// Two tensors whose data parts agree are equal over the reals where the parameter parts are, index by index; these are numbers.
// The laws used are those of a ring, and division by what does not depend on data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "term/term.h"

namespace vouch {

// A product of parameters, of one summand.
using Coefficient = Term;

// What several summands share: factors that depend on data, bound indices (named `%0`, `%1`, … as they appear) and the guard.
struct DataPart {
  std::vector<Term> factors;
  std::vector<Term> extents;  // of the bound indices
  Term guard;
  friend bool operator<(const DataPart& a, const DataPart& b);
};

using AffineForm = std::map<DataPart, std::vector<Coefficient>>;

// Where the conditions of a summand stand: in its data part, but for those on what its coefficient depends on anyway (which
// branch of a Concat an index is in); or all in the coefficient, which is 0 where they fail.
enum class GuardsOf : std::uint8_t { Data, Coefficients };

// Nothing if there are more summands than is reasonable. `is_data`: whether a tensor's elements are not known.
std::optional<AffineForm> affine_form(Term scalar, const std::function<bool(Symbol)>& is_data, GuardsOf guards);

}  // namespace vouch
