#include <algorithm>
#include <set>
#include <unordered_set>

#include "term/term.h"

namespace vouch {

bool is_const(Term term) {
  return term.kind() == TermKind::IntConst || term.kind() == TermKind::BoolConst || term.kind() == TermKind::RealConst;
}

std::optional<std::int64_t> const_int(Term term) {
  if (term.kind() != TermKind::IntConst) {
    return std::nullopt;
  }
  return int64_of(Integer(numerator(term->value)));
}

std::optional<bool> const_bool(Term guard) {
  if (guard.kind() != TermKind::BoolConst) {
    return std::nullopt;
  }
  return guard == bool_const(true);
}

bool is_true(Term guard) { return guard == bool_const(true); }
bool is_false(Term guard) { return guard == bool_const(false); }

namespace {

class FreeVariables {
 public:
  void visit(Term term) {
    if (term.kind() == TermKind::IntVar || term.kind() == TermKind::RealVar) {
      if (!bound_.contains(term->symbol)) {
        found_.insert(term->symbol);
      }
      return;
    }
    if (term.kind() != TermKind::Reduce) {
      // Shared subterms are visited once per set of enclosing binders.
      if (term.args().empty() || !seen_.insert(term).second) {
        return;
      }
      for (Term arg : term.args()) {
        visit(arg);
      }
      return;
    }
    for (std::size_t i = 2; i < term.args().size(); ++i) {
      visit(term.arg(i));
    }
    auto outer_seen = std::move(seen_);
    auto outer_bound = bound_;
    seen_.clear();
    bound_.insert(term->bound.begin(), term->bound.end());
    visit(term.arg(0));
    visit(term.arg(1));
    seen_ = std::move(outer_seen);
    bound_ = std::move(outer_bound);
  }
  std::vector<Symbol> found() const { return {found_.begin(), found_.end()}; }

 private:
  std::set<Symbol> found_;
  std::set<Symbol> bound_;
  std::unordered_set<Term> seen_;
};

void collect_reads(Term term, std::unordered_set<Term>& seen, std::set<Symbol>& found) {
  if (!seen.insert(term).second) {
    return;
  }
  if (term.kind() == TermKind::Read) {
    found.insert(term->symbol);
  }
  for (Term arg : term.args()) {
    collect_reads(arg, seen, found);
  }
}

}  // namespace

std::vector<Symbol> free_variables(Term term) {
  FreeVariables variables;
  variables.visit(term);
  return variables.found();
}

std::vector<Symbol> tensors_read(Term term) {
  std::unordered_set<Term> seen;
  std::set<Symbol> found;
  collect_reads(term, seen, found);
  return {found.begin(), found.end()};
}

}  // namespace vouch
