#include "graph/ops/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"

namespace vouch {

bool is_at_least_one(OpContext& context, Term extent) {
  auto part = [&](Term t) { return is_at_least_one(context, t); };
  switch (extent.kind()) {
    case TermKind::IntConst: return extent->value >= 1;
    case TermKind::IntVar:
    case TermKind::IntOf: return context.supposes_not_empty(extent);
    case TermKind::IntAdd:
    case TermKind::IntMul:
    case TermKind::IntMin:
    case TermKind::IntMax: return std::all_of(extent.args().begin(), extent.args().end(), part);
    default: return false;
  }
}

// `first` is the first of several sizes that is not 1, or 1: those that it may be, in order.
static void add_first_not_one(Term first, Terms& sizes) {
  if (first.kind() == TermKind::IntSelect && first.arg(0) == eq(first.arg(2), 1)) {
    add_first_not_one(first.arg(2), sizes);
    add_first_not_one(first.arg(1), sizes);
  } else if (std::find(sizes.begin(), sizes.end(), first) == sizes.end()) {
    sizes.push_back(first);
  }
}

// b where a is 1, else a. A size that comes once more decides nothing: without it sizes would double from sum to sum.
static Term first_not_one(Term a, Term b) {
  Terms sizes;
  add_first_not_one(a, sizes);
  add_first_not_one(b, sizes);
  Term first = sizes.front();
  for (std::size_t k = 1; k < sizes.size(); ++k) {
    first = int_select(eq(first, 1), sizes[k], first);
  }
  return first;
}

static Term join_extents(OpContext& context, Term a, Term b, std::size_t axis) {
  if (a == b || const_int(b) == 1) {
    return a;
  }
  if (const_int(a) == 1) {
    return b;
  }
  Term legal[] = {eq(a, b), eq(a, 1), eq(b, 1)};
  context.require(any_of(legal), fmt::format("sizes {} and {} do not broadcast (axis {} from the right)", print_term(a),
                                             print_term(b), axis + 1));
  // An axis without elements goes with one of size 1 and stays empty.
  if (const_int(a) == 0 || const_int(b) == 0) {
    return 0;
  }
  // A size that is a number above 1 is the result's whatever the other is.
  auto above_one = [](Term t) { return const_int(t).value_or(0) > 1; };
  if (above_one(a) || above_one(b)) {
    return above_one(a) ? a : b;
  }
  return is_at_least_one(context, a) && is_at_least_one(context, b) ? int_max(a, b) : first_not_one(a, b);
}

std::vector<Term> broadcast_extents(OpContext& context, const std::vector<std::vector<Term>>& shapes) {
  std::vector<Term> joined;  // innermost axis first
  for (const std::vector<Term>& shape : shapes) {
    for (std::size_t k = 0; k < shape.size(); ++k) {
      Term extent = shape[shape.size() - 1 - k];
      if (k == joined.size()) {
        joined.push_back(extent);
      } else {
        joined[k] = join_extents(context, joined[k], extent, k);
      }
    }
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

void require_broadcasts_to(OpContext& context, std::size_t operand, const std::vector<Term>& to) {
  const std::vector<Term>& from = context.extents(operand);
  if (from.size() > to.size()) {
    return context.fail(fmt::format("{} does not broadcast to rank {}", context.type(operand).text(), to.size()));
  }
  for (std::size_t k = 1; k <= from.size(); ++k) {
    Term a = from[from.size() - k];
    Term b = to[to.size() - k];
    context.require(either(eq(a, b), eq(a, 1)),
                    fmt::format("size {} does not broadcast to {} (axis {} from the right)", print_term(a), print_term(b), k));
  }
}

std::vector<Term> broadcast_indices(const std::vector<Term>& from, const std::vector<Term>& to,
                                    const std::vector<Term>& indices) {
  std::vector<Term> out;
  std::size_t offset = to.size() - from.size();
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    Term index = indices[offset + axis];
    if (from[axis] == to[offset + axis]) {
      out.push_back(index);
    } else if (const_int(from[axis]) == 1) {
      out.push_back(0);
    } else {
      out.push_back(int_min(index, from[axis] - 1));
    }
  }
  return out;
}

Term read_broadcast(const OpContext& context, std::size_t operand, const std::vector<Term>& to,
                    const std::vector<Term>& indices) {
  return context.read(operand, broadcast_indices(context.extents(operand), to, indices));
}

PairedOperands::PairedOperands(OpContext& context, Alignment alignment) : context_(context) {
  if (alignment == Alignment::Last) {
    extents_ = broadcast_extents(context, {context.extents(0), context.extents(1)});
    end_ = extents_.size();
    right_extents_ = extents_;
    return;
  }
  extents_ = context.extents(0);
  first_ = context.normal_axis(context.attr_int_value("axis"), extents_.size());
  end_ = first_ + context.rank(1);
  if (context.failed() || end_ > extents_.size()) {
    context.fail(fmt::format("{} does not fit into {} from axis {} on", context.type(1).text(), context.type(0).text(), first_));
    return;
  }
  right_extents_.assign(extents_.begin() + static_cast<std::ptrdiff_t>(first_),
                        extents_.begin() + static_cast<std::ptrdiff_t>(end_));
  require_broadcasts_to(context, 1, right_extents_);
}

Term PairedOperands::left(const std::vector<Term>& indices) const { return read_broadcast(context_, 0, extents_, indices); }

Term PairedOperands::right(const std::vector<Term>& indices) const {
  return read_broadcast(
      context_, 1, right_extents_,
      {indices.begin() + static_cast<std::ptrdiff_t>(first_), indices.begin() + static_cast<std::ptrdiff_t>(end_)});
}

OpDef from_axis(std::string_view name, void (*define)(OpContext&)) {
  return {
      .name = name, .operands = {{"a"}, {"b"}}, .attributes = {{.name = "axis", .domain = AttrDomain::Axis}}, .define = define};
}

void require_one_or_each(OpContext& context, std::size_t operand, Term count, std::string_view message) {
  Term size = context.extent(operand, 0);
  context.require(either(eq(size, count), eq(size, 1)), std::string(message));
}

Term read_one_or_each(const OpContext& context, std::size_t operand, Term count, Term position) {
  return read_broadcast(context, operand, {count}, {position});
}

}  // namespace vouch
