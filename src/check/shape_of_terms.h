// The arithmetic of scalar terms without their indices: a quick test whether two can be equal bit for bit.
#pragma once

#include "term/term.h"

namespace vouch {

// False: no choice of branches makes both the same arithmetic on the same tensors. True says nothing.
bool may_be_exact(Term a, Term b);

}  // namespace vouch
