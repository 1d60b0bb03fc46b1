// What a call of Attention is given: heads of queries, keys and values, what is past, masks.
#pragma once

#include <optional>

#include "graph/op_def.h"
#include "graph/ops/operands.h"

namespace vouch {

// Operands of Attention.
inline constexpr std::size_t kQueries = 0;
inline constexpr std::size_t kKeys = 1;
inline constexpr std::size_t kValues = 2;
inline constexpr std::size_t kMask = 3;
inline constexpr std::size_t kPastKeys = 4;
inline constexpr std::size_t kPastValues = 5;
inline constexpr std::size_t kCounts = 6;  // of keys that are no padding

// A tensor of heads: [batch, heads, length, size], or [batch, length, heads * size].
struct Heads {
  std::size_t operand = 0;
  bool apart = false;  // they are an axis
  Term count;
  Term length;
  Term size;

  Term read(const OpContext& c, Term batch, Term head, Term place, Term element) const {
    return c.read(operand, apart ? Terms{batch, head, place, element} : Terms{batch, place, head * size + element});
  }
};

// What a call is about, and what it has been checked for.
struct Attended {
  Heads queries;
  Heads keys;
  Heads values;
  Term batch;
  Term past = 0;  // keys of before
  Term group;     // queries' heads for each of the keys'
  DType kept = DType::Float32;
  bool causal = false;
  Term softcap;  // nothing: none

  Term total() const { return past + keys.length; }
  Terms scores() const { return {batch, queries.count, queries.length, total()}; }
};

// Nothing: the call is none, or one that is read in two ways.
std::optional<Attended> attended_of(OpContext& c);

}  // namespace vouch
