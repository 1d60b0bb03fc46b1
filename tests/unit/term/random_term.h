// Random terms for property tests; the seed decides everything.
#pragma once

#include <random>

#include "term/term.h"

namespace vouch::testing {

class RandomTerms {
 public:
  explicit RandomTerms(std::uint32_t seed) : random_(seed) {}

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  Term integer(int depth) {
    if (depth == 0 || pick(5) == 0) {
      return pick(2) ? Term(pick(9) - 4) : int_var(Symbol(std::string(1, "ijknm"[pick(5)])));
    }
    Term a = integer(depth - 1);
    Term positive = pick(3) ? Term(1 + pick(6)) : int_var(pick(2) ? "n" : "m");
    switch (pick(9)) {
      case 0: return a + integer(depth - 1);
      case 1: return a - integer(depth - 1);
      case 2: return a * integer(depth / 2);
      case 3: return floor_div(a, positive);
      case 4: return floor_mod(a, positive);
      case 5: return int_min(a, integer(depth - 1));
      case 6: return int_max(a, integer(depth - 1));
      case 7: return int_select(guard(depth - 1), a, integer(depth - 1));
      default: return pick(4) ? a - integer(depth - 1) : int_of(read(Symbol("ids"), {floor_mod(a, 3)}));
    }
  }

  Term guard(int depth) {
    if (depth == 0 || pick(3) == 0) {
      Term a = integer(depth / 2);
      Term b = integer(depth / 2);
      return pick(3) == 0 ? eq(a, b) : pick(2) ? le(a, b) : lt(a, b);
    }
    switch (pick(5)) {
      case 0: return both(guard(depth - 1), guard(depth - 1));
      case 1: return either(guard(depth - 1), guard(depth - 1));
      case 2: return negate(guard(depth - 1));
      case 3: return real_lt(scalar(depth - 1), scalar(depth - 1));
      default: return pick(2) ? real_le(scalar(depth - 1), scalar(0)) : real_eq(scalar(0), scalar(depth - 1));
    }
  }

  Term scalar(int depth) {
    if (depth == 0 || pick(6) == 0) {
      switch (pick(4)) {
        case 0: return real_const(Rational(pick(9) - 4, 1 + pick(3)));
        case 1: return real_var(Symbol("eps"));
        default: return read(Symbol("x"), {floor_mod(integer(depth / 2), 4), floor_mod(integer(1), 3)});
      }
    }
    Term a = scalar(depth - 1);
    switch (pick(10)) {
      case 0: return a + scalar(depth - 1);
      case 1: return a - scalar(depth - 1);
      case 2: return a * scalar(depth - 1);
      case 3: return a / scalar(depth - 1);
      case 4: return -a;
      case 5: return real_of(integer(depth - 1));
      case 6: return call(pick(2) ? Fn::Max : Fn::Min, {a, scalar(depth - 1)});
      case 7: return call(pick(2) ? Fn::Abs : Fn::Floor, {a});
      case 8: return select(guard(depth - 1), a, scalar(depth - 1));
      default: return reduction(depth);
    }
  }

  Term reduction(int depth) {
    Symbol index(std::string(1, "ijk"[pick(3)]));
    std::vector<BoundIndex> bound{{index, pick(2) ? Term(pick(4)) : int_max(0, int_min(integer(1), 3))}};
    if (pick(3) == 0) {
      bound.push_back({Symbol("l"), Term(1 + pick(2))});
    }
    Reduction kind = static_cast<Reduction>(pick(4));
    return reduce(kind, bound, pick(2) ? bool_const(true) : guard(depth / 2), scalar(depth - 1));
  }

 private:
  std::mt19937 random_;
};

}  // namespace vouch::testing
