// Small values for the symbols of an instance under which its source is legal: backtracking over small domains, guards
// evaluated as soon as they are decided, equalities solved for their last open symbol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "instance/instance.h"
#include "term/substitute.h"

namespace vouch {

// Integers, and rationals for symbols of kind Real. Sorted, so that whatever follows from it is the same in each run.
using Assignment = std::map<Symbol, Rational>;

Substitution substitution_of(const Assignment& assignment, const Instance& instance);

// The values that a search may give each symbol, best first. A symbol without entry takes what `default_domain` says.
using Domains = std::map<Symbol, std::vector<Rational>>;

// Values up to about `spread` in magnitude, 1 and 2 (0, 1 and -1 where they are allowed) first.
std::vector<Rational> default_domain(const FreeSymbol& symbol, std::int64_t spread);

class AssignmentSearch {
 public:
  // The assumptions of the instance, which must outlive it.
  explicit AssignmentSearch(const Instance& instance);
  ~AssignmentSearch();

  // An assignment that satisfies every assumption; domains are tried in random order unless `in_order`. Nothing if there
  // is none within the domains, or none was found within `steps` trials. Symbols that an equality determines may take
  // values outside of their default domain, never outside of an entry of `domains`.
  std::optional<Assignment> find(std::mt19937& random, std::int64_t spread, const Domains& domains = {}, bool in_order = false,
                                 std::int64_t steps = 4000);
  // True if every assumption holds; a guard that has no value does not.
  bool satisfies(const Assignment& assignment) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vouch
