// Where the meaning of a call applies what is not defined everywhere: its divisions, logarithms, roots, powers, with the indices
// and the choices around them.
#pragma once

#include <vector>

#include "kernel/kernel.h"

namespace vouch {

struct PartialTerm {
  enum class Needs : std::uint8_t { NonZero, NonNegative, Positive, Value };  // `Value`: to have one
  Needs needs;
  Term term;
  std::vector<BoundIndex> indices;  // around it, outer ones first
  std::vector<Term> guards;         // that hold where it is computed
};

// Those that read tensors: of what sizes and attributes alone decide typing speaks.
std::vector<PartialTerm> partial_terms(const Kernel& meaning);

}  // namespace vouch
