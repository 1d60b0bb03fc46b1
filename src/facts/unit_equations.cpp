#include "facts/unit_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "facts/arithmetic.h"
#include "term/print.h"

namespace vouch {
namespace {

void flatten(Term guard, std::vector<Term>& out) {
  if (guard.kind() == TermKind::And) {
    for (Term part : guard.args()) {
      flatten(part, out);
    }
  } else {
    out.push_back(guard);
  }
}

// Variables with a fact `c <= v` for c >= 1.
std::set<Symbol> positive_variables(const std::vector<Term>& facts) {
  std::set<Symbol> out;
  for (Term fact : facts) {
    if (fact.kind() == TermKind::IntLe && fact.arg(1).kind() == TermKind::IntVar && is_const(fact.arg(0)) &&
        numerator(fact.arg(0)->value) >= 1) {
      out.insert(fact.arg(1)->symbol);
    }
  }
  return out;
}

Term without_common_factor(Term p, const std::set<Symbol>& positive) {
  std::vector<Monomial> ms = monomials(p);
  if (ms.empty()) {
    return p;
  }
  for (Term atom : std::vector<Term>(ms[0].atoms)) {
    if (atom.kind() != TermKind::IntVar || !positive.contains(atom->symbol)) {
      continue;
    }
    bool everywhere = std::all_of(ms.begin(), ms.end(), [&](const Monomial& m) {
      return std::find(m.atoms.begin(), m.atoms.end(), atom) != m.atoms.end();
    });
    if (everywhere) {
      for (Monomial& m : ms) {
        m.atoms.erase(std::find(m.atoms.begin(), m.atoms.end(), atom));
      }
    }
  }
  return from_monomials(ms);
}

// If the equation says that a product of integers is 1: its factors that are at least 1, which are 1 then.
std::vector<Symbol> factors_of_one(Term p, const std::set<Symbol>& positive) {
  std::vector<Monomial> ms = monomials(p);
  bool one = ms.size() == 2 && ms[1].atoms.empty() && ms[0].coefficient + ms[1].coefficient == 0 && ms[0].atoms.size() > 1 &&
             (ms[0].coefficient == 1 || ms[0].coefficient == -1);
  std::vector<Symbol> out;
  for (std::size_t k = 0; one && k < ms[0].atoms.size(); ++k) {
    Term atom = ms[0].atoms[k];
    bool counts = atom.kind() == TermKind::IntVar && positive.contains(atom->symbol);
    if (counts && std::find(out.begin(), out.end(), atom->symbol) == out.end()) {
      out.push_back(atom->symbol);
    }
  }
  return out;
}

// p == sign * (v - m * (v // m)): v is a multiple of m.
struct Multiple {
  Symbol v;
  Term divisor;
};
std::optional<Multiple> multiple_of(Term p) {
  for (const Monomial& m : monomials(p)) {
    bool unit = m.atoms.size() == 1 && m.atoms[0].kind() == TermKind::IntVar && (m.coefficient == 1 || m.coefficient == -1);
    if (!unit) {
      continue;
    }
    Term v = m.atoms[0];
    Term rest = v - int_const(m.coefficient) * p;  // v // m times m
    std::vector<Monomial> parts = monomials(rest);
    if (parts.size() != 1 || parts[0].atoms.size() < 2) {
      continue;
    }
    for (Term atom : parts[0].atoms) {
      bool of_v = atom.kind() == TermKind::FloorDiv && atom.arg(0) == v && !mentions(atom.arg(1), v->symbol);
      if (of_v && atom.arg(1) * atom == rest && monomials(atom.arg(1)).size() == 1) {
        return Multiple{v->symbol, atom.arg(1)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Substitution solve_units(const std::vector<Term>& conditions, std::vector<Term>* more, std::vector<NamedQuotient>* quotients) {
  std::vector<Term> facts;
  for (Term c : conditions) {
    flatten(c, facts);
  }
  std::set<Symbol> positive = positive_variables(facts);
  Substitution solved;
  auto add = [&](Symbol name, Term value) {
    for (auto& [other, old] : solved) {
      old = substitute(old, name, value);
    }
    solved[name] = value;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Term fact : facts) {
      if (fact.kind() == TermKind::RealEq) {
        for (int side : {0, 1}) {
          Term v = substitute(fact.arg(static_cast<std::size_t>(side)), solved);
          Term c = fact.arg(static_cast<std::size_t>(1 - side));
          if (v.kind() == TermKind::RealVar && c.kind() == TermKind::RealConst) {
            add(v->symbol, c);
            changed = true;
            break;
          }
        }
        continue;
      }
      if (fact.kind() != TermKind::IntEq) {
        continue;
      }
      Term p = without_remainders(substitute(fact.arg(1) - fact.arg(0), solved));
      p = without_common_factor(p, positive);
      if (auto multiple = more ? multiple_of(p) : std::nullopt) {
        Term q = int_var(fmt::format("{} / {}", multiple->v.name(), print_term(multiple->divisor)));
        if (quotients) {
          quotients->push_back({q->symbol, int_var(multiple->v), multiple->divisor});
        }
        std::vector<Term> factors = monomials(multiple->divisor)[0].atoms;
        bool above = std::all_of(factors.begin(), factors.end(),
                                 [&](Term a) { return a.kind() == TermKind::IntVar && positive.contains(a->symbol); });
        if (positive.contains(multiple->v) && above && monomials(multiple->divisor)[0].coefficient > 0) {
          more->push_back(ge(q, 1));
        }
        add(multiple->v, multiple->divisor * q);
        changed = true;
        continue;
      }
      if (std::vector<Symbol> ones = factors_of_one(p, positive); !ones.empty()) {
        for (Symbol one : ones) {
          add(one, 1);
        }
        changed = true;
        continue;
      }
      for (const Monomial& m : monomials(p)) {
        bool unit = m.atoms.size() == 1 && m.atoms[0].kind() == TermKind::IntVar && (m.coefficient == 1 || m.coefficient == -1);
        Term rest = unit ? p - int_const(m.coefficient) * m.atoms[0] : Term();
        if (unit && !mentions(rest, m.atoms[0]->symbol)) {
          add(m.atoms[0]->symbol, int_const(-m.coefficient) * rest);
          changed = true;
          break;
        }
      }
    }
  }
  return solved;
}

}  // namespace vouch
