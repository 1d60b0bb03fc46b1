// Index terms that tests write and draw.
#pragma once

#include <algorithm>
#include <random>

#include "array/index_eval.h"
#include "lower/simplify.h"

namespace vouch::array {

inline Index var(unsigned i) { return index_var(i); }
inline Index number(int n) { return index_size(size_const(n)); }
inline Index size(unsigned v) { return index_size(size_var(v)); }
inline Index add(const Index& a, const Index& b) { return index_op(IndexKind::Add, a, b); }
inline Index sub(const Index& a, const Index& b) { return index_op(IndexKind::Sub, a, b); }
inline Index mul(const Index& a, const Index& b) { return index_op(IndexKind::Mul, a, b); }
inline Index over(const Index& a, const Index& b) { return index_op(IndexKind::Div, a, b); }
inline Index mod(const Index& a, const Index& b) { return index_op(IndexKind::Mod, a, b); }

// Loop variable 0 is below size m, 1 below n, 2 below 6, 3 below 4; 4 has no bound.
inline const Bounds kBounds{{0, size_var(0)}, {1, size_var(1)}, {2, size_const(6)}, {3, size_const(4)}};

inline Index random_index(std::mt19937_64& random, int depth) {
  switch (random() % (depth == 0 ? 3 : 9)) {
    case 0: return var(static_cast<unsigned>(random() % 5));
    case 1: return number(static_cast<int>(random() % 7));
    case 2: return size(static_cast<unsigned>(random() % 2));
    case 3:
    case 4: return add(random_index(random, depth - 1), random_index(random, depth - 1));
    case 5: return mul(random_index(random, depth - 1), random_index(random, 0));
    case 6: return sub(random_index(random, depth - 1), random_index(random, depth - 1));
    case 7: return over(random_index(random, depth - 1), random_index(random, 0));
    default: return mod(random_index(random, depth - 1), random_index(random, 0));
  }
}

// Has every part of the term a value, and is none negative? Outside that, C's numbers are not these.
inline bool is_natural(const Index& term, const IndexValues& values) {
  std::optional<Integer> value = index_value(term, values);
  return value && *value >= 0 &&
         std::all_of(term->args.begin(), term->args.end(), [&](const Index& part) { return is_natural(part, values); });
}

}  // namespace vouch::array
