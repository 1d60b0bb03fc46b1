// The additive terms of an expression, told apart where they differ in their reduced indices: those that the reader finds in the
// text that a term is printed as.
#pragma once

#include <vector>

#include "term/term.h"

namespace vouch {

struct TkAddend {
  Term term;
  std::vector<Symbol> reduced;  // the indices that it names and the left side does not
};

std::vector<TkAddend> split_addends(Term term, const std::vector<Symbol>& spatial);

}  // namespace vouch
