// Rewriting: building a rule's target over a match (the mapping semantics PE-* of the thesis, figure pat_map) and putting it
// in the place of the matched outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/match.h"

namespace vouch {

struct Application {
  std::vector<NodeId> results;    // per matched output, what stands there now
  std::vector<NodeId> new_nodes;  // in order of creation
};

struct ApplyOptions {
  bool memoise = true;  // remember closed attribute expressions by identity (section 4.5)
};

// Changes the graph, or leaves it as it was and says why in `error`: an attribute without value, an ill-typed call, a result
// whose type differs from that of the output it would replace.
std::optional<Application> apply_match(Graph& graph, const Rule& rule, const Match& match, const ApplyOptions& options,
                                       std::string& error);

}  // namespace vouch
