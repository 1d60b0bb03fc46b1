#include "facts/product_equations.h"

#include <algorithm>

#include "term/substitute.h"

namespace vouch {
namespace {

bool is_product(const std::vector<Monomial>& side) { return side.size() == 1 && side[0].coefficient == 1; }

bool is_of_variables(const std::vector<Term>& atoms) {
  return std::all_of(atoms.begin(), atoms.end(), [](Term a) { return a.kind() == TermKind::IntVar; });
}

// Takes the factors out, each once; false and nothing done if one is missing.
bool take_out(std::vector<Term>& atoms, const std::vector<Term>& factors) {
  std::vector<Term> left = atoms;
  for (Term factor : factors) {
    auto at = std::find(left.begin(), left.end(), factor);
    if (at == left.end()) {
      return false;
    }
    left.erase(at);
  }
  atoms = std::move(left);
  return true;
}

bool rewrite(Monomial& m, const std::vector<ProductEquation>& equations) {
  for (const ProductEquation& equation : equations) {
    if (take_out(m.atoms, equation.from)) {
      m.atoms.insert(m.atoms.end(), equation.to.begin(), equation.to.end());
      std::sort(m.atoms.begin(), m.atoms.end(), TermOrder());
      return true;
    }
  }
  return false;
}

Term rewritten_sum(Term sum, const std::vector<ProductEquation>& equations) {
  constexpr int kMostSteps = 8;
  std::vector<Monomial> parts = monomials(sum);
  bool changed = false;
  for (Monomial& m : parts) {
    for (int step = 0; step < kMostSteps && rewrite(m, equations); ++step) {
      changed = true;
    }
  }
  return changed ? from_monomials(parts) : sum;
}

}  // namespace

std::vector<ProductEquation> product_equations(const Facts& facts) {
  std::vector<ProductEquation> out;
  for (Term fact : facts) {
    if (fact.kind() != TermKind::IntEq) {
      continue;
    }
    for (std::size_t side : {0U, 1U}) {
      const std::vector<Monomial>& from = monomials_of(fact.arg(side));
      const std::vector<Monomial>& to = monomials_of(fact.arg(1 - side));
      if (!is_product(from) || !is_product(to) || from[0].atoms.size() < 2 || to[0].atoms.size() < 2 ||
          !is_of_variables(to[0].atoms)) {
        continue;
      }
      if (!is_of_variables(from[0].atoms) || TermOrder()(fact.arg(1 - side), fact.arg(side))) {
        out.push_back({from[0].atoms, to[0].atoms});
        break;
      }
    }
  }
  return out;
}

Term rewritten(Term term, const std::vector<ProductEquation>& equations) {
  if (equations.empty() || term.args().empty() || term.kind() == TermKind::IntOf) {
    return term;
  }
  Term out = with_arguments(term, [&](Term arg) { return rewritten(arg, equations); });
  return out.kind() == TermKind::IntMul || out.kind() == TermKind::IntAdd ? rewritten_sum(out, equations) : out;
}

std::optional<Term> without_common_factor(Term fact, const Facts& facts) {
  if (fact.kind() != TermKind::IntEq) {
    return std::nullopt;
  }
  std::vector<Monomial> left = monomials(fact.arg(0));
  std::vector<Monomial> right = monomials(fact.arg(1));
  if (left.size() != 1 || right.size() != 1) {
    return std::nullopt;
  }
  bool any = false;
  for (Term a : std::vector<Term>(left[0].atoms)) {
    bool positive = std::find(facts.begin(), facts.end(), ge(a, 1)) != facts.end();
    if (positive && take_out(right[0].atoms, {a})) {
      take_out(left[0].atoms, {a});
      any = true;
    }
  }
  return any ? std::optional(eq(from_monomials(left), from_monomials(right))) : std::nullopt;
}

}  // namespace vouch
