// One region as the items of a rule.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "equiv/equiv.h"

namespace vouch {

struct RegionText {
  std::string items;  // lines of `let`, `source`, `where`, `target` and `drop`
  std::string why;    // not empty: it has no such form
};

// Where each side is read; both may be one graph. A cut that both have is of the source's graph.
struct RegionGraphs {
  const Graph& source;
  const Graph& target;
  std::set<Symbol> sizes = {};  // of the models' inputs that are open: at least 1
};

// What the region gives, in the source's graph and in the target's.
struct RegionOutput {
  NodeId source;
  NodeId target;
};

// `values`: the elements of each cut's tensor; null where they are not known.
RegionText region_text(const RegionGraphs& graphs, const std::vector<RegionOutput>& outputs, const std::vector<RegionCut>& cuts,
                       const std::vector<const Tensor*>& values);

}  // namespace vouch
