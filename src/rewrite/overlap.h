// How the rules of a set stand to each other: which may rewrite the same part of a graph, and which undo each other.
//
// Both questions are asked of the rules' patterns alone, without a graph. Operators, literal attributes and literal constants
// decide; attributes that are computed, shapes and conditions do not, so `may` is meant: what is listed can happen if these
// agree, and what is not listed cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewrite/heads.h"
#include "rule/ast.h"

namespace vouch {

// A critical overlap: a vertex that matches an output of `second` may be one that `first` matches inside, at `at`. Which of
// the two fires first may then decide what comes out.
struct Overlap {
  std::size_t first = 0;
  std::size_t second = 0;
  PatternId at = kNone;  // in the source of `first`
};

// Every pair of rules, a rule with itself included, each place once; two rules that meet in their outputs only are listed
// once. Only patterns of one operator are compared. Ends where `most` have been found, or the budget is spent.
std::vector<Overlap> critical_overlaps(const std::vector<Rule>& rules, std::size_t most = SIZE_MAX,
                                       ComparisonBudget* budget = nullptr);

// `second` matches all that `first` writes, and writes what `first` has matched. A rule that undoes itself has both equal; two
// that undo each other are listed once.
// Operands of commutative operators are compared in the order in which they may match; where both do, as written.
struct UndoingPair {
  std::size_t first = 0;
  std::size_t second = 0;
};

bool undoes(const Rule& second, const Rule& first);
// Ends where `most` have been found, or the budget is spent.
std::vector<UndoingPair> undoing_pairs(const std::vector<Rule>& rules, std::size_t most = SIZE_MAX,
                                       ComparisonBudget* budget = nullptr);

// Rules whose target keeps or writes what their own source matches, so that they can fire on it for ever; by position, in order.
// Rules of one output whose patterns are calls, tuples, projections and inputs.
std::vector<std::size_t> repeating_rules(const std::vector<Rule>& rules);

// Whether one vertex of a graph could match a pattern of one rule and a pattern of another. Walks with a stack of its own.
class PatternMeeting {
 public:
  PatternMeeting(const Rule& a, const Rule& b) : a_(a), b_(b) {}
  bool may_meet(PatternId p, PatternId q);

 private:
  using Pair = std::pair<PatternId, PatternId>;
  using Way = std::vector<Pair>;  // all of these have to meet

  std::vector<Way> ways(PatternId p, PatternId q) const;
  std::vector<Way> ways_of_calls(const Pattern& p, const Pattern& q) const;
  const bool* known(Pair pair) const;

  const Rule& a_;
  const Rule& b_;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace vouch
