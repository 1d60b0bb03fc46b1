// Constants that are roots of small numbers, as their type rounds them, become these roots again: Sqrt(2) where a file holds
// 1.4142135. Folding undoes it bit for bit; in between rules that know the root for what it is may fire.
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace vouch {

// Returns how many constants of one element were replaced.
std::size_t unfold_roots(Graph& graph);

}  // namespace vouch
