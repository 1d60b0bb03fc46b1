#include "facts/index_terms.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "term/substitute.h"

namespace vouch {
namespace {

bool is_atom(TermKind kind) {
  return kind == TermKind::FloorDiv || kind == TermKind::FloorMod || kind == TermKind::IntMin || kind == TermKind::IntMax ||
         kind == TermKind::IntSelect || kind == TermKind::IntOf;
}

}  // namespace

const std::vector<Symbol>& symbols_of(Term term) {
  thread_local std::unordered_map<Term, std::vector<Symbol>> known;
  auto found = known.find(term);
  if (found == known.end()) {
    std::vector<Symbol> names = free_variables(term);
    std::vector<Symbol> tensors = tensors_read(term);
    names.insert(names.end(), tensors.begin(), tensors.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    found = known.emplace(term, std::move(names)).first;
  }
  return found->second;
}

bool mentions(Term term, Symbol symbol) {
  const std::vector<Symbol>& names = symbols_of(term);  // few, and told apart by identity sooner than by letters
  return std::find(names.begin(), names.end(), symbol) != names.end();
}

static void collect_atoms(Term term, std::unordered_set<Term>& seen, std::vector<Term>& out) {
  if (is_const(term) || !seen.insert(term).second) {
    return;
  }
  if (term.kind() != TermKind::IntOf) {
    for (Term arg : term.args()) {
      collect_atoms(arg, seen, out);
    }
  }
  if (is_atom(term.kind())) {
    out.push_back(term);
  }
}

std::vector<Term> deep_atoms(Term term) {
  std::unordered_set<Term> seen;
  std::vector<Term> out;
  collect_atoms(term, seen, out);
  return out;
}

Division divide(Term e, Term divisor) {
  if (e == divisor) {
    return {1, 0};
  }
  std::vector<Monomial> by = monomials(divisor);
  if (by.size() != 1) {
    return {0, e};
  }
  std::vector<Monomial> whole;
  std::vector<Monomial> rest;
  for (Monomial& m : monomials(e)) {
    std::vector<Term> atoms = m.atoms;
    bool divides_atoms = true;
    for (Term atom : by[0].atoms) {
      auto at = std::find(atoms.begin(), atoms.end(), atom);
      divides_atoms = divides_atoms && at != atoms.end();
      if (at != atoms.end()) {
        atoms.erase(at);
      }
    }
    Integer q = floor_div(m.coefficient, by[0].coefficient);
    Integer r = m.coefficient - q * by[0].coefficient;
    if (!divides_atoms || (r != 0 && !by[0].atoms.empty())) {
      rest.push_back(std::move(m));
      continue;
    }
    if (q != 0) {
      whole.push_back({q, atoms});
    }
    if (r != 0) {
      rest.push_back({r, m.atoms});
    }
  }
  return {from_monomials(whole), from_monomials(rest)};
}

namespace {

// Surely a <= b, by looking alone.
bool plainly_le(Term a, Term b) {
  Term difference = b - a;
  if (is_const(difference)) {
    return difference->value >= 0;
  }
  for (const Monomial& m : monomials(difference)) {
    if (m.atoms.size() != 1) {
      continue;
    }
    Term atom = m.atoms[0];
    Term rest = difference - int_const(m.coefficient) * atom;
    bool larger =
        (atom.kind() == TermKind::IntMax && m.coefficient == 1) || (atom.kind() == TermKind::IntMin && m.coefficient == -1);
    for (Term arg : larger ? atom.args() : std::span<const Term>()) {
      if (plainly_le(0, rest + int_const(m.coefficient) * arg)) {
        return true;
      }
    }
  }
  return false;
}

void flatten_chain(Term term, TermKind kind, std::vector<Term>& out) {
  if (term.kind() == kind) {
    flatten_chain(term.arg(0), kind, out);
    flatten_chain(term.arg(1), kind, out);
  } else if (std::find(out.begin(), out.end(), term) == out.end()) {
    out.push_back(term);
  }
}

// The operands of nested minima (maxima) but for those that cannot be the least (greatest).
Term normal_chain(Term term) {
  TermKind kind = term.kind();
  std::vector<Term> items;
  flatten_chain(term, kind, items);
  for (std::size_t i = 0; i < items.size();) {
    bool redundant = false;
    for (std::size_t j = 0; j < items.size() && !redundant; ++j) {
      redundant = i != j && (kind == TermKind::IntMin ? plainly_le(items[j], items[i]) : plainly_le(items[i], items[j]));
    }
    if (redundant) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  std::sort(items.begin(), items.end(), [](Term a, Term b) { return compare(a, b) < 0; });
  Term out = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) {
    out = kind == TermKind::IntMin ? int_min(out, items[i]) : int_max(out, items[i]);
  }
  return out;
}

}  // namespace

Term replaced(Term term, Term atom, Term by) {
  if (term == atom) {
    return by;
  }
  if (term.args().empty() || term.kind() == TermKind::IntOf) {
    return term;
  }
  return with_arguments(term, [&](Term arg) { return replaced(arg, atom, by); });
}

Term without_remainders(Term term) {
  thread_local std::unordered_map<Term, Term> known;
  if (term.args().empty()) {
    return term;
  }
  if (auto found = known.find(term); found != known.end()) {
    return found->second;
  }
  std::vector<Term> args;
  bool changed = false;
  for (Term arg : term.args()) {
    args.push_back(without_remainders(arg));
    changed |= args.back() != arg;
  }
  Term out = changed ? rebuild(term, args) : term;
  if (term.kind() == TermKind::FloorMod) {
    out = args[0] - args[1] * floor_div(args[0], args[1]);
  } else if (out.kind() == TermKind::IntMin || out.kind() == TermKind::IntMax) {
    out = normal_chain(out);
  }
  return known[term] = out;
}

const std::vector<Term>& divisors_of(Term term) {
  thread_local std::unordered_map<Term, std::vector<Term>> known;
  auto found = known.find(term);
  if (found == known.end()) {
    std::set<Term, TermOrder> all;
    for (Term arg : term.args()) {
      const std::vector<Term>& inner = divisors_of(arg);
      all.insert(inner.begin(), inner.end());
    }
    if (term.kind() == TermKind::FloorDiv) {
      all.insert(term.arg(1));
    }
    found = known.emplace(term, std::vector<Term>(all.begin(), all.end())).first;
  }
  return found->second;
}

namespace {

void collect_integer(Term term, std::unordered_set<Term>& seen, Occurrences& out);

void collect_atom(Term atom, std::unordered_set<Term>& seen, Occurrences& out) {
  if (atom.kind() == TermKind::IntVar || !seen.insert(atom).second) {
    return;
  }
  if (atom.kind() == TermKind::IntOf && atom.arg(0).kind() == TermKind::Read) {
    for (Term index : atom.arg(0).args()) {
      collect_integer(index, seen, out);
    }
  }
  out.atoms.push_back(atom);
}

void collect_integer(Term term, std::unordered_set<Term>& seen, Occurrences& out) {
  for (const Monomial& m : monomials(term)) {
    for (Term atom : m.atoms) {
      collect_atom(atom, seen, out);
    }
    if (m.atoms.size() > 1) {
      out.products.push_back(m.atoms);
    }
  }
}

void collect_guard(Term guard, std::unordered_set<Term>& seen, Occurrences& out) {
  switch (guard.kind()) {
    case TermKind::IntLe:
    case TermKind::IntEq:
      collect_integer(guard.arg(0), seen, out);
      collect_integer(guard.arg(1), seen, out);
      return;
    case TermKind::Not:
    case TermKind::And:
    case TermKind::Or:
      for (Term part : guard.args()) {
        collect_guard(part, seen, out);
      }
      return;
    default: return;  // a comparison of scalars is a truth value of which nothing is known
  }
}

}  // namespace

const Occurrences& occurrences(Term guard) {
  thread_local std::unordered_map<Term, Occurrences> known;
  auto found = known.find(guard);
  if (found == known.end()) {
    Occurrences out;
    std::unordered_set<Term> seen;
    collect_guard(guard, seen, out);
    found = known.emplace(guard, std::move(out)).first;
  }
  return found->second;
}

const std::vector<Monomial>& monomials_of(Term term) {
  thread_local std::unordered_map<Term, std::vector<Monomial>> known;
  auto found = known.find(term);
  return found != known.end() ? found->second : known.emplace(term, monomials(term)).first->second;
}

bool mentions_any(Term term, const std::vector<Symbol>& names) {
  return std::any_of(names.begin(), names.end(), [&](Symbol n) { return mentions(term, n); });
}

}  // namespace vouch
