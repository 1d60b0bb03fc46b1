#include "facts/size_equations.h"

#include <algorithm>
#include <vector>

#include "facts/index_terms.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool are_all_in(const std::vector<Term>& atoms, const std::set<Symbol>& names) {
  return std::all_of(atoms.begin(), atoms.end(),
                     [&](Term atom) { return atom.kind() == TermKind::IntVar && names.contains(atom->symbol); });
}

// A number above 0, and besides it positive multiples of products of these.
bool is_at_least_one(Term a, const std::set<Symbol>& not_negative) {
  bool above = false;
  for (const Monomial& m : monomials(a)) {
    if (m.coefficient <= 0 || !are_all_in(m.atoms, not_negative)) {
      return false;
    }
    above = above || m.atoms.empty();
  }
  return above;
}

// Each product of what is at least 1 is taken to be 1, which is the least it can be.
bool is_never_negative(Term e, const std::set<Symbol>& positive) {
  Integer least = 0;
  for (const Monomial& m : monomials(e)) {
    if (!m.atoms.empty() && (m.coefficient < 0 || !are_all_in(m.atoms, positive))) {
      return false;
    }
    least += m.coefficient;
  }
  return least >= 0;
}

Term settled_extremum(Term extremum, const std::set<Symbol>& positive) {
  for (std::size_t k : {0U, 1U}) {
    Term larger = extremum.arg(k);
    Term smaller = extremum.arg(1 - k);
    if (is_never_negative(larger - smaller, positive)) {
      return extremum.kind() == TermKind::IntMax ? larger : smaller;
    }
  }
  return extremum;
}

Term without_shared_factors(Term quotient, const std::set<Symbol>& positive) {
  std::vector<Monomial> dividend = monomials(quotient.arg(0));
  std::vector<Monomial> divisor = monomials(quotient.arg(1));
  if (divisor.size() != 1 || dividend.empty()) {
    return quotient;
  }
  bool changed = false;
  for (Term factor : std::vector<Term>(divisor[0].atoms)) {
    auto has = [&](const Monomial& m) { return std::find(m.atoms.begin(), m.atoms.end(), factor) != m.atoms.end(); };
    if (!are_all_in({factor}, positive) || !std::all_of(dividend.begin(), dividend.end(), has)) {
      continue;
    }
    for (Monomial& m : dividend) {
      m.atoms.erase(std::find(m.atoms.begin(), m.atoms.end(), factor));
    }
    divisor[0].atoms.erase(std::find(divisor[0].atoms.begin(), divisor[0].atoms.end(), factor));
    changed = true;
  }
  return changed ? floor_div(from_monomials(dividend), from_monomials(divisor)) : quotient;
}

}  // namespace

std::optional<std::pair<Symbol, Symbol>> equal_variables(Term p, const std::set<Symbol>& not_negative) {
  const std::vector<Monomial> ms = monomials(p);
  std::vector<Term> alone;
  for (const Monomial& m : ms) {
    if (ms.size() >= 4 && m.atoms.size() == 1 && m.atoms[0].kind() == TermKind::IntVar) {
      alone.push_back(m.atoms[0]);
    }
  }
  for (Term u : alone) {
    Term a = substitute(p, u->symbol, Term(1)) - substitute(p, u->symbol, Term(0));
    for (Term v : alone) {
      if (u != v && p == a * (u - v) && is_at_least_one(a, not_negative)) {
        return std::pair(u->symbol, v->symbol);
      }
    }
  }
  return std::nullopt;
}

Term settled(Term term, const std::set<Symbol>& positive) {
  if (term.args().empty() || term.kind() == TermKind::IntOf) {
    return term;
  }
  Term out = with_arguments(term, [&](Term arg) { return settled(arg, positive); });
  switch (out.kind()) {
    case TermKind::IntMax:
    case TermKind::IntMin: return settled_extremum(out, positive);
    case TermKind::FloorDiv: return without_shared_factors(out, positive);
    default: return out;
  }
}

std::optional<std::pair<Term, Term>> known_quotient(Term p) {
  for (const Monomial& m : monomials(p)) {
    bool alone = m.atoms.size() == 1 && m.atoms[0].kind() == TermKind::FloorDiv && (m.coefficient == 1 || m.coefficient == -1);
    if (!alone) {
      continue;
    }
    Term value = m.atoms[0] - int_const(m.coefficient) * p;
    if (replaced(value, m.atoms[0], 0) == value) {
      return std::pair(m.atoms[0], value);
    }
  }
  return std::nullopt;
}

}  // namespace vouch
