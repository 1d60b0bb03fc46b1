#include "graph/ops/window.h"

#include <fmt/format.h>

namespace vouch {
namespace {

void require_positive(OpContext& c, const Terms& list, std::string_view what) {
  for (Term item : list) {
    c.require(ge(item, 1), fmt::format("{} must be at least 1", what));
  }
}

// ONNX: output ceil(input / stride); what is missing is padded, the odd one behind (SAME_UPPER) or before.
void pad_same(WindowAxis& axis, bool upper) {
  axis.output = ceil_div(axis.input, axis.stride);
  Term missing = int_max((axis.output - 1) * axis.stride + axis.reach() - axis.input, 0);
  axis.pad_begin = upper ? floor_div(missing, 2) : ceil_div(missing, 2);
  axis.pad_end = missing - axis.pad_begin;
}

// The last window must start inside the tensor or the padding before it.
Term ceil_output(const WindowAxis& axis, Term room) {
  Term count = ceil_div(room, axis.stride) + 1;
  return int_select(ge((count - 1) * axis.stride, axis.input + axis.pad_begin), count - 1, count);
}

void pad_as_given(OpContext& c, WindowAxis& axis, bool ceil_mode) {
  c.require(ge(axis.pad_begin, 0), "pads must not be negative");
  c.require(ge(axis.pad_end, 0), "pads must not be negative");
  Term room = axis.input + axis.pad_begin + axis.pad_end - axis.reach();
  if (ceil_mode) {
    axis.output = ceil_output(axis, room);
    axis.may_leave = !is_true(divides(axis.stride, room));
    c.require(ge(axis.output, 1), "the kernel must fit into the padded input");
    return;
  }
  c.require(ge(room, 0), "the kernel must fit into the padded input");
  axis.output = floor_div(room, axis.stride) + 1;
}

std::vector<WindowAxis> make_window(OpContext& c, const Terms& kernel, const Terms& strides, const Terms& dilations,
                                    const Terms& pads) {
  require_positive(c, kernel, "the kernel's size");
  require_positive(c, strides, "strides");
  require_positive(c, dilations, "dilations");
  std::vector<WindowAxis> window;
  for (std::size_t k = 0; k < kernel.size() && !c.failed(); ++k) {
    window.push_back({.input = c.extent(0, k + 2),
                      .kernel = kernel[k],
                      .stride = strides[k],
                      .dilation = dilations[k],
                      .pad_begin = pads[k],
                      .pad_end = pads[k + kernel.size()],
                      .output = Term(0)});
  }
  return window;
}

// Whatever stride, dilation and pads: the position is inside when the pads are 0 and windows stay in the padding.
bool surely_from_start(const WindowAxis& axis) { return const_int(axis.pad_begin) == 0; }
bool surely_to_end(const WindowAxis& axis) { return const_int(axis.pad_end) == 0 && !axis.may_leave; }

}  // namespace

std::vector<WindowAxis> onnx_window(OpContext& c, const Terms& kernel, bool ceil_mode) {
  std::string auto_pad = c.attr_string("auto_pad");
  bool given = auto_pad == "NOTSET";
  Terms pads = given ? list_or_each(c, "pads", 2 * kernel.size()) : Terms(2 * kernel.size(), Term(0));
  Terms strides = list_or_each(c, "strides", kernel.size());
  Terms dilations = list_or_each(c, "dilations", kernel.size());
  std::vector<WindowAxis> window = make_window(c, kernel, strides, dilations, pads);
  for (WindowAxis& axis : window) {
    if (given || auto_pad == "VALID") {
      if (ceil_mode && !given) {
        require_one_reading(c, divides(axis.stride, axis.input - axis.reach()),
                            "of a last window that leaves the input under VALID, ONNX's text and ONNX Runtime differ");
      }
      pad_as_given(c, axis, ceil_mode && given);
    } else {
      pad_same(axis, auto_pad == "SAME_UPPER");
    }
  }
  return window;
}

std::vector<WindowAxis> plain_window(OpContext& c, const Terms& kernel, bool ceil_mode) {
  const AttrValue* padding = c.attr("padding");
  bool pairs = padding && padding->tuple() && padding->tuple()->size() == 2 * kernel.size();
  Terms pads = spread_or_each(c, "padding", pairs ? 2 * kernel.size() : kernel.size());
  if (!pairs) {
    pads.insert(pads.end(), pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(kernel.size()));
  }
  Terms strides = spread_or_each(c, "strides", kernel.size());
  Terms dilations = spread_or_each(c, "dilation", kernel.size());
  std::vector<WindowAxis> window = make_window(c, kernel, strides, dilations, pads);
  for (WindowAxis& axis : window) {
    pad_as_given(c, axis, ceil_mode);
  }
  return window;
}

void require_full_windows(OpContext& c, const std::vector<WindowAxis>& window) {
  for (const WindowAxis& axis : window) {
    c.require(ge(axis.input, 1), "the input must not be empty");
    if (surely_from_start(axis) && surely_to_end(axis)) {
      continue;
    }
    // A window that starts in the padding steps into the input, over at most `dilation` positions.
    c.require(lt(axis.pad_begin, axis.reach()), "pads must be smaller than the kernel");
    c.require(lt(axis.pad_end, axis.reach()), "pads must be smaller than the kernel");
    c.require(either(eq(axis.pad_begin, 0), le(axis.dilation, axis.input)), "dilated windows must not step over the input");
  }
}

std::vector<BoundIndex> window_indices(const OpContext& c, const std::vector<WindowAxis>& window) {
  std::vector<BoundIndex> out;
  for (std::size_t k = 0; k < window.size(); ++k) {
    out.push_back(c.bound(fmt::format("r{}", k), window[k].kernel));
  }
  return out;
}

Terms window_positions(const std::vector<WindowAxis>& window, const Terms& o, const Terms& r) {
  Terms out;
  for (std::size_t k = 0; k < window.size(); ++k) {
    out.push_back(window[k].start(o[k]) + r[k] * window[k].dilation);
  }
  return out;
}

Term inside(const std::vector<WindowAxis>& window, const Terms& positions) {
  Terms guards;
  for (std::size_t k = 0; k < window.size(); ++k) {
    if (!surely_from_start(window[k])) {
      guards.push_back(le(0, positions[k]));
    }
    if (!surely_to_end(window[k])) {
      guards.push_back(lt(positions[k], window[k].input));
    }
  }
  return all_of(guards);
}

Terms outputs_of(const std::vector<WindowAxis>& window) {
  Terms out;
  for (const WindowAxis& axis : window) {
    out.push_back(axis.output);
  }
  return out;
}

Terms variables_of(const std::vector<BoundIndex>& indices) {
  Terms out;
  for (const BoundIndex& index : indices) {
    out.push_back(int_var(index.name));
  }
  return out;
}

Terms spatial(const Terms& indices) { return {indices.begin() + 2, indices.end()}; }

}  // namespace vouch
