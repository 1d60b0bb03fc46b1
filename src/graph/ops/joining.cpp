// Tensors joined and cut along an axis.
#include <fmt/format.h>

#include "graph/ops/operands.h"
#include "graph/ops/themes.h"
#include "term/print.h"

namespace vouch {
namespace {

Terms shifted(Terms indices, std::size_t axis, Term by) {
  indices[axis] = indices[axis] + by;
  return indices;
}

// y at position i of the axis is item k at i - (the sizes before k), where that is within the item.
void define_concat(OpContext& c) {
  if (!require_like_items(c, 0)) {
    return;
  }
  std::size_t count = c.item_count(0);
  Terms extents = c.item_type(0, 0).extents();
  for (std::size_t k = 1; k < count; ++k) {
    if (std::size_t other = c.item_type(0, k).rank(); other != extents.size()) {
      return c.fail(fmt::format("items have ranks {} and {}", extents.size(), other));
    }
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), extents.size());
  if (c.failed()) {
    return;
  }
  for (std::size_t k = 1; k < count; ++k) {
    const Terms& other = c.item_type(0, k).extents();
    for (std::size_t a = 0; a < extents.size(); ++a) {
      if (a != axis) {
        c.require(eq(extents[a], other[a]),
                  fmt::format("sizes {} and {} of axis {} differ", print_term(extents[a]), print_term(other[a]), a));
      }
    }
    extents[axis] = extents[axis] + other[axis];
  }
  c.result(c.item_type(0, 0).dtype(), extents, [&](const Terms& i) {
    Term end = extents[axis];
    Term value;
    for (std::size_t k = count; k-- > 0;) {
      Term begin = end - c.item_type(0, k).extents()[axis];
      Term item = c.read_item(0, k, shifted(i, axis, -begin));
      value = value ? select(lt(i[axis], end), item, value) : item;
      end = begin;
    }
    return value;
  });
}

// Pieces of the axis, one after another.
void result_pieces(OpContext& c, std::size_t axis, const Terms& sizes) {
  if (sizes.empty()) {
    return c.fail("at least one piece is expected");
  }
  Term begin = 0;
  for (Term size : sizes) {
    c.require(ge(size, 0), fmt::format("a piece of size {} would be negative", print_term(size)));
    Terms extents = c.extents(0);
    extents[axis] = settled(c, size);
    c.result(c.dtype(0), extents, [&](const Terms& i) { return c.read(0, shifted(i, axis, begin)); });
    begin = begin + size;
  }
}

std::optional<std::size_t> piece_count(OpContext& c, std::int64_t count) {
  constexpr std::int64_t kMostPieces = 65536;
  if (count < 1 || count > kMostPieces) {
    c.fail(fmt::format("{} pieces: expected 1 to {}", count, kMostPieces));
    return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

// `split` gives the sizes; without it num_outputs pieces are equal, but for a smaller last one.
void define_split(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed()) {
    return;
  }
  Term n = c.extent(0, axis);
  Terms sizes;
  if (c.has(1)) {
    auto given = list_terms(c, 1);
    if (!given) {
      return;
    }
    sizes = *given;
    c.require(eq(sum_of(sizes), n),
              fmt::format("pieces of {} elements in all cut an axis of size {}", print_term(sum_of(sizes)), print_term(n)));
  } else if (!c.has_attr("num_outputs")) {
    return c.fail("either the operand split or the attribute num_outputs is needed");
  } else if (auto count = piece_count(c, c.attr_int_value("num_outputs"))) {
    Term size = ceil_div(n, static_cast<std::int64_t>(*count));
    sizes.assign(*count - 1, size);
    sizes.push_back(n - size * static_cast<std::int64_t>(*count - 1));
    require_one_reading(c, either(eq(n, 0), ge(sizes.back(), 1)),
                        "of a last piece that is empty ONNX makes one, ONNX Runtime an error");
  }
  if (!c.failed()) {
    result_pieces(c, axis, sizes);
  }
}

// split {axis, indices_or_sections}: a number of equal sections, or the positions of the cuts.
void define_plain_split(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  const AttrValue* where = c.attr("indices_or_sections");
  if (c.failed()) {
    return;
  }
  Term n = c.extent(0, axis);
  Terms sizes;
  if (where->tuple()) {
    Term begin = 0;
    for (Term cut : c.attr_ints("indices_or_sections")) {
      sizes.push_back(cut - begin);
      begin = cut;
    }
    sizes.push_back(n - begin);
  } else if (auto count = piece_count(c, c.attr_int_value("indices_or_sections"))) {
    auto sections = static_cast<std::int64_t>(*count);
    c.require(divides(sections, n), fmt::format("{} sections of an axis of size {}", sections, print_term(n)));
    sizes.assign(*count, floor_div(n, sections));
  }
  if (!c.failed()) {
    result_pieces(c, axis, sizes);
  }
}

}  // namespace

std::vector<OpDef> joining_ops() {
  return {
      {.name = "Concat",
       .operands = {{"xs", OperandKind::Tuple}},
       .attributes = {{.name = "axis", .domain = AttrDomain::Axis}},
       .traits = {.along = Along::Join},
       .define = define_concat},
      {.name = "concatenate",
       .operands = {{"xs", OperandKind::Tuple}},
       .attributes = {{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis}},
       .traits = {.along = Along::Join},
       .define = define_concat},
      {.name = "Split",
       .operands = {{"x"}, {"split", OperandKind::Optional, OperandDomain::List}},
       .attributes = {{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis},
                      {.name = "num_outputs", .otherwise = Absent{}, .domain = AttrDomain::Count}},
       .traits = {.along = Along::CutBySizes},
       .define = define_split,
       .several_results = true},
      {.name = "split",
       .operands = {{"x"}},
       .attributes = {{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis},
                      {.name = "indices_or_sections", .type = AttrType::IntOrInts, .domain = AttrDomain::Count}},
       .traits = {.along = Along::CutAtPoints},
       .define = define_plain_split,
       .several_results = true},
  };
}

}  // namespace vouch
