// What a model says of its sizes, in the names that the pair has for them.
#pragma once

#include "graph/graph.h"
#include "term/substitute.h"

namespace vouch {

Type with_sizes(Type type, const Substitution& sizes);
// Numbers of attributes and of lists, and in graphs among them types and attributes. Recursion follows the nesting, which import
// bounds. A graph that is ill-typed then stays as it is, and `typed` becomes false.
AttrDict with_sizes(AttrDict attributes, const Substitution& sizes, bool& typed);

}  // namespace vouch
