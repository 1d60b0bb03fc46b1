// Constants and binary32 numbers.
#pragma once

#include <optional>
#include <string>

#include "array/ast.h"
#include "support/number.h"

namespace vouch::array {

// Whole numbers below 2^24 have exponent 0, others an odd mantissa; no constant is a NaN or minus zero.
std::optional<Const> const_of(float value);
// The number as a literal of the type: rounded to a float, exact as an integer. Nothing if it has none.
std::optional<Const> const_in(Element element, const Rational& value);
// Exact, for a constant that `is_binary32`.
float float_of(const Const& constant);
// A binary32 number, by the bounds of `const_ok` in coq/certify/Names.v.
bool is_binary32(const Const& constant);
// In arrays: an index as a value.
Const ordinal();
// A literal: `3`, `0.1` (rounded to binary32), `1e-5`, `0x3p-2` (kept as written). Nothing if it is too large or none.
std::optional<Const> parse_const(const std::string& text);
// `parse_const(print_const(c)) == c` for a finite c that is not negative.
std::string print_const(const Const& constant);

}  // namespace vouch::array
