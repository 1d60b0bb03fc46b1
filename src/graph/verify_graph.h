// Checks what every graph must be; for tests, and for whoever doubts a transformation.
#pragma once

#include <string>

#include "graph/graph.h"

namespace vouch {

// Empty if all holds, else the first thing that does not: uses agree with operands, graph outputs are live and counted,
// positions grow along edges (so there is no cycle), every type is what its node gives from its operands' types, and the
// number of live nodes is right. O(nodes + edges) and one typing for each call.
std::string verify_graph(const Graph& graph);

}  // namespace vouch
