// The same elements in another shape or order, and shapes as data.
#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/positions.h"
#include "graph/ops/themes.h"
#include "term/print.h"

namespace vouch {
namespace {

void result_reshaped(OpContext& c, const Terms& extents) {
  c.require(eq(product_of(c.extents(0)), product_of(extents)),
            fmt::format("the number of elements changes: {} to {}", print_term(product_of(c.extents(0))),
                        print_term(product_of(extents))));
  c.result(c.dtype(0), extents, [&](const Terms& i) { return c.read(0, reshaped_indices(c.extents(0), extents, i)); });
}

// What is left of the elements for the axis that is -1. Sizes that both shapes have cancel first.
Term inferred_extent(OpContext& c, Terms others) {
  Terms rest = c.extents(0);
  std::erase_if(others, [&](Term extent) {
    auto found = std::find(rest.begin(), rest.end(), extent);
    bool cancels = found != rest.end() && const_int(extent) != 0;
    if (cancels) {
      rest.erase(found);
    }
    return cancels;
  });
  Term divisor = product_of(others);
  c.require(ge(divisor, 1), "a size of -1 needs other sizes that are not 0");
  if (c.failed()) {
    return 0;
  }
  c.require(divides(divisor, product_of(rest)),
            fmt::format("{} elements do not divide by {}", print_term(product_of(rest)), print_term(divisor)));
  return floor_div(product_of(rest), divisor);
}

// ONNX: 0 keeps the input's size (unless `zero_is_zero`), one -1 takes what is left.
std::optional<Terms> target_extents(OpContext& c, Terms shape, bool zero_is_zero) {
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < shape.size() && !c.failed(); ++axis) {
    auto size = const_int(shape[axis]);
    if (size == 0 && !zero_is_zero) {
      if (axis >= c.rank(0)) {
        c.fail(fmt::format("size 0 at axis {} keeps no axis of an input of rank {}", axis, c.rank(0)));
        return std::nullopt;
      }
      shape[axis] = c.extent(0, axis);
    } else if (size == -1) {
      if (open) {
        c.fail("only one size may be -1");
      }
      open = axis;
    } else if (size.value_or(0) < 0) {
      c.fail(fmt::format("size {} must not be negative", *size));
    } else if (!size && !is_at_least_one(c, shape[axis])) {
      c.suppose(ge(shape[axis], zero_is_zero ? 0 : 1),
                "a size that is no number is itself, neither -1 nor a 0 that keeps a size");
    }
  }
  if (open && !c.failed()) {
    Terms others = shape;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*open));
    shape[*open] = inferred_extent(c, std::move(others));
  }
  return c.failed() ? std::nullopt : std::optional(std::move(shape));
}

void define_reshape(OpContext& c) {
  auto rank = list_length(c, 1);
  if (!rank) {
    return;
  }
  if (!c.contents(1)) {
    return result_reshaped(c, fresh_extents(c, *rank));
  }
  auto shape = known_terms(c, 1);
  auto extents = shape ? target_extents(c, *shape, c.attr_int_value("allowzero") != 0) : std::nullopt;
  if (extents) {
    result_reshaped(c, *extents);
  }
}

// reshape {shape}: sizes as they are, one may be -1.
void define_plain_reshape(OpContext& c) {
  if (auto extents = target_extents(c, c.attr_ints("shape"), true)) {
    result_reshaped(c, *extents);
  }
}

// The axes before `axis` become one, those from it on another.
void define_flatten(OpContext& c) {
  std::int64_t axis = c.attr_int_value("axis");
  auto rank = static_cast<std::int64_t>(c.rank(0));
  if (axis < -rank || axis > rank) {
    return c.fail(fmt::format("axis {} is out of range for rank {}", axis, rank));
  }
  std::span<const Term> all(c.extents(0));
  auto cut = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  result_reshaped(c, {product_of(all.first(cut)), product_of(all.subspan(cut))});
}

// --- axes of size 1

void squeeze(OpContext& c, const std::vector<std::size_t>& axes) {
  for (std::size_t axis : axes) {
    c.require(eq(c.extent(0, axis), 1), fmt::format("axis {} is squeezed: its size must be 1", axis));
  }
  c.result(c.dtype(0), without_axes(c.extents(0), axes), [&](const Terms& i) {
    Terms at;
    for (std::size_t axis = 0, k = 0; axis < c.rank(0); ++axis) {
      at.push_back(contains(axes, axis) ? Term(0) : i[k++]);
    }
    return c.read(0, at);
  });
}

// Without axes, every axis whose size is 1 goes; sizes must be known then. Of an empty list the specification says that nothing
// goes, and ONNX Runtime takes it for no list: it has a meaning where both are one.
void define_squeeze(OpContext& c) {
  std::vector<std::int64_t> axes;
  if (c.has(1)) {
    axes = known_numbers(c, 1).value_or(axes);
    for (Term extent : axes.empty() ? c.extents(0) : Terms()) {
      c.require(ne(extent, 1), "an empty list of axes is read as none or as all of size 1: list the axes");
    }
    if (c.failed()) {
      return;
    }
  } else {
    for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
      if (!const_int(c.extent(0, axis))) {
        return c.fail_undecided("without axes, the sizes must be known");
      }
      if (const_int(c.extent(0, axis)) == 1) {
        axes.push_back(static_cast<std::int64_t>(axis));
      }
    }
  }
  std::vector<std::size_t> normal = normal_axes(c, axes, c.rank(0));
  if (!c.failed()) {
    squeeze(c, normal);
  }
}

void define_plain_squeeze(OpContext& c) {
  std::vector<std::size_t> axes = normal_axes(c, c.attr_ints_value("axes"), c.rank(0));
  if (!c.failed()) {
    squeeze(c, axes);
  }
}

void unsqueeze(OpContext& c, const std::vector<std::int64_t>& axes) {
  std::size_t rank = c.rank(0) + axes.size();
  std::vector<std::size_t> added = normal_axes(c, axes, rank);
  if (c.failed()) {
    return;
  }
  Terms extents;
  for (std::size_t axis = 0, k = 0; axis < rank; ++axis) {
    extents.push_back(contains(added, axis) ? Term(1) : c.extent(0, k++));
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) { return c.read(0, without_axes(i, added)); });
}

void define_unsqueeze(OpContext& c) {
  if (auto axes = known_numbers(c, 1)) {
    unsqueeze(c, *axes);
  }
}

void define_plain_unsqueeze(OpContext& c) { unsqueeze(c, c.attr_ints_value("axes")); }

// --- order

void define_transpose(OpContext& c) {
  std::size_t rank = c.rank(0);
  std::vector<std::int64_t> perm;
  for (std::size_t axis = rank; axis-- > 0;) {
    perm.push_back(static_cast<std::int64_t>(axis));
  }
  if (c.has_attr("perm")) {
    perm = c.attr_ints_value("perm");
  }
  std::vector<std::size_t> axes;
  for (std::int64_t axis : perm) {
    bool valid = axis >= 0 && static_cast<std::size_t>(axis) < rank && !contains(axes, static_cast<std::size_t>(axis));
    axes.push_back(valid ? static_cast<std::size_t>(axis) : rank);
  }
  if (axes.size() != rank || contains(axes, rank)) {
    return c.fail(fmt::format("perm ({}) is no permutation of {} axes", fmt::join(perm, ", "), rank));
  }
  Terms extents;
  for (std::size_t axis : axes) {
    extents.push_back(c.extent(0, axis));
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at(rank, Term(0));
    for (std::size_t k = 0; k < rank; ++k) {
      at[axes[k]] = i[k];
    }
    return c.read(0, at);
  });
}

// --- shapes as data

void define_shape(OpContext& c) {
  auto rank = static_cast<std::int64_t>(c.rank(0));
  auto clamped = [&](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
  std::int64_t start = clamped(c.attr_int_value("start"));
  std::int64_t end = c.has_attr("end") ? clamped(c.attr_int_value("end")) : rank;
  Terms sizes(c.extents(0).begin() + start, c.extents(0).begin() + std::max(start, end));
  c.result(DType::Int64, {Term(static_cast<std::int64_t>(sizes.size()))},
           [&](const Terms& i) { return real_of(chosen(sizes, i[0])); });
}

void define_size(OpContext& c) {
  c.result(DType::Int64, {}, [&](const Terms&) { return real_of(product_of(c.extents(0))); });
}

}  // namespace

std::vector<OpDef> shape_ops() {
  const AttrDef axes{.name = "axes", .type = AttrType::Ints, .domain = AttrDomain::Axes};
  return {
      {.name = "Reshape",
       .operands = {{"x"}, {"shape", OperandKind::Required, OperandDomain::Sizes}},
       .attributes = {{.name = "allowzero", .otherwise = 0, .domain = AttrDomain::Flag}},
       .define = define_reshape},
      {.name = "reshape",
       .operands = {{"x"}},
       .attributes = {{.name = "shape", .type = AttrType::Ints}},
       .define = define_plain_reshape},
      {.name = "Flatten",
       .operands = {{"x"}},
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Position}},
       .define = define_flatten},
      {.name = "Squeeze", .operands = {{"x"}, {"axes", OperandKind::Optional, OperandDomain::Axes}}, .define = define_squeeze},
      {.name = "squeeze", .operands = {{"x"}}, .attributes = {axes}, .define = define_plain_squeeze},
      {.name = "Unsqueeze",
       .operands = {{"x"}, {"axes", OperandKind::Required, OperandDomain::NewAxes}},
       .define = define_unsqueeze},
      {.name = "unsqueeze", .operands = {{"x"}}, .attributes = {axes.in(AttrDomain::NewAxes)}, .define = define_plain_unsqueeze},
      {.name = "Transpose",
       .operands = {{"x"}},
       .attributes = {{.name = "perm",
                       .type = AttrType::Ints,
                       .otherwise = Absent{},
                       .length = AttrLength::Rank,
                       .domain = AttrDomain::Permutation}},
       .define = define_transpose},
      {.name = "transpose",
       .operands = {{"x"}},
       .attributes = {{.name = "perm", .type = AttrType::Ints, .length = AttrLength::Rank, .domain = AttrDomain::Permutation}},
       .define = define_transpose},
      {.name = "Shape",
       .operands = {{"x"}},
       .attributes = {{.name = "start", .otherwise = 0, .domain = AttrDomain::Position},
                      {.name = "end", .otherwise = Absent{}, .domain = AttrDomain::Position}},
       .traits = {.of_sizes = true},
       .define = define_shape},
      {.name = "Size", .operands = {{"x"}}, .traits = {.of_sizes = true}, .define = define_size},
  };
}

}  // namespace vouch
