// What a remembered answer depends on, as handles of interned things: equal handles, equal things.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "term/term.h"

namespace vouch {

using Ids = std::vector<const void*>;

// A term, as it is under some facts in their order.
inline Ids ids_under(Term term, const std::vector<Term>& facts) {
  Ids out{term.id()};
  for (Term fact : facts) {
    out.push_back(fact.id());
  }
  return out;
}

struct IdsHash {
  std::size_t operator()(const Ids& ids) const {
    std::size_t h = ids.size();
    for (const void* id : ids) {
      h = (h ^ std::hash<const void*>()(id)) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32;
    }
    return h;
  }
};

}  // namespace vouch
