// The additive terms of an expression, told apart where they differ in their reduced indices.
#pragma once

#include <vector>

#include "term/term.h"

namespace vouch {

struct TkAddend {
  Term term;
  std::vector<Symbol> reduced;  // free variables that are not in `spatial`, in order
};

std::vector<TkAddend> split_addends(Term term, const std::vector<Symbol>& spatial);

}  // namespace vouch
