#include "graph/ops/positions.h"

#include <algorithm>

namespace vouch {
namespace {

Terms slice_of(const Terms& list, std::size_t begin, std::size_t end) {
  return {list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end)};
}

// Axes [a, b) of `from` hold the elements of axes [c, d) of `to`.
struct Group {
  std::size_t from_end;
  std::size_t to_end;
};

enum class Side { Left, Right, Neither };

// The side whose product is the smaller one, as far as that is known.
Side smaller_side(Term left, Term right) {
  auto l = const_int(left);
  auto r = const_int(right);
  if (l && r) {
    return *l <= *r ? Side::Left : Side::Right;
  }
  if (l || is_true(divides(left, right))) {
    return Side::Left;
  }
  return r || is_true(divides(right, left)) ? Side::Right : Side::Neither;
}

// The next axes whose products are known to agree; all that is left if none are.
Group next_group(const Terms& from, std::size_t a, const Terms& to, std::size_t c) {
  Group group{a, c};
  Term left = 1;
  Term right = 1;
  while (group.from_end < from.size() || group.to_end < to.size()) {
    Side side = smaller_side(left, right);
    side = group.from_end == from.size() ? Side::Right : group.to_end == to.size() ? Side::Left : side;
    if (side == Side::Neither) {
      break;
    }
    if (side == Side::Left) {
      left = left * from[group.from_end++];
    } else {
      right = right * to[group.to_end++];
    }
    if (left == right && group.from_end > a && group.to_end > c) {
      return group;
    }
  }
  return {from.size(), to.size()};
}

bool is_empty(const Terms& extents) {
  return std::any_of(extents.begin(), extents.end(), [](Term extent) { return const_int(extent) == 0; });
}

void append(Terms& out, const Terms& more) { out.insert(out.end(), more.begin(), more.end()); }

}  // namespace

Term flat_index(const Terms& extents, const Terms& indices) {
  Term flat = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    flat = flat * extents[axis] + (const_int(extents[axis]) == 1 ? Term(0) : indices[axis]);
  }
  return flat;
}

Terms unflat_indices(const Terms& extents, Term flat) {
  Terms out(extents.size(), Term(0));
  Term below = 1;
  std::size_t first = 0;  // the outermost axis that is not 1 needs no remainder
  while (first < extents.size() && const_int(extents[first]) == 1) {
    ++first;
  }
  for (std::size_t axis = extents.size(); axis-- > first;) {
    if (const_int(extents[axis]) != 1) {
      Term quotient = floor_div(flat, below);
      out[axis] = axis == first ? quotient : floor_mod(quotient, extents[axis]);
      below = below * extents[axis];
    }
  }
  return out;
}

Term chosen(const Terms& items, Term position) {
  Term out = items.empty() ? Term(0) : items.back();
  for (std::size_t k = items.size(); k-- > 0;) {
    out = int_select(eq(position, static_cast<std::int64_t>(k)), items[k], out);
  }
  return out;
}

Terms reshaped_indices(const Terms& from, const Terms& to, const Terms& indices) {
  if (is_empty(from) || is_empty(to)) {
    return Terms(from.size(), Term(0));  // there is nothing to read
  }
  std::size_t tail = 0;
  std::size_t common = std::min(from.size(), to.size());
  while (tail < common && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) {
    ++tail;
  }
  Terms head_from = slice_of(from, 0, from.size() - tail);
  Terms head_to = slice_of(to, 0, to.size() - tail);
  Terms out;
  for (std::size_t a = 0, c = 0; a < head_from.size() || c < head_to.size();) {
    Group group = next_group(head_from, a, head_to, c);
    Term flat = flat_index(slice_of(head_to, c, group.to_end), slice_of(indices, c, group.to_end));
    append(out, unflat_indices(slice_of(head_from, a, group.from_end), flat));
    a = group.from_end;
    c = group.to_end;
  }
  append(out, slice_of(indices, head_to.size(), to.size()));
  return out;
}

}  // namespace vouch
