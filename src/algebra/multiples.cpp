// Sums over multiples of a size: what a padding between elements leaves of a tensor.
#include <algorithm>
#include <iterator>

#include "algebra/equality.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// `whole` is a multiple of `size`, where `quotient` is whole // size.
struct Multiple {
  Term whole;
  Term size;
  Term quotient;
};

// Of an equation that says so: whole == size * (whole // size).
std::optional<Multiple> multiple_in(Term equation) {
  Term difference = equation.arg(1) - equation.arg(0);
  for (const Monomial& m : monomials(difference)) {
    for (Term atom : m.atoms) {
      if (atom.kind() != TermKind::FloorDiv) {
        continue;
      }
      Term rest = atom.arg(0) - atom.arg(1) * atom;
      if (difference == rest || difference == -rest) {
        return Multiple{atom.arg(0), atom.arg(1), atom};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Term> solved_for(Symbol variable, Term whole, Term is) {
  for (const Monomial& m : monomials(whole)) {
    bool unit = m.atoms.size() == 1 && m.atoms[0] == int_var(variable) && (m.coefficient == 1 || m.coefficient == -1);
    Term other = unit ? whole - int_const(m.coefficient) * int_var(variable) : Term();
    if (unit && !mentions(other, variable)) {
      return int_const(m.coefficient) * (is - other);
    }
  }
  return std::nullopt;
}

// Σ over b where e, with b or -b in it, is a multiple of m >= 1, is Σ over the quotients j: b is where e == m * j.
std::optional<NormalForm> Equality::over_quotients(const Summand& s, const Context& context) {
  for (const Literal& g : s.guards) {
    auto multiple = g.sign || g.fact.kind() != TermKind::IntEq ? std::nullopt : multiple_in(g.fact);
    for (Symbol b : multiple ? s.bound : std::vector<Symbol>()) {
      Symbol j = forms_.fresh(b);
      auto value = mentions(multiple->size, b) ? std::nullopt : solved_for(b, multiple->whole, multiple->size * int_var(j));
      std::vector<Literal> others;
      std::copy_if(s.guards.begin(), s.guards.end(), std::back_inserter(others),
                   [&](const Literal& l) { return !has_symbol(free_symbols(l), b); });
      if (!value || !arithmetic_.entails(context.with(others).facts, ge(multiple->size, 1))) {
        continue;
      }
      Summand open = s;
      std::erase(open.guards, g);
      std::erase(open.bound, b);
      NormalForm out = forms_.mapped_under(open, {ge(*value, 0)}, [&](Term t) {
        return without_remainders(substitute(replaced(t, multiple->quotient, int_var(j)), b, *value));
      });
      for (Summand& x : out) {
        x.bound.push_back(j);
      }
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
