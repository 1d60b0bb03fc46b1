#include "facts/exact_quotient.h"

#include <unordered_map>

namespace vouch {
namespace {

// The one term that m leaves whole, in another form than the quotient itself.
std::optional<Term> whole_part(Term same, Term e, Term m) {
  auto [whole, rest] = divide(same, m);
  bool new_form = whole != floor_div(e, m);  // that it divides is what the equation may say
  return rest == Term(0) && monomials_of(whole).size() <= 1 && new_form ? std::optional(whole) : std::nullopt;
}

// a == b as two products.
std::optional<std::pair<Term, Term>> equal_products(Term fact) {
  const std::vector<Monomial>& parts = monomials_of(fact.arg(1) - fact.arg(0));
  if (parts.size() != 2 || parts[0].coefficient + parts[1].coefficient != 0) {
    return std::nullopt;
  }
  Monomial a = parts[0];
  Monomial b = parts[1];
  a.coefficient = b.coefficient = 1;
  return std::pair(from_monomials({a}), from_monomials({b}));
}

std::optional<Term> quotient_by(Term fact, Term e, Term m) {
  Term zero = fact.arg(1) - fact.arg(0);
  for (Term same : {e + zero, e - zero}) {
    if (auto whole = whole_part(same, e, m)) {
      return whole;
    }
  }
  auto products = equal_products(fact);
  if (!products || monomials_of(e).size() != 1) {
    return std::nullopt;
  }
  for (auto [from, to] : {*products, std::pair(products->second, products->first)}) {
    auto [factor, rest] = divide(e, from);  // e == factor * from == factor * to
    if (rest == Term(0)) {
      if (auto whole = whole_part(factor * to, e, m)) {
        return whole;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Term> exact_quotient_of(Term fact) {
  if (fact.kind() != TermKind::IntEq) {
    return std::nullopt;
  }
  thread_local std::unordered_map<Term, std::optional<Term>> known;
  auto [at, is_new] = known.try_emplace(fact);
  if (is_new) {
    Term zero = fact.arg(1) - fact.arg(0);
    for (Term atom : deep_atoms(fact)) {
      Term rest = atom.kind() == TermKind::FloorDiv ? atom.arg(0) - atom.arg(1) * atom : Term();
      if (atom.kind() == TermKind::FloorDiv && (zero == rest || zero == Term(0) - rest)) {
        at->second = atom;
      }
    }
  }
  return at->second;
}

std::optional<Term> quotient_by_equation(Term e, Term m, const Facts& facts) {
  for (Term fact : facts) {
    auto whole = fact.kind() == TermKind::IntEq ? quotient_by(fact, e, m) : std::nullopt;
    if (whole) {
      return whole;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
