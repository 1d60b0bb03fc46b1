// What a reader of other notations (C, Python, NumPy) may write in a kernel's text, and how it is said here: hints of messages.
#pragma once

#include <string_view>

namespace vouch {

// What `found` is likely to mean where `expected` should stand (a mark; empty for a term), directly after the character `before`
// (a blank, if it does not touch what is before); empty if nothing is known.
std::string_view tk_meant_by(std::string_view expected, std::string_view found, char before);

// What a function, an element type or a word at the beginning of a line is here that has this name elsewhere.
std::string_view tk_meant_by_function(std::string_view name);
std::string_view tk_meant_by_type(std::string_view name);
std::string_view tk_meant_by_word(std::string_view name);

}  // namespace vouch
