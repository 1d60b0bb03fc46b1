// Index terms and guards at given values of sizes and index variables.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "array/ast.h"

namespace vouch::array {

struct IndexValues {
  const std::vector<Integer>& sizes;
  std::function<Integer(unsigned)> variable;
};

// Nothing on a division by zero. Differences may be negative.
std::optional<Integer> index_value(const Index& index, const IndexValues& values);
// Of conjunctions and disjunctions, the second part only where it matters.
std::optional<bool> guard_value(const Guard& guard, const IndexValues& values);

}  // namespace vouch::array
