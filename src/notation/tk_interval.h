// Exact ranges of integer terms over boxes of their variables.
#pragma once

#include <optional>
#include <unordered_map>

#include "notation/tk_sizes.h"
#include "term/term.h"

namespace vouch {

// Both ends inclusive, terms over sizes; an absent end is infinite.
struct Interval {
  std::optional<Term> low;
  std::optional<Term> high;
  bool bounded() const { return low.has_value() && high.has_value(); }
};

// The ranges of variables, and what is known of the sizes that are their ends. A size is its own range.
struct Box : std::unordered_map<Symbol, Interval> {
  SizeFacts sizes;

  // Is a >= b for all sizes? Only `true` is proven.
  bool at_least(Term a, Term b) const { return nonnegative(a - b, sizes); }
  // Of two terms over sizes the one that is at least (at most) the other; nothing if neither is shown to be.
  std::optional<Term> greater(Term a, Term b) const;
  std::optional<Term> smaller(Term a, Term b) const;
};

// A range that holds every value of the term; variables without range are unbounded. Exact for sums of distinct atoms.
Interval range_of(Term term, const Box& box);

// The exact range, by trying every point of the box; nothing if the box is unbounded, has sizes or has too many points.
std::optional<Interval> range_by_trial(Term term, const Box& box);

// Whether the guard holds (or fails) everywhere in the box; nothing if neither is shown.
std::optional<bool> decided(Term guard, const Box& box);

}  // namespace vouch
