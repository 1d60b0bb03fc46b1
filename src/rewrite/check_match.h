// Is this a match? Each condition of the definition of graph substitution is looked at once, nothing is searched: what a
// trace says can be believed without believing the matcher.
#pragma once

#include <string>

#include "graph/graph.h"
#include "rewrite/match.h"

namespace vouch {

// False with `why`, in words, if it is none. Every node id of the match must be below `graph.id_limit()` or kNoNode.
// `match.inside` is found here.
bool is_match(const Graph& graph, const RulePlan& plan, Match& match, std::string& why);

}  // namespace vouch
