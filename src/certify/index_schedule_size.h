// Sizes in schedules: parts of sizes that have names, and multiples of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/size.h"

namespace vouch {

// The summands of a text as `print_size` has it: products of numbers, names, and `n / 64`, `n % 64`, `n / 16 % 4` or
// `(n % 64 + 63) / 64`; nothing if it is no such text.
std::optional<std::vector<array::Size>> schedule_sizes(const std::string& text, const std::vector<std::string>& names);

}  // namespace vouch
