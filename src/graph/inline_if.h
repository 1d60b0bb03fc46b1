// A conditional whose condition is known is the branch that is taken.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "graph/graph.h"

namespace vouch {

// Puts the calls of the branch in the place of each If whose condition is a constant, as far as the results have the types that
// the If has (branches of unlike sizes leave them open). Returns how many.
std::size_t inline_constant_ifs(Graph& graph);

// The same where `holds` says what the condition is, a node of the graph; nothing where it is not known.
std::size_t inline_ifs(Graph& graph, const std::function<std::optional<bool>(NodeId condition)>& holds);

}  // namespace vouch
