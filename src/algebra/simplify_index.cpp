// Simplification of index terms by what is known of them.
#include <algorithm>

#include "algebra/equality.h"
#include "facts/exact_quotient.h"

namespace vouch {

std::optional<Term> pinned_value(Symbol variable, std::initializer_list<const Facts*> known) {
  Term v = int_var(variable);
  std::vector<Term> low;
  std::vector<Term> high;
  for (const Facts* facts : known) {
    for (Term fact : *facts) {
      if (fact.kind() != TermKind::IntLe || !mentions(fact, variable)) {
        continue;
      }
      Term room = fact.arg(1) - fact.arg(0);
      if (!mentions(room - v, variable)) {
        low.push_back(v - room);
      } else if (!mentions(room + v, variable)) {
        high.push_back(room + v);
      }
    }
  }
  auto pinned =
      std::find_if(low.begin(), low.end(), [&](Term l) { return std::find(high.begin(), high.end(), l) != high.end(); });
  return pinned == low.end() ? std::nullopt : std::optional(*pinned);
}

// Facts of one variable alone, of those that the term speaks of; nothing unless one of them says that a variable is at most a
// number.
static Facts bounds_of(Term term, const Facts& base, const Facts& facts) {
  const std::vector<Symbol>& names = symbols_of(term);
  Facts out;
  bool any_above = false;
  for (const Facts* known : {&base, &facts}) {
    for (Term fact : *known) {
      const std::vector<Symbol>& of_fact = symbols_of(fact);
      if (fact.kind() == TermKind::IntLe && of_fact.size() == 1 &&
          std::find(names.begin(), names.end(), of_fact[0]) != names.end()) {
        any_above = any_above || is_const(fact.arg(1));
        out.push_back(fact);
      }
    }
  }
  return any_above ? out : Facts();
}

// Variables that facts leave one value.
static Term without_pinned(Term term, const Facts& base, const Facts& facts) {
  const Facts bounds = bounds_of(term, base, facts);
  Substitution values;
  for (Symbol name : bounds.empty() ? std::vector<Symbol>() : free_variables(term)) {
    if (auto value = pinned_value(name, {&bounds}); value && is_const(*value)) {
      values.emplace(name, *value);
    }
  }
  return values.empty() ? term : without_remainders(substitute(term, values));
}

Term Equality::simplified_index(Term term, const Facts& facts) {
  if (term.args().empty() && term.kind() != TermKind::IntVar) {
    return term;
  }
  const UnderFacts key = arithmetic_.under(term, facts);
  Arithmetic::Simplified& known = arithmetic_.simplified();
  if (auto found = known.find(key); found != known.end()) {
    return found->second;
  }
  Term simpler = simplified_by_steps(term, facts);
  known.emplace(key, simpler);
  return simpler;
}

// Those of the facts, and those of the base facts.
static std::vector<ProductEquation> products_known(const Arithmetic& arithmetic, const Facts& facts) {
  std::vector<ProductEquation> products = product_equations(facts);
  products.insert(products.end(), arithmetic.base_products().begin(), arithmetic.base_products().end());
  return products;
}

Term Equality::simplified_by_steps(Term term, const Facts& facts) {
  constexpr int kMostSteps = 16;
  const std::vector<ProductEquation> products = products_known(arithmetic_, facts);
  term = without_pinned(term, arithmetic_.base(), facts);
  for (int step = 0; step < kMostSteps; ++step) {
    term = without_nested_quotients(rewritten(term, products));
    std::vector<Term> atoms = deep_atoms(term);
    std::stable_sort(atoms.begin(), atoms.end(), [](Term a, Term b) { return a->depth < b->depth; });
    bool changed = false;
    for (Term atom : atoms) {
      auto simpler = simpler_atom(atom, facts);
      if (simpler && *simpler != atom) {
        Term now = without_remainders(replaced(term, atom, *simpler));
        changed = now != term;
        term = now;
        if (changed) {
          break;
        }
      }
    }
    if (!changed) {
      return term;
    }
  }
  return term;
}

// (x // a) // m == x // (a * m), for positive a and m: no question need be asked of the quotient inside.
Term Equality::without_nested_quotients(Term term) {
  auto is_nested = [](Term atom) { return atom.kind() == TermKind::FloorDiv && atom.arg(0).kind() == TermKind::FloorDiv; };
  std::vector<Term> atoms = deep_atoms(term);
  for (Term atom : atoms) {  // those inside come first
    if (is_nested(atom) && arithmetic_.is_positive(atom.arg(0).arg(1)) && arithmetic_.is_positive(atom.arg(1))) {
      Term whole = floor_div(atom.arg(0).arg(0), atom.arg(0).arg(1) * atom.arg(1));
      return without_nested_quotients(replaced(term, atom, whole));
    }
  }
  return term;
}

std::optional<Term> Equality::simpler_atom(Term atom, const Facts& facts) {
  auto holds = [&](Term fact) { return arithmetic_.entails(facts, fact); };
  switch (atom.kind()) {
    case TermKind::IntMin:
    case TermKind::IntMax: {
      bool min = atom.kind() == TermKind::IntMin;
      if (holds(le(atom.arg(0), atom.arg(1)))) {
        return atom.arg(min ? 0 : 1);
      }
      return holds(le(atom.arg(1), atom.arg(0))) ? std::optional(atom.arg(min ? 1 : 0)) : std::nullopt;
    }
    case TermKind::IntSelect:
      if (!tensors_read(atom.arg(0)).empty()) {
        return std::nullopt;
      }
      if (holds(atom.arg(0))) {
        return atom.arg(1);
      }
      return holds(negate(atom.arg(0))) ? std::optional(atom.arg(2)) : std::nullopt;
    case TermKind::FloorDiv: return simpler_quotient(atom, facts);
    case TermKind::IntOf: return simpler_item(atom, facts);
    default: return std::nullopt;
  }
}

// A number of a family: at a simpler index; or the branch of a position, where it is one that the position speaks of.
std::optional<Term> Equality::simpler_item(Term atom, const Facts& facts) {
  const Families& families = arithmetic_.families();
  auto item = families.empty() ? std::nullopt : as_family_item(atom);
  if (!item) {
    return std::nullopt;
  }
  Term at = simplified_index(item->branch, facts);
  if (at != item->branch) {
    return family_item(item->name, at);
  }
  auto position = families.positions.find(item->name);
  if (position == families.positions.end()) {
    return std::nullopt;
  }
  const auto& [find, index, before, size, total, length] = position->second;
  for (Term inside : deep_atoms(at)) {
    auto other = as_family_item(inside);
    if (!other || other->branch == atom) {
      continue;
    }
    Term begin = substitute(before, index, other->branch);
    Term goals[] = {in_range(other->branch, length), le(begin, at), lt(at, begin + substitute(size, index, other->branch))};
    if (arithmetic_.entails(facts, all_of(goals))) {
      return other->branch;
    }
  }
  return std::nullopt;
}

// q with e == m * q, by division of polynomials, where m is a sum: as 1 + d of t + d * t.
static std::optional<Term> exact_quotient(Term e, Term m) {
  const std::vector<Monomial> parts = monomials(m);
  auto lead = std::max_element(parts.begin(), parts.end(),
                               [](const Monomial& a, const Monomial& b) { return a.atoms.size() < b.atoms.size(); });
  if (parts.size() < 2 || e == Term(0)) {
    return std::nullopt;
  }
  constexpr int kMostSteps = 8;
  Term quotient = 0;
  for (int step = 0; step < kMostSteps && e != Term(0); ++step) {
    Term whole = divide(e, from_monomials({*lead})).whole;
    if (whole == Term(0)) {
      return std::nullopt;
    }
    Term one = from_monomials({monomials(whole)[0]});
    quotient = quotient + one;
    e = e - m * one;
  }
  return e == Term(0) ? std::optional(quotient) : std::nullopt;
}

// e // m for m >= 1, if it is a small number, follows from an inner quotient, or shares a factor.
std::optional<Term> Equality::simpler_quotient(Term quotient, const Facts& facts) {
  Term e = quotient.arg(0);
  Term m = quotient.arg(1);
  if (!arithmetic_.is_positive(m)) {
    return std::nullopt;
  }
  auto is_at_least = [&](Term q) { return arithmetic_.entails(facts, ge(e - m * q, 0)); };
  auto is_at_most = [&](Term q) { return arithmetic_.entails(facts, lt(e - m * q, m)); };
  auto is_quotient = [&](Term q) { return is_at_least(q) && is_at_most(q); };
  if (auto whole = exact_quotient(e, m)) {
    return whole;
  }
  for (const Facts* known : {&arithmetic_.base(), &facts}) {
    if (auto whole = quotient_by_equation(e, m, *known)) {
      return whole;
    }
  }
  if (auto split = split_by_products(e, m, facts)) {
    return split;
  }
  for (std::int64_t k : {0, 1, 2, 3, -1}) {
    // First what most quotients are not, since a point shows that: few are less than 1, or at least that.
    if (k <= 0 ? is_at_most(k) && is_at_least(k) : is_quotient(k)) {
      return Term(k);
    }
  }
  for (Term inner : deep_atoms(e)) {
    if (inner.kind() != TermKind::FloorDiv) {
      continue;
    }
    Term whole = divide(e - inner.arg(0) + inner.arg(1) * inner, m).whole;
    if (whole != Term(0) && !mentions_atom(whole, quotient) && is_quotient(whole)) {
      return whole;
    }
  }
  Term direct = divide(e, m).whole;
  if (direct != Term(0) && is_quotient(direct)) {
    return direct;
  }
  return shared_factor(e, m, facts);
}

// Where m divides a part of e, once products are written the other way.
std::optional<Term> Equality::split_by_products(Term e, Term m, const Facts& facts) const {
  for (ProductEquation& p : products_known(arithmetic_, facts)) {
    std::swap(p.from, p.to);
    Term other = rewritten(e, {p});
    if (other != e && divide(other, m).whole != Term(0)) {
      return floor_div(other, m);
    }
  }
  return std::nullopt;
}

bool Equality::mentions_atom(Term term, Term atom) {
  std::vector<Term> atoms = deep_atoms(term);
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

// (g*q + r) // (g*n) == q // n for 0 <= r < g.
std::optional<Term> Equality::shared_factor(Term e, Term m, const Facts& facts) {
  std::vector<Monomial> divisor = monomials(m);
  if (divisor.size() != 1 || divisor[0].atoms.size() + (divisor[0].coefficient != 1 ? 1U : 0U) < 2) {
    return std::nullopt;
  }
  std::vector<Term> parts = divisor[0].atoms;
  if (divisor[0].coefficient != 1) {
    parts.push_back(int_const(divisor[0].coefficient));
  }
  for (std::uint32_t set = 1; set + 1 < (1U << std::min<std::size_t>(parts.size(), 4)); ++set) {
    Term g = 1;
    Term n = 1;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      ((set >> k & 1U) != 0 ? g : n) = ((set >> k & 1U) != 0 ? g : n) * parts[k];
    }
    auto [whole, rest] = divide(e, g);
    if (whole != Term(0) && arithmetic_.is_positive(g) && arithmetic_.is_positive(n) && arithmetic_.entails(facts, ge(rest, 0)) &&
        arithmetic_.entails(facts, lt(rest, g))) {
      return floor_div(whole, n);
    }
  }
  return std::nullopt;
}

}  // namespace vouch
