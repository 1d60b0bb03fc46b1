// Where two models part that differ.
#pragma once

#include "equiv/candidates.h"
#include "equiv/equiv.h"
#include "equiv/sweep.h"

namespace vouch {

// Sets `first_differing` and `first_differing_name` of a result whose models were told apart.
void locate_difference(EquivResult& result, const Candidates& candidates, const Sweep& sweep);

}  // namespace vouch
