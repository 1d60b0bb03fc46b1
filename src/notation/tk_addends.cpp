#include "notation/tk_addends.h"

#include <algorithm>

namespace vouch {
namespace {

TkAddend whole(Term term, const std::vector<Symbol>& spatial) {
  TkAddend out{term, {}};
  for (Symbol name : free_variables(term)) {
    if (std::find(spatial.begin(), spatial.end(), name) == spatial.end()) {
      out.reduced.push_back(name);
    }
  }
  return out;
}

bool all_reduced_alike(const std::vector<TkAddend>& addends) {
  return std::all_of(addends.begin(), addends.end(), [&](const TkAddend& a) { return a.reduced == addends.front().reduced; });
}

// Of a factor or dividend: one piece unless its addends are summed over different indices.
std::vector<Term> pieces(Term term, const std::vector<Symbol>& spatial) {
  std::vector<TkAddend> addends = split_addends(term, spatial);
  if (all_reduced_alike(addends)) {
    return {term};
  }
  std::vector<Term> out;
  for (const TkAddend& addend : addends) {
    out.push_back(addend.term);
  }
  return out;
}

// A sum of indices is a sum as well.
std::vector<TkAddend> of_integers(Term term, const std::vector<Symbol>& spatial) {
  std::vector<TkAddend> out;
  for (const Monomial& monomial : monomials(term.arg(0))) {
    Term part = from_monomials({monomial});
    out.push_back(whole(is_const(part) ? real_const(part->value) : real_of(part), spatial));
  }
  return out.empty() || all_reduced_alike(out) ? std::vector<TkAddend>{whole(term, spatial)} : out;
}

}  // namespace

std::vector<TkAddend> split_addends(Term term, const std::vector<Symbol>& spatial) {
  std::vector<TkAddend> out;
  auto add_all = [&](Term part, bool negative) {
    for (TkAddend& addend : split_addends(part, spatial)) {
      out.push_back(negative ? TkAddend{-addend.term, addend.reduced} : std::move(addend));
    }
  };
  switch (term.kind()) {
    case TermKind::RealAdd:
    case TermKind::RealSub:
      add_all(term.arg(0), false);
      add_all(term.arg(1), term.kind() == TermKind::RealSub);
      return out;
    case TermKind::RealNeg: add_all(term.arg(0), true); return out;
    case TermKind::RealOf: return of_integers(term, spatial);
    case TermKind::RealMul:
    case TermKind::RealDiv: {
      bool product = term.kind() == TermKind::RealMul;
      for (Term left : pieces(term.arg(0), spatial)) {
        for (Term right : product ? pieces(term.arg(1), spatial) : std::vector<Term>{term.arg(1)}) {
          out.push_back(whole(product ? left * right : left / right, spatial));
        }
      }
      return all_reduced_alike(out) ? std::vector<TkAddend>{whole(term, spatial)} : out;
    }
    default: return {whole(term, spatial)};
  }
}

}  // namespace vouch
