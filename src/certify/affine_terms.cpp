#include "certify/affine_terms.h"

#include <algorithm>

#include "certify/index_lowering.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// `a - b * (a // b)` is the remainder.
Term with_remainders(Term term) {
  for (const Monomial& monomial : monomials(term)) {
    for (Term atom : monomial.atoms) {
      bool divided = atom.kind() == TermKind::FloorDiv && atom.arg(0) != term && const_int(atom.arg(1));
      if (!divided) {
        continue;
      }
      Term rest = term + atom.arg(1) * atom - atom.arg(0);
      if (monomials(rest).size() < monomials(term).size()) {
        return with_remainders(rest) + floor_mod(atom.arg(0), atom.arg(1));
      }
    }
  }
  return term;
}

}  // namespace

void AffineTerms::refuse(Term of) {
  if (refusal_.empty()) {
    std::unordered_map<Symbol, Term> names;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      names.emplace(array::size_term(array::size_var(static_cast<unsigned>(k)))->symbol, int_var(sizes_[k]));
    }
    refusal_ = print_term(substitute(of, names));
  }
}

IndexTerm AffineTerms::atom(Term of) {
  if (of.kind() == TermKind::IntVar) {
    for (std::size_t k = 0; k < scope_.size(); ++k) {
      if (scope_[k].name == of) {
        return term_variable(static_cast<unsigned>(scope_.size() - 1 - k));
      }
    }
    for (unsigned k = 0; k < sizes_.size(); ++k) {
      if (array::size_term(array::size_var(k)) == of) {
        return {IndexTermKind::Size, 0, 0, array::size_var(k), {}};
      }
    }
  }
  bool quotient = of.kind() == TermKind::FloorDiv;
  if ((quotient || of.kind() == TermKind::FloorMod) && const_int(of.arg(1)).value_or(0) > 0) {
    return {quotient ? IndexTermKind::Div : IndexTermKind::Mod, 0, Integer(*const_int(of.arg(1))), {}, {term(of.arg(0))}};
  }
  refuse(of);
  return {};
}

// Of sizes alone, or one index.
IndexTerm AffineTerms::product(const Monomial& monomial) {
  if (monomial.atoms.empty()) {
    return term_constant(monomial.coefficient);
  }
  IndexTerm all = atom(monomial.atoms[0]);
  for (std::size_t k = 1; k < monomial.atoms.size(); ++k) {
    IndexTerm factor = atom(monomial.atoms[k]);
    if (all.kind != IndexTermKind::Size || factor.kind != IndexTermKind::Size) {
      refuse(product_of(monomial.atoms));
      return {};
    }
    all.size = array::size_mul(all.size, factor.size);
  }
  return monomial.coefficient == 1 ? all : term_scaled(monomial.coefficient, all);
}

IndexTerm AffineTerms::term(Term of) {
  std::optional<IndexTerm> sum;
  for (const Monomial& monomial : monomials(with_remainders(of))) {
    IndexTerm part = product(monomial);
    sum = sum ? term_sum(*sum, part) : std::move(part);
  }
  return sum.value_or(term_constant(0));
}

IndexCond AffineTerms::condition(const AffineCondition& of) {
  auto joined = [&](IndexCondKind kind) { return IndexCond{kind, {}, {condition(of.parts[0]), condition(of.parts[1])}}; };
  switch (of.kind) {
    case array::GuardKind::Less: return {IndexCondKind::Le, {term(of.terms[0] + 1), term(of.terms[1])}, {}};
    case array::GuardKind::Equal: return {IndexCondKind::Eq, {term(of.terms[0]), term(of.terms[1])}, {}};
    case array::GuardKind::And: return joined(IndexCondKind::And);
    case array::GuardKind::Or: return joined(IndexCondKind::Or);
    case array::GuardKind::Not: return {IndexCondKind::Not, {}, {condition(of.parts[0])}};
  }
  fault("no such condition");
}

}  // namespace vouch
