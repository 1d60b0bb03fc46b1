// Padding and cropping.
#include <fmt/format.h>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "term/print.h"

namespace vouch {
namespace {

// How many elements each axis gains before and after; negative amounts crop.
struct Pads {
  Terms begin;
  Terms end;
};

// ONNX: begins, then ends, for the axes that are given or for all.
std::optional<Pads> onnx_pads(OpContext& c) {
  auto given = list_terms(c, 1);
  if (!given) {
    return std::nullopt;
  }
  std::size_t rank = c.rank(0);
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (c.has(3)) {
    axes = known_numbers(c, 3).value_or(axes);
  }
  if (given->size() != 2 * axes.size()) {
    c.fail(fmt::format("{} pads for {} axes", given->size(), axes.size()));
  }
  (void)normal_axes(c, axes, rank);
  Pads pads{Terms(rank, Term(0)), Terms(rank, Term(0))};
  for (std::size_t k = 0; k < axes.size() && !c.failed(); ++k) {
    std::size_t axis = c.normal_axis(axes[k], rank);
    pads.begin[axis] = (*given)[k];
    pads.end[axis] = (*given)[k + axes.size()];
  }
  return c.failed() ? std::nullopt : std::optional(std::move(pads));
}

bool is_zero(Term amount) { return const_int(amount) == 0; }

// Where position p of the padded axis comes from, for the modes that repeat elements.
Term source_position(const std::string& mode, Term p, Term n) {
  if (mode == "edge") {
    return clamp_index(p, 0, n - 1);
  }
  if (mode == "wrap") {
    return floor_mod(p, n);
  }
  Term low = int_select(lt(p, 0), -p, p);
  return int_select(lt(n - 1, low), (n - 1) * Term(2) - low, low);
}

// What is cropped on one side may be repeated on the other, or not: authorities differ, unless it is an element at the edge that
// is left. Beyond one whole turn of a wrap ONNX's reference goes on, and ONNX Runtime writes zeros.
void require_source(OpContext& c, const std::string& mode, const Pads& pads) {
  for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
    Term n = c.extent(0, axis);
    if (is_zero(pads.begin[axis]) && is_zero(pads.end[axis])) {
      continue;
    }
    c.require(ge(n, 1), "an empty axis has nothing to repeat");
    if (mode == "edge") {
      Term kept = n + int_min(pads.begin[axis], 0) + int_min(pads.end[axis], 0);
      require_one_reading(c, ge(kept, 1), "where all is cropped nothing is left to repeat");
    } else {
      c.require(both(ge(pads.begin[axis], 0), ge(pads.end[axis], 0)), "what is repeated is not cropped");
    }
    if (mode == "wrap") {
      require_one_reading(c, both(le(pads.begin[axis], n), le(pads.end[axis], n)),
                          "of pads larger than the size ONNX's reference and ONNX Runtime make different elements");
    }
    if (mode == "reflect") {
      c.require(lt(pads.begin[axis], n), "a reflection needs pads smaller than the size");
      c.require(lt(pads.end[axis], n), "a reflection needs pads smaller than the size");
    }
  }
}

Terms padded_extents(OpContext& c, const Pads& pads) {
  Terms out;
  for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
    Term before = pads.begin[axis];
    Term after = pads.end[axis];
    out.push_back(settled(c, c.extent(0, axis) + before + after));
    if (!is_zero(before) || !is_zero(after)) {
      c.require(ge(out[axis], 0), fmt::format("axis {} would get the size {}", axis, print_term(out[axis])));
    }
  }
  return out;
}

void pad_repeating(OpContext& c, const std::string& mode, const Pads& pads, const Terms& extents) {
  require_source(c, mode, pads);
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      bool kept = is_zero(pads.begin[axis]) && is_zero(pads.end[axis]);
      at.push_back(kept ? i[axis] : source_position(mode, i[axis] - pads.begin[axis], c.extent(0, axis)));
    }
    return c.read(0, at);
  });
}

void define_pad(OpContext& c) {
  if (c.has(2)) {
    require_scalar(c, 2);
    require_same_dtype(c, 0, 2);
  }
  auto pads = onnx_pads(c);
  if (!pads) {
    return;
  }
  Terms extents = padded_extents(c, *pads);
  std::string mode = c.attr_string("mode");
  if (c.failed()) {
    return;
  }
  if (mode != "constant") {
    return pad_repeating(c, mode, *pads, extents);
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at;
    Terms guards;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      at.push_back(i[axis] - pads->begin[axis]);
      guards.push_back(is_zero(pads->begin[axis]) ? bool_const(true) : le(0, at.back()));
      guards.push_back(is_zero(pads->end[axis]) ? bool_const(true) : lt(at.back(), c.extent(0, axis)));
    }
    return select(all_of(guards), c.read(0, at), c.has(2) ? read_scalar(c, 2) : real(0));
  });
}

// pad {low, high, interior}: `interior` copies of the value between neighbours, then low and high of them around;
// negative low and high crop.
void define_plain_pad(OpContext& c) {
  std::size_t rank = c.rank(0);
  Terms low = list_or_each(c, "low", rank);
  Terms high = list_or_each(c, "high", rank);
  Terms interior = list_or_each(c, "interior", rank);
  if (c.failed() || !require_rank(c, 1, 0) || !require_same_dtype(c, 0, 1)) {
    return;
  }
  Terms extents;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    Term n = c.extent(0, axis);
    c.require(ge(interior[axis], 0), "interior amounts must not be negative");
    Term between = is_zero(interior[axis]) ? Term(0) : int_max(n - 1, 0) * interior[axis];
    extents.push_back(low[axis] + n + between + high[axis]);
    c.require(ge(extents.back(), 0), fmt::format("axis {} would get a negative size", axis));
  }
  if (c.failed()) {
    return;
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at;
    Terms guards;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      Term reached = i[axis] - low[axis];
      Term step = interior[axis] + 1;
      guards.push_back(divides(step, reached));
      at.push_back(floor_div(reached, step));
      guards.push_back(in_range(at.back(), c.extent(0, axis)));
    }
    return select(all_of(guards), c.read(0, at), c.read(1, {}));
  });
}

}  // namespace

std::vector<OpDef> padding_ops() {
  auto each = [](std::string_view name) {
    AttrDef attr{.name = name, .type = AttrType::Ints, .otherwise = Absent{}, .length = AttrLength::Rank};
    attr.each_if_absent = 0;
    return attr;
  };
  return {
      {.name = "Pad",
       .operands = {{"x"},
                    {"pads", OperandKind::Required, OperandDomain::List},
                    {"constant_value", OperandKind::Optional},
                    {"axes", OperandKind::Optional, OperandDomain::OrderedAxes}},
       .attributes = {{.name = "mode",
                       .type = AttrType::String,
                       .otherwise = "constant",
                       .choices = {"constant", "reflect", "edge", "wrap"}}},
       .define = define_pad},
      {.name = "pad",
       .operands = {{"x"}, {"value"}},
       .attributes = {each("low"), each("high"), each("interior")},
       .define = define_plain_pad},
  };
}

}  // namespace vouch
