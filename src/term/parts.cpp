#include "term/parts.h"

#include <unordered_set>
#include <vector>

namespace vouch {

bool everywhere(Term root, const std::function<bool(Term)>& fits) {
  std::unordered_set<Term> seen;
  std::vector<Term> pending{root};
  while (!pending.empty()) {
    Term term = pending.back();
    pending.pop_back();
    if (!seen.insert(term).second) {
      continue;
    }
    if (!fits(term)) {
      return false;
    }
    pending.insert(pending.end(), term.args().begin(), term.args().end());
  }
  return true;
}

}  // namespace vouch
