// Conditions on scalars.
#pragma once

#include <algorithm>

#include "term/term.h"

namespace vouch {

// One scalar compared with another, itself and not in a part: what is false where either is NaN.
inline bool compares_scalars(Term guard) {
  return guard.kind() == TermKind::RealLt || guard.kind() == TermKind::RealLe || guard.kind() == TermKind::RealEq;
}

// The same, itself or in a part.
inline bool speaks_of_scalars(Term guard) {
  return compares_scalars(guard) ||
         (guard.sort() == Sort::Bool && std::any_of(guard.args().begin(), guard.args().end(), speaks_of_scalars));
}

}  // namespace vouch
