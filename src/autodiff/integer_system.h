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
// from the column of variable `origins[k]`, and is the product of `inverse[k]` with the variables.
struct IntegerSolution {
  std::vector<Term> offset;
  std::vector<std::vector<Integer>> directions;
  std::vector<std::size_t> origins;
  std::vector<std::vector<Integer>> inverse;
  Term guard;
};

// Of columns with the smallest coefficient the one of least `rank` becomes the pivot (so is solved for), the last of them.
IntegerSolution solve_equations(std::vector<Equation> equations, const std::vector<Integer>& rank);

}  // namespace vouch
