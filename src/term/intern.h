// The unique table. For the term room alone: everyone else builds through term.h.
#pragma once

#include "term/term.h"

namespace vouch {

// The one term with this structure; fills in `hash` and `depth`.
Term intern(TermNode&& node);

// Of a kind that has nothing but arguments.
Term make_node(TermKind kind, Sort sort, std::span<const Term> args);
inline Term make_node(TermKind kind, Sort sort, std::initializer_list<Term> args) {
  return make_node(kind, sort, std::span<const Term>(args.begin(), args.size()));
}

// Sums as they stand: their summands in order (0 has none), what a summand is a multiple of, and how many times.
std::span<const Term> summands_of(const Term& sum);
std::span<const Term> atoms_of(const Term& summand);
Integer coefficient_of(Term summand);
Term multiple_of(const Integer& coefficient, std::span<const Term> atoms);
// Of summands in order, no two of the same atoms, none of them 0.
Term sum_in_order(std::span<const Term> summands);

// What the operators of term.h do on integer terms.
Term int_add(Term a, Term b);
Term int_mul(Term a, Term b);

}  // namespace vouch
