// Both sides of an instance at an assignment, as two concrete graphs over the same inputs: what a counterexample is made
// of, and what is written out to be run again.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"
#include "refute/assignment.h"

namespace vouch {

struct ConcreteSides {
  Graph source;
  // Nothing: the target is ill-typed at this assignment, and `error` says why.
  std::optional<Graph> target;
  bool types_differ = false;  // both are legal and give results of different types, as `error` says
  std::string error;
};

// Nothing if the source is not legal after all, or if something has no concrete form: a constant that no element of its
// type equals (then rounding would take part), a size beyond `most_elements`; `why` says which.
std::optional<ConcreteSides> concrete_sides(const Instance& instance, const Assignment& assignment, std::int64_t most_elements,
                                            std::string& why);

}  // namespace vouch
