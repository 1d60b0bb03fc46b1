// Adding a call that a file asks for: its form, its types, and that its results can be counted.
#pragma once

#include <span>
#include <string>

#include "graph/graph.h"

namespace vouch {

// kNoNode, reported at `place`, unless the call is as its operator is declared, well-typed, and each result has an element
// count within 64 bits as far as its sizes are known.
NodeId add_checked_call(Graph& graph, OpId op, std::span<const NodeId> operands, AttrDict attributes, const std::string& place,
                        Diagnostics& diagnostics);

}  // namespace vouch
