#include "check/looked_up.h"

#include <algorithm>
#include <unordered_set>

#include "algebra/partial.h"
#include "facts/index_terms.h"

namespace vouch {
namespace {

class LookedUp {
 public:
  LookedUp(const std::set<Symbol>& named, const std::map<Symbol, std::vector<Term>>& extents, Arithmetic& arithmetic)
      : named_(named), extents_(extents), arithmetic_(arithmetic) {}

  void visit(Term term) {
    if (is_const(term) || !seen_.insert(term).second) {
      return;
    }
    switch (term.kind()) {
      case TermKind::Reduce:
        if (has_an_index(term)) {
          visit(term.arg(0));
        }
        return;
      case TermKind::Select:
      case TermKind::IntSelect: return visit(term.arg(0));
      case TermKind::And:
      case TermKind::Or:
      case TermKind::Not: return;
      case TermKind::Read: add(term); break;
      default: break;
    }
    for (Term arg : term.args()) {
      visit(arg);
    }
  }

  const std::vector<Term>& facts() const { return facts_; }

 private:
  bool has_an_index(Term sum) {
    bool some = is_true(sum.arg(1));
    for (std::size_t k = 0; k < sum->bound.size(); ++k) {
      some = some && arithmetic_.entails({}, ge(without_remainders(sum.arg(k + 2)), 1));
    }
    return some;
  }

  void add(Term read) {
    auto tensor = extents_.find(read->symbol);
    for (std::size_t axis = 0; tensor != extents_.end() && axis < read.args().size(); ++axis) {
      Term at = without_remainders(read.args()[axis]);
      const std::vector<Symbol> names = free_variables(at);
      if (is_told_by_data(at, arithmetic_.families()) &&
          std::all_of(names.begin(), names.end(), [&](Symbol name) { return named_.contains(name); })) {
        facts_.push_back(le(0, at));
        facts_.push_back(lt(at, tensor->second[axis]));
      }
    }
  }

  const std::set<Symbol>& named_;
  const std::map<Symbol, std::vector<Term>>& extents_;
  Arithmetic& arithmetic_;
  std::unordered_set<Term> seen_;
  std::vector<Term> facts_;
};

}  // namespace

std::vector<Term> positions_inside(Term source, const std::set<Symbol>& named, const std::map<Symbol, std::vector<Term>>& extents,
                                   Arithmetic& arithmetic) {
  LookedUp looked_up(named, extents, arithmetic);
  looked_up.visit(source);
  return looked_up.facts();
}

}  // namespace vouch
