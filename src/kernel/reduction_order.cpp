#include "kernel/reduction_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

namespace vouch {
namespace {

class ConditionVariables {
 public:
  void collect(Term t, bool inside) {
    if (!seen_.emplace(std::pair(t.id(), inside), true).second) {
      return;
    }
    if (t.kind() == TermKind::IntVar && inside) {
      found_.insert(t->symbol);
    }
    bool condition = inside || t.sort() == Sort::Bool || t.kind() == TermKind::FloorDiv || t.kind() == TermKind::FloorMod;
    for (Term arg : t.args()) {
      collect(arg, condition);
    }
  }

  bool contains(Symbol name) const { return found_.contains(name); }

 private:
  std::unordered_set<Symbol> found_;
  std::map<std::pair<const void*, bool>, bool> seen_;
};

}  // namespace

std::vector<std::size_t> reduction_order(Term reduce) {
  ConditionVariables conditional;
  conditional.collect(reduce.arg(0), false);
  conditional.collect(reduce.arg(1), true);
  std::vector<std::size_t> order(reduce->bound.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return conditional.contains(reduce->bound[a]) > conditional.contains(reduce->bound[b]);
  });
  return order;
}

}  // namespace vouch
