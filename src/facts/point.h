// Numbers for variables, and what integer terms and guards are there.
//
// Sizes are within 64 bits, data has no value, nor has a quotient by what is not at least 1; guards are 0 or 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "facts/lemmas.h"

namespace vouch {

// Is it the name of an index, as proofs name them, and not of a size?
bool is_index_name(std::string_view name);

class Point {
 public:
  using Value = std::optional<std::int64_t>;

  // Variables that are not set have small numbers, drawn from their names: sizes from 1 to 4, indices from 0 to 2 and mostly 0.
  // The same in every run.
  static Point drawn(std::uint64_t draw);
  // Variables that are not set have no value.
  static Point empty() { return Point(); }
  // What is known at `sizes`, which outlives it, is known here; variables that are set here are not set there.
  static Point above(Point& sizes);

  void set(Symbol variable, std::int64_t value) { values_.insert_or_assign(variable, value); }
  const std::unordered_map<Symbol, std::int64_t>& values() const { return values_; }
  std::uint64_t draw() const { return draw_; }
  // What was worked out is forgotten, and has to be where a variable gets another value.
  void forget() { known_.clear(); }

  Value value(Term term);
  // The last is looked at first: what a query denies comes last, and is what most points miss.
  bool all_hold(const Facts& guards);

 private:
  Value computed(Term term);
  Value variable(Symbol name) const;
  Value junction(Term term);

  std::unordered_map<Symbol, std::int64_t> values_;
  std::unordered_map<const void*, Value> known_;  // by term
  std::uint64_t draw_ = 0;                        // 0: nothing is drawn
  Point* beneath_ = nullptr;
};

}  // namespace vouch
