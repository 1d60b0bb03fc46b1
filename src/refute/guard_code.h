// A guard over integers as straight-line code in the order of its parts; variables by their positions.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "term/term.h"

namespace vouch {

// A value that may not be known yet, or not exist.
struct Known {
  bool known = false;
  std::int64_t value = 0;
};

inline Known known(std::int64_t value) { return {true, value}; }

using Positions = std::unordered_map<Symbol, std::size_t>;

class GuardCode {
 public:
  GuardCode(Term guard, const Positions& positions);

  bool supported() const { return supported_; }
  const std::vector<std::size_t>& variables() const { return variables_; }
  bool is_equality() const { return steps_[root_].kind == TermKind::IntEq; }
  // Only sums and products have this variable: no remainder, no minimum.
  bool is_polynomial_in(std::size_t variable) const { return !bent_.contains(variable); }
  // The numbers that something is divided by.
  const std::vector<std::int64_t>& divisors() const { return divisors_; }

  Known truth_at(const std::vector<Known>& values);
  // Of an equality: left minus right.
  Known difference_at(const std::vector<Known>& values);

 private:
  struct Step {
    TermKind kind = TermKind::IntConst;
    std::vector<std::size_t> args;
    Known constant;
    std::size_t position = 0;  // of a variable
  };

  std::size_t compile(Term t);
  void note_bends(Term t);
  void run(const std::vector<Known>& values);
  Known compute(const Step& step) const;
  Known folded(const Step& step) const;
  Known junction(const Step& step) const;

  std::vector<Step> steps_;
  std::vector<Known> values_;
  std::unordered_map<Term, std::size_t> at_;
  std::vector<std::size_t> variables_;
  std::unordered_set<std::size_t> bent_;
  std::vector<std::int64_t> divisors_;
  std::size_t root_ = 0;
  bool supported_ = true;
  const Positions* positions_;  // while it is compiled
};

}  // namespace vouch
