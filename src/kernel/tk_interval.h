// Exact ranges of integer terms over boxes of their variables.
#pragma once

#include <optional>
#include <unordered_map>

#include "term/term.h"

namespace vouch {

// Both ends inclusive; an absent end is infinite.
struct Interval {
  std::optional<Integer> low;
  std::optional<Integer> high;
  bool bounded() const { return low.has_value() && high.has_value(); }
};

using Box = std::unordered_map<Symbol, Interval>;

// A range that holds every value of the term; variables without range are unbounded. Exact for sums of distinct atoms.
Interval range_of(Term term, const Box& box);

// The exact range, by trying every point of the box; nothing if the box is unbounded or has too many points.
std::optional<Interval> range_by_trial(Term term, const Box& box);

// Whether the guard holds (or fails) everywhere in the box; nothing if neither is shown.
std::optional<bool> decided(Term guard, const Box& box);

}  // namespace vouch
