// Folds that are sums from 0, nested ones as one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/affine_terms.h"

namespace vouch {

bool is_zero(const array::Const& constant);
bool has_sum(const Affine& value);

// From 0, over the loops from outside in, where the condition holds; or why the fold is none.
struct AffineSum {
  std::vector<AffineIndex> loops;
  std::optional<AffineCondition> condition;
  Affine body;
  std::string refusal;
  std::string mend;
};
// Of a value of kind Sum.
AffineSum sum_from_zero(Affine fold);

}  // namespace vouch
