// Tensors repeated along axes.
#include <fmt/format.h>

#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// The input and the wanted shape broadcast with each other: a wanted 1 keeps the input's size.
void define_expand(OpContext& c) {
  auto rank = list_length(c, 1);
  if (!rank) {
    return;
  }
  if (!c.contents(1)) {
    Terms extents = fresh_extents(c, std::max(*rank, c.rank(0)));
    require_broadcasts_to(c, 0, extents);
    return c.result(c.dtype(0), extents, [&](const Terms& i) { return read_broadcast(c, 0, extents, i); });
  }
  auto wanted = known_terms(c, 1);
  if (!wanted) {
    return;
  }
  for (Term size : *wanted) {
    c.require(ge(size, 0), "a size must not be negative");
  }
  Terms extents = broadcast_extents(c, {c.extents(0), *wanted});
  c.result(c.dtype(0), extents, [&](const Terms& i) { return read_broadcast(c, 0, extents, i); });
}

// y[…, i, …] = x[…, i % n, …]
void tile(OpContext& c, const Terms& repeats) {
  if (repeats.size() != c.rank(0)) {
    return c.fail(fmt::format("{} repeats for rank {}", repeats.size(), c.rank(0)));
  }
  Terms extents;
  for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
    c.require(ge(repeats[axis], 0), "repeats must not be negative");
    extents.push_back(settled(c, c.extent(0, axis) * repeats[axis]));
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at;
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
      Term n = c.extent(0, axis);
      bool once = const_int(repeats[axis]) == 1 || const_int(n) == 0;
      at.push_back(once ? i[axis] : floor_mod(i[axis], n));
    }
    return c.read(0, at);
  });
}

void define_tile(OpContext& c) {
  if (auto repeats = list_terms(c, 1)) {
    tile(c, *repeats);
  }
}

// Axis k of x becomes axis broadcast_dimensions[k] of a tensor of sizes `shape`, repeated where its size is 1.
void define_broadcast_in_dim(OpContext& c) {
  Terms shape = c.attr_ints("shape");
  std::vector<std::size_t> axes;
  for (std::int64_t axis : c.attr_ints_value("broadcast_dimensions")) {
    bool valid = axis >= 0 && static_cast<std::size_t>(axis) < shape.size() && !contains(axes, static_cast<std::size_t>(axis));
    if (!valid) {
      return c.fail(fmt::format("{} in broadcast_dimensions is no axis of the result, or given twice", axis));
    }
    axes.push_back(static_cast<std::size_t>(axis));
  }
  if (axes.size() != c.rank(0)) {
    return c.fail(fmt::format("{} broadcast_dimensions for rank {}", axes.size(), c.rank(0)));
  }
  for (Term size : shape) {
    c.require(ge(size, 0), "a size must not be negative");
  }
  Terms targets;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    targets.push_back(shape[axes[k]]);
  }
  require_broadcasts_to(c, 0, targets);
  c.result(c.dtype(0), shape, [&](const Terms& i) {
    Terms at;
    for (std::size_t axis : axes) {
      at.push_back(i[axis]);
    }
    return read_broadcast(c, 0, targets, at);
  });
}

}  // namespace

std::vector<OpDef> expanding_ops() {
  return {
      {.name = "Expand",
       .operands = {{"x"}, {"shape", OperandKind::Required, OperandDomain::List}},
       .traits = {.lists_alike = true},
       .define = define_expand},
      {.name = "Tile",
       .operands = {{"x"}, {"repeats", OperandKind::Required, OperandDomain::List}},
       .traits = {.lists_alike = true},
       .define = define_tile},
      {.name = "broadcast_in_dim",
       .operands = {{"x"}},
       .attributes = {{.name = "shape", .type = AttrType::Ints},
                      {.name = "broadcast_dimensions",
                       .type = AttrType::Ints,
                       .length = AttrLength::Rank,
                       .domain = AttrDomain::PlainAxes}},
       .define = define_broadcast_in_dim},
  };
}

}  // namespace vouch
