#include "algebra/congruence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "facts/family.h"
#include "facts/index_terms.h"
#include "term/comparison.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Does it depend on indices and sizes alone? (What is read of a tensor may be undefined.)
bool is_of_integers(Term guard, const Families& families) {
  std::vector<Term> atoms = deep_atoms(guard);
  return !speaks_of_scalars(guard) &&
         std::all_of(atoms.begin(), atoms.end(), [&](Term atom) { return atom.kind() != TermKind::IntOf || families.has(atom); });
}

Term chosen(Term term, Term guard, bool holds) {
  return term.kind() == TermKind::Select && term.arg(0) == guard ? term.arg(holds ? 1 : 2) : term;
}

bool commutes(Term term) {
  return term.kind() == TermKind::RealAdd || term.kind() == TermKind::RealMul ||
         (term.kind() == TermKind::Call && (term->fn == Fn::Max || term->fn == Fn::Min));
}

Facts with(Facts facts, Term more) {
  facts.push_back(without_remainders(more));
  return facts;
}

class Settler {
 public:
  Settler(Equality& equality, const Families& families, const Facts& facts, Term term)
      : equality_(equality), families_(families), facts_(facts) {
    note_bound(term);
  }

  Term settled(Term term) {
    bool data = term.kind() == TermKind::IntOf && !families_.has(term);  // facts speak of it as it is
    if (term.args().empty() || data) {
      return term;
    }
    if (auto found = known_.find(term); found != known_.end()) {
      return found->second;
    }
    Term out = with_arguments(term, [this](Term arg) { return settled(arg); });
    if (is_of_one_element(out)) {
      Substitution first;
      for (Symbol index : out->bound) {
        first.emplace(index, Term(0));
      }
      out = substitute(out.arg(0), first);
    }
    if (is_choice_of_integers(out) &&
        std::none_of(symbols_of(out).begin(), symbols_of(out).end(), [&](Symbol s) { return bound_.contains(s); })) {
      out = equality_.simplified_index(out, facts_);
    }
    known_.emplace(term, out);
    return out;
  }

 private:
  // The largest of one is it. (The sum of one is not, bit by bit: 0 + -0 is 0.)
  static bool is_of_one_element(Term term) {
    return term.kind() == TermKind::Reduce && (term->reduction == Reduction::Max || term->reduction == Reduction::Min) &&
           is_true(term.arg(1)) &&
           std::all_of(term.args().begin() + 2, term.args().end(), [](Term extent) { return extent == Term(1); });
  }

  static bool is_choice_of_integers(Term term) {
    return term.kind() == TermKind::IntMin || term.kind() == TermKind::IntMax || term.kind() == TermKind::FloorDiv ||
           term.kind() == TermKind::IntSelect || term.kind() == TermKind::IntOf;
  }

  void note_bound(Term term) {
    if (seen_.insert(term).second) {
      bound_.insert(term->bound.begin(), term->bound.end());
      std::for_each(term.args().begin(), term.args().end(), [&](Term arg) { note_bound(arg); });
    }
  }

  Equality& equality_;
  const Families& families_;
  const Facts& facts_;
  std::unordered_map<Term, Term> known_;
  std::unordered_set<Term> seen_;
  std::set<Symbol> bound_;
};

}  // namespace

Term Congruence::settled(Term scalar, const Facts& facts) {
  Term term = without_remainders(scalar);
  return Settler(equality_, arithmetic_.families(), facts, term).settled(term);
}

bool Congruence::congruent(Term a, Term b, const Facts& facts) {
  if (a == b) {
    return true;
  }
  if (fuel_ == 0) {
    return false;
  }
  --fuel_;
  const Families& families = arithmetic_.families();
  if (a.kind() == TermKind::Select && is_of_integers(a.arg(0), families)) {
    return by_cases(a.arg(0), a, b, facts);
  }
  if (b.kind() == TermKind::Select && is_of_integers(b.arg(0), families)) {
    return by_cases(b.arg(0), a, b, facts);
  }
  return a.kind() == b.kind() && same_head(a, b, facts);
}

bool Congruence::by_cases(Term guard, Term a, Term b, const Facts& facts) {
  for (bool holds : {true, false}) {
    Facts here = with(facts, holds ? guard : negate(guard));
    if (!arithmetic_.contradicts(here) && !congruent(chosen(a, guard, holds), chosen(b, guard, holds), here)) {
      return false;
    }
  }
  return true;
}

bool Congruence::same_head(Term a, Term b, const Facts& facts) {
  switch (a.kind()) {
    case TermKind::RealOf: return equality_.equal_indices(without_remainders(a.arg(0)), without_remainders(b.arg(0)), facts);
    case TermKind::Read:
      return a->symbol == b->symbol && a.args().size() == b.args().size() &&
             std::equal(a.args().begin(), a.args().end(), b.args().begin(), [&](Term x, Term y) {
               return equality_.equal_indices(without_remainders(x), without_remainders(y), facts);
             });
    case TermKind::Reduce: return same_reduction(a, b, facts);
    case TermKind::Select:
      return same_guard(a.arg(0), b.arg(0), facts) && congruent(a.arg(1), b.arg(1), facts) &&
             congruent(a.arg(2), b.arg(2), facts);
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealDiv:
    case TermKind::RealNeg:
    case TermKind::Call: {
      if (a->fn != b->fn || a.args().size() != b.args().size()) {
        return false;
      }
      bool in_order =
          std::equal(a.args().begin(), a.args().end(), b.args().begin(), [&](Term x, Term y) { return congruent(x, y, facts); });
      return in_order || (commutes(a) && congruent(a.arg(0), b.arg(1), facts) && congruent(a.arg(1), b.arg(0), facts));
    }
    default: return false;  // constants and variables are equal only if they are the same
  }
}

// Bounds in the same order and of equal extents, over the same points.
bool Congruence::same_reduction(Term a, Term b, const Facts& facts) {
  if (a->reduction != b->reduction || a->bound.size() != b->bound.size()) {
    return false;
  }
  Substitution of_a;
  Substitution of_b;
  Facts here = facts;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    Term extent = without_remainders(a.arg(2 + k));
    if (!equality_.equal_indices(extent, without_remainders(b.arg(2 + k)), facts)) {
      return false;
    }
    Term index = int_var(fmt::format("≡{}", next_name_++));
    of_a.emplace(a->bound[k], index);
    of_b.emplace(b->bound[k], index);
    here.push_back(le(0, index));
    here.push_back(lt(index, extent));
  }
  Term mine = substitute(a.arg(1), of_a);
  Term other = substitute(b.arg(1), of_b);
  bool integers = is_of_integers(mine, arithmetic_.families()) && is_of_integers(other, arithmetic_.families());
  if (mine != other &&
      !(integers && arithmetic_.entails(with(here, mine), without_remainders(other)) &&
        arithmetic_.entails(with(here, other), without_remainders(mine))) &&
      !same_guard(mine, other, here)) {
    return false;
  }
  return congruent(substitute(a.arg(0), of_a), substitute(b.arg(0), of_b), integers && !is_true(mine) ? with(here, mine) : here);
}

bool Congruence::same_guard(Term a, Term b, const Facts& facts) {
  if (a == b) {
    return true;
  }
  if (a.kind() != b.kind() || a.args().size() != b.args().size()) {
    return false;
  }
  return std::equal(a.args().begin(), a.args().end(), b.args().begin(), [&](Term x, Term y) {
    switch (x.sort()) {
      case Sort::Int:
        return y.sort() == Sort::Int && equality_.equal_indices(without_remainders(x), without_remainders(y), facts);
      case Sort::Bool: return y.sort() == Sort::Bool && same_guard(x, y, facts);
      case Sort::Real: return y.sort() == Sort::Real && congruent(x, y, facts);
    }
    return false;
  });
}

}  // namespace vouch
