// One graph within another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// Adds a call with these operands (kNoNode: absent), or what stands for it; kNoNode if that cannot be.
using AddCall = std::function<NodeId(OpId op, const std::vector<NodeId>& operands, AttrDict attributes)>;

// Adds what the outputs of `from` need, calls by `add`; `inputs` are its inputs, nodes of `into`. Gives its outputs, or nothing
// if a call could not be added or the inputs are not as many. `named`: new nodes have the names that they
// have in `from`, as far as none has them.
std::optional<std::vector<NodeId>> copy_graph(Graph& into, const Graph& from, const std::vector<NodeId>& inputs,
                                              const AddCall& add, bool named = false);

}  // namespace vouch
