// Makes a counterexample small: sizes and attributes first, then elements.
#pragma once

#include <random>

#include "refute/trial.h"

namespace vouch {

// Replaces `found` by a smaller failing one of the same kind, until no single step helps or the budget is used up.
void shrink(const Instance& instance, AssignmentSearch& search, const RefuteOptions& options, std::mt19937& random, Found& found);

}  // namespace vouch
