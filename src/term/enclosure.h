// Guaranteed enclosures of real numbers: `low <= value <= high` with rational ends. Exact values have equal ends and stay
// exact under field operations; where an end is not exact, ends are rounded outwards to a number of bits.
#pragma once

#include <optional>

#include "support/number.h"

namespace vouch {

struct Enclosure {
  Rational low;
  Rational high;
  int infinite = 0;  // -1, 1: the value is exactly minus or plus infinity, and the ends say nothing

  Enclosure() = default;
  Enclosure(Rational value) : low(value), high(std::move(value)) {}  // NOLINT: a number encloses itself
  Enclosure(Rational from, Rational to) : low(std::move(from)), high(std::move(to)) {}
  static Enclosure infinity(int sign);

  bool exact() const { return infinite == 0 && low == high; }
  bool contains(const Rational& value) const { return infinite == 0 && low <= value && value <= high; }
};

// Of numbers. The library's own order divides again and again.
bool is_less(const Rational& a, const Rational& b);

// Decided comparisons; nothing where the enclosures overlap.
std::optional<bool> less(const Enclosure& a, const Enclosure& b);
std::optional<bool> less_equal(const Enclosure& a, const Enclosure& b);
std::optional<bool> equal(const Enclosure& a, const Enclosure& b);

// Ends that are not exact are rounded outwards to `bits` significant bits. Nothing: the value is not defined (infinity
// minus infinity, a divisor that may be zero).
std::optional<Enclosure> add(const Enclosure& a, const Enclosure& b, int bits);
std::optional<Enclosure> multiply(const Enclosure& a, const Enclosure& b, int bits);
std::optional<Enclosure> divide(const Enclosure& a, const Enclosure& b, int bits);
Enclosure negate(const Enclosure& a);
Enclosure least(const Enclosure& a, const Enclosure& b);
Enclosure greatest(const Enclosure& a, const Enclosure& b);

// The ends, if they differ, to `bits` significant bits, outwards.
Enclosure widen(Enclosure value, int bits);
// `3/4`; `[0.1234, 0.1235]` for what is not exact; `inf`, `-inf`.
std::string to_text(const Enclosure& value);

}  // namespace vouch
