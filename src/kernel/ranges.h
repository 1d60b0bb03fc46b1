// What values integer terms can take when their variables stay within known ranges; simplification by it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "term/term.h"

namespace vouch {

// A closed interval; ends at or beyond ±2^62 mean unbounded.
struct Range {
  static constexpr std::int64_t kUnbounded = std::int64_t{1} << 62;
  std::int64_t low = -kUnbounded;
  std::int64_t high = kUnbounded;
  bool bounded() const { return low > -kUnbounded && high < kUnbounded; }
  friend bool operator==(const Range&, const Range&) = default;
};

// Variables that were never bound are unbounded. A name must keep one range.
class Ranges {
 public:
  void bind(Symbol name, Range range) { variables_.insert_or_assign(name, range); }
  Range of(Term integer);
  // The truth of a guard if ranges alone decide it.
  std::optional<bool> decide(Term guard);
  // `integer >= 0`, from ranges and from guards that hold.
  bool non_negative(Term integer, std::span<const Term> facts);
  // The same value for all values of the variables in their ranges, with `//`, `%`, min, max and guards resolved that
  // the ranges decide. Equals the term in scope of its own bound indices only if their names are bound here as well.
  Term simplify(Term term);

 private:
  Range compute(Term integer);
  Range quotient(Term dividend, Term divisor);
  Range remainder(Term term);
  Term resolve(Term term);

  std::unordered_map<Symbol, Range> variables_;
  std::unordered_map<Term, Range> known_;
  std::unordered_map<Term, Term> simplified_;
};

}  // namespace vouch
