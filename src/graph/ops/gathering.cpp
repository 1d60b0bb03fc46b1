// Elements picked by indices that are data.
#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

Terms part(const Terms& list, std::size_t begin, std::size_t end) {
  return {list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end)};
}

Terms joined(std::initializer_list<Terms> lists) {
  Terms out;
  for (const Terms& list : lists) {
    out.insert(out.end(), list.begin(), list.end());
  }
  return out;
}

// Positions that are known are inside; of those that are data a run finds out.
void require_inside(OpContext& c, Term position, Term size) {
  if (position.sort() == Sort::Int) {
    c.require(le(0, position + size), "a position must not lie before the first element");
    c.require(lt(position, size), "a position must not lie behind the last element");
  }
}

// y[a…, b…, c…] = x[a…, indices[b…], c…], the indices in place of the axis.
void define_gather(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_integer(c, 1)) {
    return;
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed()) {
    return;
  }
  const Terms& x = c.extents(0);
  for (Term position : c.contents(1) ? *c.contents(1) : Terms()) {
    require_inside(c, position, x[axis]);
  }
  std::size_t after = axis + c.rank(1);
  Terms extents = joined({part(x, 0, axis), c.extents(1), part(x, axis + 1, x.size())});
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Term index = data_index(c.read(1, part(i, axis, after)), x[axis]);
    return c.read(0, joined({part(i, 0, axis), {index}, part(i, after, i.size())}));
  });
}

// y[…, i, …] = x[…, indices[…, i, …], …]
void define_gather_elements(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_integer(c, 1) || !require_rank(c, 1, c.rank(0))) {
    return;
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  for (std::size_t k = 0; k < c.rank(0) && !c.failed(); ++k) {
    if (k != axis) {
      c.require(le(c.extent(1, k), c.extent(0, k)), "the indices must not reach beyond the data");
    }
  }
  for (Term position : c.contents(1) ? *c.contents(1) : Terms()) {
    require_inside(c, position, c.extent(0, axis));
  }
  c.result(c.dtype(0), c.extents(1), [&](const Terms& i) {
    Terms at = i;
    at[axis] = data_index(c.read(1, i), c.extent(0, axis));
    return c.read(0, at);
  });
}

// The last axis of the indices holds positions of the axes after the batch axes.
void define_gather_nd(OpContext& c) {
  if (!require_rank_at_least(c, 1, 1) || !require_integer(c, 1)) {
    return;
  }
  std::int64_t batches = c.attr_int_value("batch_dims");
  auto depth = const_int(c.extents(1).back());
  auto limit = static_cast<std::int64_t>(std::min(c.rank(0), c.rank(1) - 1));
  if (!depth && batches >= 0 && batches <= limit) {
    return c.fail_undecided("how many axes the indices speak of must be known");
  }
  if (batches < 0 || batches > limit || *depth < 1 || *depth > static_cast<std::int64_t>(c.rank(0)) - batches) {
    return c.fail(fmt::format("indices {} with batch_dims {} do not address {}", c.type(1).text(), batches, c.type(0).text()));
  }
  auto batch = static_cast<std::size_t>(batches);
  std::size_t fixed = batch + static_cast<std::size_t>(*depth);
  for (std::size_t k = 0; k < batch; ++k) {
    c.require(eq(c.extent(0, k), c.extent(1, k)), "data and indices must have one batch size");
  }
  const Terms& x = c.extents(0);
  const Terms known = c.contents(1) ? *c.contents(1) : Terms();
  for (std::size_t k = 0; k < known.size(); ++k) {
    require_inside(c, known[k], x[batch + k % static_cast<std::size_t>(*depth)]);
  }
  std::size_t lookups = c.rank(1) - 1;
  Terms extents = joined({part(c.extents(1), 0, lookups), part(x, fixed, x.size())});
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at = part(i, 0, batch);
    for (std::int64_t k = 0; k < *depth; ++k) {
      Term element = c.read(1, joined({part(i, 0, lookups), {Term(k)}}));
      at.push_back(data_index(element, x[at.size()]));
    }
    return c.read(0, joined({at, part(i, lookups, i.size())}));
  });
}

// On at the index, which counts from the end if negative, and off elsewhere; values = (off, on).
void define_one_hot(OpContext& c) {
  require_scalar(c, 1);
  if (c.failed() || !require_rank(c, 2, 1)) {
    return;
  }
  auto depth = c.contents(1) ? known_terms(c, 1) : Terms{c.fresh_extent()};
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0) + 1);
  c.require(eq(c.extent(2, 0), 2), "values are two: off and on");
  if (!depth || c.failed()) {
    return;
  }
  Term size = depth->front();
  c.require(ge(size, 1), "depth must be at least 1");
  const Terms& indices = c.extents(0);
  Terms extents = joined({part(indices, 0, axis), {size}, part(indices, axis, indices.size())});
  c.result(c.dtype(2), extents, [&](const Terms& i) {
    Term index = int_of(c.read(0, joined({part(i, 0, axis), part(i, axis + 1, i.size())})));
    return select(either(eq(index, i[axis]), eq(index + size, i[axis])), c.read(2, {1}), c.read(2, {0}));
  });
}

}  // namespace

std::vector<OpDef> gathering_ops() {
  const AttrDef axis{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis};
  return {
      {.name = "Gather", .operands = {{"x"}, {"indices"}}, .attributes = {axis}, .define = define_gather},
      {.name = "GatherElements", .operands = {{"x"}, {"indices"}}, .attributes = {axis}, .define = define_gather_elements},
      {.name = "GatherND",
       .operands = {{"x"}, {"indices"}},
       .attributes = {{.name = "batch_dims", .otherwise = 0, .domain = AttrDomain::Axis}},
       .define = define_gather_nd},
      {.name = "OneHot",
       .operands = {{"indices"}, {"depth"}, {"values"}},
       .attributes = {{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis}},
       .define = define_one_hot},
  };
}

}  // namespace vouch
