// Graphs within calls (branches of If, bodies of loops) that are one text, in whichever model and however deep: one graph from
// here on, so that calls of them are congruent and what is found out of one is found out of all.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "graph/graph.h"

namespace vouch {

class SharedBodies {
 public:
  // The same attributes, each graph among them, and within it, replaced by the first that is the same text. Names of nodes and
  // outputs are no part of it; recursion follows the nesting, which import bounds.
  AttrDict shared(AttrDict attributes);

 private:
  using Body = std::shared_ptr<const Graph>;
  Body shared(const Body& body);

  std::unordered_map<const Graph*, Body> known_;
  std::unordered_map<std::string, Body> by_text_;
};

}  // namespace vouch
