// Conditions on scalars.
#pragma once

#include "term/term.h"

namespace vouch {

// One scalar compared with another, itself and not in a part: what is false where either is NaN.
inline bool compares_scalars(Term guard) {
  return guard.kind() == TermKind::RealLt || guard.kind() == TermKind::RealLe || guard.kind() == TermKind::RealEq;
}

}  // namespace vouch
