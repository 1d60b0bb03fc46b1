#include "facts/unit_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "facts/arithmetic.h"
#include "facts/index_terms.h"
#include "facts/size_equations.h"
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

// Variables with a fact `c <= v` for c >= `least`.
std::set<Symbol> variables_from(int least, const std::vector<Term>& facts) {
  std::set<Symbol> out;
  for (Term fact : facts) {
    if (fact.kind() == TermKind::IntLe && fact.arg(1).kind() == TermKind::IntVar && is_const(fact.arg(0)) &&
        numerator(fact.arg(0)->value) >= least) {
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

class UnitSolver {
 public:
  UnitSolver(const std::vector<Term>& conditions, std::vector<Term>* more, std::vector<NamedQuotient>* quotients)
      : more_(more), quotients_(quotients), derives_(more != nullptr && quotients == nullptr) {
    for (Term c : conditions) {
      flatten(c, facts_);
    }
    positive_ = variables_from(1, facts_);
    not_negative_ = variables_from(0, facts_);
  }

  Substitution run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Term fact : facts_) {
        changed = (fact.kind() == TermKind::RealEq && solve_scalar(fact)) ||
                  (fact.kind() == TermKind::IntEq && (solve(equation(fact)) || solve_by_quotients(fact))) || changed;
      }
    }
    add_shorter_equations();
    return std::move(solved_);
  }

 private:
  void add(Symbol name, Term value) {
    for (auto& [other, old] : solved_) {
      old = substitute(old, name, value);
    }
    solved_[name] = value;
  }

  // p of p == 0.
  Term equation(Term fact) const {
    Term p = without_remainders(substitute(fact.arg(1) - fact.arg(0), solved_));
    return without_common_factor(derives_ ? settled(p, positive_) : p, positive_);
  }

  bool solve_scalar(Term fact) {
    for (std::size_t side : {0U, 1U}) {
      Term v = substitute(fact.arg(side), solved_);
      Term c = fact.arg(1 - side);
      if (v.kind() == TermKind::RealVar && c.kind() == TermKind::RealConst) {
        add(v->symbol, c);
        return true;
      }
    }
    return false;
  }

  bool solve(Term p) {
    if (auto multiple = more_ ? multiple_of(p) : std::nullopt) {
      name_quotient(*multiple);
      return true;
    }
    if (auto both = derives_ ? equal_variables(p, not_negative_) : std::nullopt) {
      add(both->first, int_var(both->second));
      return true;
    }
    if (std::vector<Symbol> ones = factors_of_one(p, positive_); !ones.empty()) {
      for (Symbol one : ones) {
        add(one, 1);
      }
      return true;
    }
    for (const Monomial& m : monomials(p)) {
      bool unit = m.atoms.size() == 1 && m.atoms[0].kind() == TermKind::IntVar && (m.coefficient == 1 || m.coefficient == -1);
      Term rest = unit ? p - int_const(m.coefficient) * m.atoms[0] : Term();
      if (unit && !mentions(rest, m.atoms[0]->symbol)) {
        add(m.atoms[0]->symbol, int_const(-m.coefficient) * rest);
        return true;
      }
    }
    return false;
  }

  void name_quotient(const Multiple& multiple) {
    Term q = int_var(fmt::format("{} / {}", multiple.v.name(), print_term(multiple.divisor)));
    if (quotients_) {
      quotients_->push_back({q->symbol, int_var(multiple.v), multiple.divisor});
    }
    std::vector<Term> factors = monomials(multiple.divisor)[0].atoms;
    bool above = std::all_of(factors.begin(), factors.end(),
                             [&](Term a) { return a.kind() == TermKind::IntVar && positive_.contains(a->symbol); });
    if (positive_.contains(multiple.v) && above && monomials(multiple.divisor)[0].coefficient > 0) {
      more_->push_back(ge(q, 1));
      derives_ ? void(positive_.insert(q->symbol)) : void();
    }
    add(multiple.v, multiple.divisor * q);
  }

  // The equation by what others say of a quotient in it.
  std::vector<Term> by_quotients(Term fact) const {
    std::vector<Term> out;
    Term p = equation(fact);
    for (Term other : derives_ && !divisors_of(p).empty() ? facts_ : std::vector<Term>()) {
      auto known = other.kind() == TermKind::IntEq && other != fact ? known_quotient(equation(other)) : std::nullopt;
      Term shorter = known ? replaced(p, known->first, known->second) : p;
      if (shorter != p) {
        out.push_back(without_common_factor(shorter, positive_));
      }
    }
    return out;
  }

  bool solve_by_quotients(Term fact) {
    std::vector<Term> all = by_quotients(fact);
    return std::any_of(all.begin(), all.end(), [&](Term p) { return solve(p); });
  }

  // Where no unknown stands alone, it is a fact all the same.
  void add_shorter_equations() {
    for (Term fact : facts_) {
      for (Term p : fact.kind() == TermKind::IntEq ? by_quotients(fact) : std::vector<Term>()) {
        more_->push_back(eq(p, 0));
      }
    }
  }

  std::vector<Term>* more_;
  std::vector<NamedQuotient>* quotients_;
  bool derives_;  // the prover's: theorems state their equations as they stand
  std::vector<Term> facts_;
  std::set<Symbol> positive_;
  std::set<Symbol> not_negative_;
  Substitution solved_;
};

}  // namespace

Substitution solve_units(const std::vector<Term>& conditions, std::vector<Term>* more, std::vector<NamedQuotient>* quotients) {
  return UnitSolver(conditions, more, quotients).run();
}

}  // namespace vouch
