// Conditions on indices, tried at every point: where the solver gives up and the sizes are numbers.
#pragma once

#include "facts/lemmas.h"
#include "notation/tk_interval.h"

namespace vouch {

// Does the goal hold at every point of the box at which all facts hold? False, too, if a variable of the goal has no range of
// numbers, or if there are too many points.
bool holds_at_every_point(const Facts& facts, Term goal, const Box& box);

}  // namespace vouch
