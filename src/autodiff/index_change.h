// The change of index of a gradient: from "for every iteration, add to element subscripts(iteration)" to "for every
// element z, sum over the iterations with subscripts(iteration) = z".
//
// The equations, with a quotient and a remainder variable for every `//` and `%`, are brought to column echelon form by
// unimodular column operations (Hermite normal form), so that the integer solutions are exactly: solved variables, under
// divisibility and consistency guards on z, and free variables. The iteration domain becomes bounds of the free variables
// by Fourier and Motzkin's elimination; every constraint stays a bound or a guard, so the change is a bijection between
// the iterations and the points (z, free) within bounds and guard.
#pragma once

#include "notation/tk_kernel.h"

namespace vouch {

struct IndexChange {
  std::vector<Symbol> variables;  // the iteration's variables
  std::vector<TkLoop> domain;     // their bounds, each over the ones before
  Term guard;                     // over the variables
  std::vector<Term> subscripts;   // of the occurrence, over the variables
};

struct ChangedIndices {
  std::unordered_map<Symbol, Term> solution;  // each variable in terms of z and the loops
  std::vector<TkLoop> loops;                  // the free variables
  Term guard;                                 // over z and the loops
  std::vector<Term> inverse;                  // each loop's variable in terms of the iteration's variables
};

// Variables of large range are solved for, so that the loops are short. `z` are the names of the target's indices and `extents`
// its shape, over `sizes`. Nothing if no iteration reads the target.
std::optional<ChangedIndices> change_indices(const IndexChange& change, const std::vector<Symbol>& z,
                                             const std::vector<Term>& shape, const SizeFacts& sizes);

}  // namespace vouch
