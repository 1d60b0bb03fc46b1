// Pools: the maximum, mean or norm of each window, padding left out or (count_include_pad, norms) counted as zeros.
#include <functional>

#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "graph/ops/window.h"

namespace vouch {
namespace {

// x at the positions of window `i` under `bound`, and whether they are inside.
struct Tap {
  Terms at;
  Term inside;
};

Tap tap(const std::vector<WindowAxis>& window, const Terms& i, const std::vector<BoundIndex>& bound) {
  Terms at = window_positions(window, spatial(i), variables_of(bound));
  Term guard = inside(window, at);
  at.insert(at.begin(), {i[0], i[1]});
  return {std::move(at), guard};
}

Terms pooled_extents(const OpContext& c, const std::vector<WindowAxis>& window) {
  Terms extents = outputs_of(window);
  extents.insert(extents.begin(), {c.extent(0, 0), c.extent(0, 1)});
  return extents;
}

Term window_maximum(const OpContext& c, const std::vector<WindowAxis>& window, const Terms& i) {
  std::vector<BoundIndex> bound = window_indices(c, window);
  Tap element = tap(window, i, bound);
  return reduce(Reduction::Max, bound, element.inside, c.read(0, element.at));
}

void result_maximum(OpContext& c, const std::vector<WindowAxis>& window) {
  c.result(c.dtype(0), pooled_extents(c, window), [&](const Terms& i) { return window_maximum(c, window, i); });
}

// How many positions of window `o` count: those inside, or those not beyond the padding.
Term counted(const WindowAxis& axis, Term o, bool padding_counts) {
  Term start = axis.start(o);
  Term limit = padding_counts ? axis.input + axis.pad_end : axis.input;
  bool leaves = axis.may_leave || (!padding_counts && const_int(axis.pad_end) != 0);
  bool before = !padding_counts && const_int(axis.pad_begin) != 0;
  Term last = leaves ? int_min(axis.kernel, ceil_div(limit - start, axis.dilation)) : axis.kernel;
  Term first = before ? int_max(0, ceil_div(-start, axis.dilation)) : Term(0);
  return last - first;
}

void result_mean(OpContext& c, const std::vector<WindowAxis>& window, bool padding_counts) {
  c.result(c.dtype(0), pooled_extents(c, window), [&](const Terms& i) {
    std::vector<BoundIndex> bound = window_indices(c, window);
    Tap element = tap(window, i, bound);
    Term count = 1;
    for (std::size_t k = 0; k < window.size(); ++k) {
      count = count * counted(window[k], i[k + 2], padding_counts);
    }
    Term sum = reduce(Reduction::Sum, bound, bool_const(true), select(element.inside, c.read(0, element.at), real(0)));
    return sum / real_of(count);
  });
}

// What SAME pads is what windows reach beyond the input. To ONNX Runtime they reach as far as without dilation, and where they
// end before the input does it pads by less than nothing: its windows are elsewhere, or it makes none.
void require_same_reading(OpContext& c, const WindowAxis& axis) {
  require_one_reading(c, eq(axis.reach(), axis.kernel),
                      "of a pool under SAME with dilations ONNX's text and ONNX Runtime differ in its size");
  require_one_reading(c, lt(floor_mod(axis.input - 1, axis.stride), axis.kernel),
                      "of a pool under SAME whose last window ends before the input ONNX's text and ONNX Runtime differ");
}

// ONNX Runtime takes no other pads, dilated or not, whether padding counts or not.
void require_less_than_kernel(OpContext& c, const WindowAxis& axis) {
  for (Term pad : {axis.pad_begin, axis.pad_end}) {
    require_one_reading(c, lt(pad, axis.kernel), "pads must be smaller than the kernel, or ONNX Runtime refuses the pool");
  }
}

// `full`: a window of padding alone has no value.
std::vector<WindowAxis> pool_window(OpContext& c, bool full) {
  if (!require_rank_at_least(c, 0, 3)) {
    return {};
  }
  Terms kernel = list_or_each(c, "kernel_shape", c.rank(0) - 2);
  std::vector<WindowAxis> window = onnx_window(c, kernel, c.attr_int_value("ceil_mode") != 0);
  if (full) {
    require_full_windows(c, window);
  }
  bool same = c.attr_string("auto_pad").starts_with("SAME");
  for (const WindowAxis& axis : window) {
    same ? require_same_reading(c, axis) : require_less_than_kernel(c, axis);
  }
  return window;
}

void define_max_pool(OpContext& c) {
  std::vector<WindowAxis> window = pool_window(c, true);
  if (!c.failed()) {
    result_maximum(c, window);
  }
}

// Where an element lies: the flat index into x, counted row-major or (storage_order 1) with the spatial axes' strides in the
// other order, column-major.
Term flat_position(const OpContext& c, const Terms& at, bool column_major) {
  Term flat = at[0] * c.extent(0, 1) + at[1];
  Term inner = 0;
  for (std::size_t n = at.size() - 2; n > 0; --n) {
    std::size_t axis = column_major ? n + 1 : at.size() - n;
    inner = inner * c.extent(0, axis) + at[axis];
  }
  Terms sizes = spatial(c.extents(0));
  return flat * product_of(sizes) + inner;
}

void define_max_pool_indices(OpContext& c) {
  std::vector<WindowAxis> window = pool_window(c, true);
  bool column_major = c.attr_int_value("storage_order") != 0;
  if (c.failed()) {
    return;
  }
  Terms extents = pooled_extents(c, window);
  c.local("maximum", c.dtype(0), extents, [&](const Terms& i) { return window_maximum(c, window, i); });
  c.result(DType::Int64, extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = window_indices(c, window);
    Tap element = tap(window, i, bound);
    Term is_maximum = both(element.inside, real_eq(c.read(0, element.at), c.read_local("maximum", i)));
    Term position = flat_position(c, element.at, false);
    if (!column_major) {
      return reduce(Reduction::Min, bound, is_maximum, real_of(position));
    }
    // The first is so in row-major order, however positions are counted: it has the least of numbers that begin with that order.
    Term elements = product_of(c.extents(0));
    Term least = reduce(Reduction::Min, bound, is_maximum, real_of(position * elements + flat_position(c, element.at, true)));
    return call(Fn::Mod, {least, real_of(elements)});
  });
}

void define_average_pool(OpContext& c) {
  bool padding_counts = c.attr_int_value("count_include_pad") != 0;
  std::vector<WindowAxis> window = pool_window(c, !padding_counts);
  if (!c.failed() && require_float(c, 0)) {
    result_mean(c, window, padding_counts);
  }
}

// Which norm; fails the call where it is none.
std::int64_t norm_attribute(OpContext& c) {
  std::int64_t p = c.attr_int_value("p");
  if (p < 1) {
    c.fail("p must be at least 1");
  }
  return p;
}

void define_lp_pool(OpContext& c) {
  std::vector<WindowAxis> window = pool_window(c, false);
  std::int64_t p = norm_attribute(c);
  if (c.failed() || !require_float(c, 0)) {
    return;
  }
  c.result(c.dtype(0), pooled_extents(c, window), [&](const Terms& i) {
    std::vector<BoundIndex> bound = window_indices(c, window);
    Tap element = tap(window, i, bound);
    Term part = select(element.inside, powered(c.read(0, element.at), p), real(0));
    return norm_of(reduce(Reduction::Sum, bound, bool_const(true), part), p);
  });
}

std::vector<WindowAxis> pool2d_window(OpContext& c, bool full) {
  if (!require_rank(c, 0, 4)) {
    return {};
  }
  Terms kernel = spread_or_each(c, "pool_size", 2);
  std::vector<WindowAxis> window = plain_window(c, kernel, c.attr_int_value("ceil_mode") != 0);
  if (full) {
    require_full_windows(c, window);
  }
  return window;
}

void define_max_pool2d(OpContext& c) {
  std::vector<WindowAxis> window = pool2d_window(c, true);
  if (!c.failed()) {
    result_maximum(c, window);
  }
}

void define_avg_pool2d(OpContext& c) {
  bool padding_counts = c.attr_int_value("count_include_pad") != 0;
  std::vector<WindowAxis> window = pool2d_window(c, !padding_counts);
  if (!c.failed() && require_float(c, 0)) {
    result_mean(c, window, padding_counts);
  }
}

// One window that is the whole tensor: finish(reduction(h, w…) map(x[…]), how many elements).
template <class Map, class Finish>
void result_global(OpContext& c, Reduction reduction, Map map, Finish finish) {
  if (c.failed() || !require_rank_at_least(c, 0, 3) || !require_float(c, 0)) {
    return;
  }
  Terms sizes = spatial(c.extents(0));
  require_non_empty(c, sizes, "the input's spatial axes");
  Terms extents(c.rank(0), Term(1));
  extents[0] = c.extent(0, 0);
  extents[1] = c.extent(0, 1);
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    const char* names[] = {"h", "w", "d"};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      bound.push_back(c.bound(k < 3 ? names[k] : "r" + std::to_string(k), sizes[k]));
    }
    Terms at = variables_of(bound);
    at.insert(at.begin(), {i[0], i[1]});
    return finish(reduce(reduction, bound, bool_const(true), map(c.read(0, at))), product_of(sizes));
  });
}

void define_global_max_pool(OpContext& c) {
  result_global(c, Reduction::Max, std::identity(), [](Term all, Term) { return all; });
}

void define_global_average_pool(OpContext& c) {
  result_global(c, Reduction::Sum, std::identity(), [](Term all, Term count) { return all / real_of(count); });
}

void define_global_lp_pool(OpContext& c) {
  std::int64_t p = norm_attribute(c);
  result_global(
      c, Reduction::Sum, [&](Term x) { return powered(x, p); }, [&](Term all, Term) { return norm_of(all, p); });
}

std::vector<AttrDef> pool_attributes(std::initializer_list<AttrDef> more) {
  auto each = [](std::string_view name, AttrLength length, std::int64_t otherwise) {
    AttrDef attr{.name = name, .type = AttrType::Ints, .otherwise = Absent{}, .length = length};
    attr.each_if_absent = otherwise;
    return attr;
  };
  std::vector<AttrDef> out{
      {.name = "auto_pad",
       .type = AttrType::String,
       .otherwise = "NOTSET",
       .choices = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}},
      {.name = "ceil_mode", .otherwise = 0, .domain = AttrDomain::Flag},
      each("dilations", AttrLength::Spatial, 1),
      {.name = "kernel_shape", .type = AttrType::Ints, .length = AttrLength::Spatial},
      each("pads", AttrLength::SpatialPairs, 0),
      each("strides", AttrLength::Spatial, 1),
  };
  out.insert(out.end(), more);
  return out;
}

std::vector<AttrDef> pool2d_attributes(std::initializer_list<AttrDef> more) {
  auto spread = [](std::string_view name, AttrLength length, std::int64_t otherwise) {
    AttrDef attr{.name = name, .type = AttrType::IntOrInts, .otherwise = Absent{}, .length = length};
    attr.each_if_absent = otherwise;
    return attr;
  };
  std::vector<AttrDef> out{
      {.name = "pool_size", .type = AttrType::IntOrInts, .length = AttrLength::Spatial},
      spread("strides", AttrLength::Spatial, 1),
      spread("padding", AttrLength::SpatialPairs, 0),
      spread("dilation", AttrLength::Spatial, 1),
      {.name = "ceil_mode", .otherwise = 0, .domain = AttrDomain::Flag},
  };
  out.insert(out.end(), more);
  return out;
}

}  // namespace

std::vector<OpDef> pooling_ops() {
  const AttrDef storage_order{.name = "storage_order", .otherwise = 0, .domain = AttrDomain::Flag};
  const AttrDef p{.name = "p", .otherwise = 2};
  const AttrDef count_include_pad{.name = "count_include_pad", .otherwise = 0, .domain = AttrDomain::Flag};
  return {
      {.name = "MaxPool",
       .operands = {{"x"}},
       .attributes = pool_attributes({storage_order}),
       .define = define_max_pool,
       .further = {"MaxPoolIndices"}},
      {.name = "MaxPoolIndices",
       .operands = {{"x"}},
       .attributes = pool_attributes({storage_order}),
       .define = define_max_pool_indices},
      {.name = "AveragePool",
       .operands = {{"x"}},
       .attributes = pool_attributes({count_include_pad}),
       .define = define_average_pool},
      {.name = "LpPool", .operands = {{"x"}}, .attributes = pool_attributes({p}), .define = define_lp_pool},
      {.name = "GlobalAveragePool", .operands = {{"x"}}, .define = define_global_average_pool},
      {.name = "GlobalMaxPool", .operands = {{"x"}}, .define = define_global_max_pool},
      {.name = "GlobalLpPool", .operands = {{"x"}}, .attributes = {p}, .define = define_global_lp_pool},
      {.name = "max_pool2d", .operands = {{"x"}}, .attributes = pool2d_attributes({}), .define = define_max_pool2d},
      {.name = "avg_pool2d",
       .operands = {{"x"}},
       .attributes = pool2d_attributes({count_include_pad}),
       .define = define_avg_pool2d},
  };
}

}  // namespace vouch
