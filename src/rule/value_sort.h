// What an expression of a rule evaluates to, as far as its form tells, and what an attribute takes.
#pragma once
#include <cstdint>
#include <string_view>

#include "graph/op_def.h"
#include "rule/ast.h"

namespace vouch {

enum class ValueSort : std::uint8_t { Unknown, Int, Real, Text, Tuple };

// An operator's own attribute may be named as one of the derived ones; then nothing is known.
ValueSort sort_of(const Rule& rule, AttrId id);

std::string_view sort_words(ValueSort sort);

struct Expected {
  std::string_view words;
  ValueSort sort = ValueSort::Unknown;  // Real also admits integers
  ValueSort item = ValueSort::Unknown;  // of tuples
};

Expected expected_of(AttrType type);

bool admits(ValueSort wanted, ValueSort found);

}  // namespace vouch
