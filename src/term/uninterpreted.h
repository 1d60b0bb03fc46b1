// Scalar functions of one argument of which nothing is known but that equal arguments give equal values. They have numbers, which
// stand past those of the table of scalar functions; what one stands for is said by whoever makes terms of it.
#pragma once

#include <optional>

#include "term/term.h"

namespace vouch {

inline constexpr int kUninterpretedCount = 200;
static_assert(kFnCount + kUninterpretedCount <= 256, "functions have numbers of eight bits");

// 0 <= number < kUninterpretedCount
constexpr Fn uninterpreted(int number) { return static_cast<Fn>(kFnCount + number); }

// Its number; nothing for functions of the table.
constexpr std::optional<int> uninterpreted_number(Fn fn) {
  int number = static_cast<int>(fn) - kFnCount;
  return number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace vouch
