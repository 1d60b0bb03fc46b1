// What a reader of other notations (C, Python, NumPy, Rust) may write in a program text, and how it is said here: hints of
// messages.
#pragma once

#include <string_view>

namespace vouch::array {

// What `found` is likely to mean where `expected` should stand (a mark or a word; empty for a term); empty if nothing is known.
std::string_view meant_by(std::string_view expected, std::string_view found);

// What a name that nothing here has is elsewhere.
std::string_view meant_by_name(std::string_view name);

}  // namespace vouch::array
