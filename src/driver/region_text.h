// One region as the items of a rule.
#pragma once

#include <string>
#include <vector>

#include "equiv/equiv.h"

namespace vouch {

struct RegionText {
  std::string items;  // lines of `let`, `source`, `where`, `target` and `drop`
  std::string why;    // not empty: it has no such form
};

// `values`: the elements of each cut's tensor; null where they are not known.
RegionText region_text(const ModelPair& pair, NodeId a, NodeId b, const std::vector<RegionCut>& cuts,
                       const std::vector<const Tensor*>& values);

}  // namespace vouch
