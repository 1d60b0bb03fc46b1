// Integer solutions of linear equations whose right sides are integer terms.
#pragma once

#include <vector>

#include "term/term.h"

namespace vouch {

struct Equation {
  std::vector<Integer> coefficients;  // one per variable
  Term right;
};

// variables = offset + sum over k of directions[k] * t_k for all integers t_k, exactly when `guard` holds; each t_k comes
// from the column of variable `origins[k]`.
struct IntegerSolution {
  std::vector<Term> offset;
  std::vector<std::vector<Integer>> directions;
  std::vector<std::size_t> origins;
  Term guard;
};

// Columns are preferred as pivots from the last to the first.
IntegerSolution solve_equations(std::vector<Equation> equations, std::size_t variables);

}  // namespace vouch
