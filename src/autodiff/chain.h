// The chain rule on one summand's body.
#pragma once

#include <vector>

#include "notation/tk_kernel.h"
#include "support/diagnostic.h"
#include "term/term.h"

namespace vouch {

// Of an occurrence whose index is data: the position along that axis, which is the data's at one of them or at none.
struct ChosenPosition {
  TkLoop loop;
  std::size_t axis;
  Term is_chosen;
};

struct OccurrenceTerm {
  Term read;     // the occurrence
  Term guard;    // where the `select`s around it choose it
  Term partial;  // the derivative of the body by this occurrence, times the seed
  std::optional<ChosenPosition> position;
  bool by_ties = false;          // inside a max or min that does not take its first argument at ties
  bool divides_numbers = false;  // as `StableProduct` says
};

// What max and min are differentiated to where both arguments are equal: to the first, to the second, or to half of each. So
// max(x, 0) has at 0 the derivative 1, 0 or 1/2, and max(0, x) has 0, 1 or 1/2. That of abs at 0 is 0.
enum class Ties : std::uint8_t { First, Second, Half };

// One for each occurrence of `tensor`, from left to right; where max or min chooses another argument it is 0, whatever the
// factors are. `position` names the loops of occurrences whose index is data. A function without derivative here is refused by
// name.
std::optional<std::vector<OccurrenceTerm>> occurrences(const TkKernel& kernel, Term body, Symbol tensor, Term seed, Ties ties,
                                                       Symbol position, Diagnostics& diagnostics);

// Products and quotients without the ones and zeros that the chain rule leaves.
Term tidy_product(Term a, Term b);

}  // namespace vouch
