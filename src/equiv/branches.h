// Conditionals whose condition is known before any input is.
#pragma once

#include "graph/graph.h"

namespace vouch {

// Each If whose condition is computed from constants (or from sizes that are numbers) is the branch that is taken.
void take_known_branches(Graph& graph);

}  // namespace vouch
