// Equations between indices that make two atoms equal, and their solutions.
#include <algorithm>

#include "algebra/equality.h"

namespace vouch {

void Equality::equations(AtomRef a, AtomRef b, std::vector<Term>& out) {
  if (a->kind != b->kind || a->indices.size() != b->indices.size() || a->args.size() != b->args.size() ||
      a->bound.size() != b->bound.size()) {
    return;
  }
  for (std::size_t k = 0; k < a->indices.size(); ++k) {
    out.push_back(a->indices[k] - b->indices[k]);
  }
  Substitution rename;
  for (std::size_t k = 0; k < a->bound.size(); ++k) {
    rename.emplace(b->bound[k], int_var(a->bound[k]));
  }
  bool crossed = commutes(a) && !(alike(a->args[0], b->args[0]) && alike(a->args[1], b->args[1])) &&
                 alike(a->args[0], b->args[1]) && alike(a->args[1], b->args[0]);
  for (std::size_t k = 0; k < a->args.size(); ++k) {
    equations(a->args[k], forms_.substituted(b->args[crossed ? 1 - k : k], rename), out);
  }
}

void Equality::equations(const NormalForm& a, const NormalForm& b, std::vector<Term>& out) {
  if (a.size() != 1 || b.size() != 1 || a[0].factors.size() != b[0].factors.size() || a[0].bound.size() != b[0].bound.size()) {
    return;
  }
  Substitution rename;
  for (std::size_t k = 0; k < a[0].bound.size(); ++k) {
    rename.emplace(b[0].bound[k], int_var(a[0].bound[k]));
  }
  for (std::size_t k = 0; k < a[0].factors.size(); ++k) {
    AtomRef x = a[0].factors[k].atom;
    AtomRef y = b[0].factors[k].atom;
    if (same_skeleton(x, y)) {
      equations(x, forms_.substituted(y, rename), out);
    }
  }
}

// Equations (terms that are 0) solved for unknowns: where one has coefficient 1 and stands alone, as a quotient of unknowns,
// or as the last digit of a mixed radix number. What is found is checked by whoever asks.
Equality::Map Equality::solve(std::vector<Term> equations, const std::vector<Symbol>& unknowns_given,
                              const std::vector<Literal>& guards) {
  std::vector<Symbol> unknowns = unknowns_given;
  Map found;
  std::vector<std::pair<Term, Term>> quotients;
  auto open = [&](Term t) { return mentions_any(t, unknowns); };
  constexpr int kMostRounds = 24;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    std::vector<Term> rest;
    for (Term e : equations) {
      for (const auto& [atom, value] : quotients) {
        e = replaced(e, atom, value);
      }
      e = without_remainders(substitute(e, found));
      if (open(e)) {
        rest.push_back(e);
      }
    }
    equations = std::move(rest);
    for (std::size_t k = 0; k < equations.size() && !changed; ++k) {
      std::vector<Monomial> ms = monomials(equations[k]);
      std::vector<Term> atoms;
      for (const Monomial& m : ms) {
        for (Term a : m.atoms) {
          if (open(a) && std::find(atoms.begin(), atoms.end(), a) == atoms.end()) {
            atoms.push_back(a);
          }
        }
      }
      for (Term a : atoms) {
        auto unit = std::find_if(ms.begin(), ms.end(), [&](const Monomial& m) { return m.atoms == std::vector{a}; });
        auto uses = std::count_if(ms.begin(), ms.end(), [&](const Monomial& m) {
          return std::find(m.atoms.begin(), m.atoms.end(), a) != m.atoms.end();
        });
        if (unit == ms.end() || uses != 1 || (unit->coefficient != 1 && unit->coefficient != -1)) {
          continue;
        }
        Term value = int_const(-unit->coefficient) * (equations[k] - int_const(unit->coefficient) * a);
        if (atoms.size() == 1) {
          if (a.kind() == TermKind::IntVar) {
            found[a->symbol] = value;
            std::erase(unknowns, a->symbol);
          } else {
            quotients.emplace_back(a, value);
          }
          changed = true;
          break;
        }
        // a + (a multiple of the bound of a) == known: quotient and remainder.
        if (a.kind() != TermKind::IntVar) {
          continue;
        }
        auto bound = upper_bound(a, guards, unknowns);
        if (!bound) {
          continue;
        }
        std::vector<Monomial> unknown_part;
        for (const Monomial& m : monomials(value)) {
          if (std::any_of(m.atoms.begin(), m.atoms.end(), open)) {
            unknown_part.push_back({-m.coefficient, m.atoms});
          }
        }
        Term multiple = from_monomials(unknown_part);
        Term known = value + multiple;
        auto [whole, left] = divide(multiple, *bound);
        if (left != Term(0) || open(known)) {
          continue;
        }
        Term quotient = floor_div(known, *bound);
        found[a->symbol] = known - *bound * quotient;
        std::erase(unknowns, a->symbol);
        equations.push_back(whole - quotient);
        changed = true;
        break;
      }
    }
    if (!changed) {
      break;
    }
  }
  for (int k = 0; k < 3; ++k) {
    for (auto& [name, value] : found) {
      value = without_remainders(substitute(value, found));
    }
  }
  std::erase_if(found, [&](const auto& entry) { return mentions_any(entry.second, unknowns_given); });
  return found;
}

// n of a guard a <= n - 1.
std::optional<Term> Equality::upper_bound(Term a, const std::vector<Literal>& guards, const std::vector<Symbol>& unknowns) {
  for (const Literal& g : guards) {
    if (g.sign || g.fact.kind() != TermKind::IntLe) {
      continue;
    }
    Term n = g.fact.arg(1) - g.fact.arg(0) + a + 1;
    if (!mentions_any(n, unknowns) && !mentions(n, a->symbol)) {
      return n;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
