// Convolutions, grouped, over any number of spatial axes.
//
//   y[n, o, p…] = sum(c < I, r… < R…) x[n, (o // (O // group)) * I + c, p*s + r*d - pad] * w[o, c, r…] + b[o]
#include <fmt/format.h>

#include "graph/ops/convolve.h"
#include "graph/ops/fused_activation.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "graph/ops/window.h"
#include "support/fault.h"

namespace vouch {
namespace {

void require_groups(OpContext& c, Term group, std::size_t kernel = 1) {
  c.require(ge(group, 1), "group must be at least 1");
  c.require(eq(c.extent(0, 1), c.extent(kernel, 1) * group), "the input's channels must be the kernel's channels times group");
  if (!c.failed() && const_int(group) != 1) {
    c.require(ge(c.extent(kernel, 0), group), "each group needs an output channel");
    c.require(divides(group, c.extent(kernel, 0)), "group must divide the number of output channels");
  }
}

// The result, or a local of this name that is stored before more is done with it. Gives its extents.
Terms result_convolution(OpContext& c, const std::vector<WindowAxis>& window, Term group, std::string_view local = {}) {
  Convolution convolution{.group = group, .window = window};
  Terms extents = convolution.extents(c);
  auto sum_at = [&](const Terms& i) {
    Term sum = convolution_sum(c, convolution, i);
    return c.has(2) ? sum + c.read(2, {i[1]}) : sum;
  };
  if (local.empty()) {
    c.result(c.dtype(0), extents, sum_at);
  } else {
    c.local(local, c.dtype(0), extents, sum_at);
  }
  return extents;
}

bool require_kernel(OpContext& c) {
  return require_rank_at_least(c, 0, 3) && require_rank(c, 1, c.rank(0)) && require_same_dtype(c, 0, 1);
}

void require_bias(OpContext& c, Term outputs) {
  if (c.has(2) && require_rank(c, 2, 1) && require_same_dtype(c, 0, 2)) {
    c.require(eq(c.extent(2, 0), outputs), "the bias has one element for each output channel");
  }
}

Terms kernel_shape(OpContext& c, std::size_t operand = 1) {
  Terms kernel = spatial(c.extents(operand));
  Terms declared = c.has_attr("kernel_shape") ? list_or_each(c, "kernel_shape", kernel.size()) : kernel;
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    c.require(eq(kernel[k], declared[k]), "kernel_shape must be the kernel's sizes");
  }
  return kernel;
}

// Under SAME and with dilations ONNX Runtime makes no convolution, whatever the kernel.
std::vector<WindowAxis> convolution_window(OpContext& c, std::size_t operand = 1) {
  std::vector<WindowAxis> window = onnx_window(c, kernel_shape(c, operand), false);
  if (c.attr_string("auto_pad").starts_with("SAME")) {
    for (const WindowAxis& axis : window) {
      require_one_reading(c, eq(axis.dilation, 1), "under SAME ONNX Runtime makes no convolution with dilations");
    }
  }
  return window;
}

void define_conv(OpContext& c) {
  if (!require_kernel(c)) {
    return;
  }
  Term group = c.attr_int("group");
  require_groups(c, group);
  require_bias(c, c.extent(1, 0));
  std::vector<WindowAxis> window = convolution_window(c);
  if (!c.failed()) {
    result_convolution(c, window, group);
  }
}

// ONNX Runtime's: the convolution, plus a tensor of the result's shape, through an activation.
void define_fused_conv(OpContext& c) {
  if (!require_kernel(c)) {
    return;
  }
  Term group = c.attr_int("group");
  require_groups(c, group);
  require_bias(c, c.extent(1, 0));
  std::vector<WindowAxis> window = convolution_window(c);
  if (c.failed() || (c.has(3) && (!require_rank(c, 3, c.rank(0)) || !require_same_dtype(c, 0, 3)))) {
    return;
  }
  Terms parameters;
  if (const AttrValue* given = c.attr("activation_params")) {
    for (const AttrValue& item : *given->tuple()) {
      parameters.push_back(item.number()->sort() == Sort::Int ? real_of(*item.number()) : *item.number());
    }
  }
  std::string activation = c.has_attr("activation") ? c.attr_string("activation") : std::string();
  if (!fused_activation(c, activation, parameters, real(0))) {
    return;
  }
  Terms extents = result_convolution(c, window, group, "convolved");
  for (std::size_t k = 0; c.has(3) && k < extents.size(); ++k) {
    c.require(eq(c.extent(3, k), extents[k]), "what is added has the result's shape");
  }
  if (c.has(3)) {
    c.local("added", c.dtype(0), extents, [&](const Terms& i) { return c.read_local("convolved", i) + c.read(3, i); });
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    return *fused_activation(c, activation, parameters, c.read_local(c.has(3) ? "added" : "convolved", i));
  });
}

void define_conv2d(OpContext& c) {
  if (!require_rank(c, 0, 4) || !require_kernel(c)) {
    return;
  }
  Term group = c.attr_int("groups");
  require_groups(c, group);
  std::vector<WindowAxis> window = plain_window(c, spatial(c.extents(1)), false);
  if (!c.failed()) {
    result_convolution(c, window, group);
  }
}

// --- ConvTranspose: the sum over those windows that cover position p,
//   y[n, m, p…] = sum(c < C // group, r…) (x[n, g*(C // group) + c, q…] where p + pad - r*d == q*s) * w[g*… + c, m', r…]
// with g = m // M', m' = m % M' for M' channels of a group.

Terms transposed_outputs(OpContext& c, std::vector<WindowAxis>& window) {
  std::string auto_pad = c.attr_string("auto_pad");
  std::size_t count = window.size();
  Terms extra = list_or_each(c, "output_padding", count);
  Terms shape = c.has_attr("output_shape") ? list_or_each(c, "output_shape", count) : Terms();
  Terms out;
  for (std::size_t k = 0; k < count; ++k) {
    WindowAxis& axis = window[k];
    c.require(ge(extra[k], 0), "output_padding must not be negative");
    c.require(either(eq(extra[k], 0), lt(extra[k], int_max(axis.stride, axis.dilation))),
              "output_padding must be less than the stride or the dilation");
    require_one_reading(c, lt(extra[k], axis.stride), "output_padding of a stride or more ONNX Runtime refuses");
    Term full = (axis.input - 1) * axis.stride + extra[k] + axis.reach();
    bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
    if (shape.empty() && !same) {
      out.push_back(full - axis.pad_begin - axis.pad_end);
      continue;
    }
    if (shape.empty()) {
      c.require(ge(full, axis.input * axis.stride),
                "what lies between strides must be covered, or ONNX and ONNX Runtime differ in its size");
    }
    out.push_back(shape.empty() ? axis.input * axis.stride : shape[k]);
    require_one_reading(c, lt(out[k] - axis.reach(), axis.input * axis.stride),
                        "output_shape must leave no place for another window, or ONNX Runtime refuses it");
    Term surplus = int_max(full - out[k], 0);
    axis.pad_begin = auto_pad == "SAME_UPPER" ? floor_div(surplus, 2) : ceil_div(surplus, 2);
    axis.pad_end = surplus - axis.pad_begin;
  }
  return out;
}

std::vector<WindowAxis> transposed_window(OpContext& c, const Terms& kernel) {
  std::size_t count = kernel.size();
  bool given = c.attr_string("auto_pad") == "NOTSET";
  Terms pads = given ? list_or_each(c, "pads", 2 * count) : Terms(2 * count, Term(0));
  Terms strides = list_or_each(c, "strides", count);
  Terms dilations = list_or_each(c, "dilations", count);
  std::vector<WindowAxis> window;
  for (std::size_t k = 0; k < count && !c.failed(); ++k) {
    c.require(ge(kernel[k], 1), "the kernel's size must be at least 1");
    c.require(ge(strides[k], 1), "strides must be at least 1");
    c.require(ge(dilations[k], 1), "dilations must be at least 1");
    c.require(ge(pads[k], 0), "pads must not be negative");
    c.require(ge(pads[k + count], 0), "pads must not be negative");
    c.require(ge(c.extent(0, k + 2), 1), "the input must not be empty");
    window.push_back({.input = c.extent(0, k + 2),
                      .kernel = kernel[k],
                      .stride = strides[k],
                      .dilation = dilations[k],
                      .pad_begin = pads[k],
                      .pad_end = pads[k + count],
                      .output = Term(0)});
  }
  return window;
}

void result_transposed(OpContext& c, const std::vector<WindowAxis>& window, const Terms& outputs, Term group) {
  Term per_group = c.extent(1, 1);
  Terms extents = outputs;
  extents.insert(extents.begin(), {c.extent(0, 0), per_group * group});
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = window_indices(c, window);
    Terms taps = variables_of(bound);
    bool single = const_int(group) == 1;
    Term channels = single ? c.extent(0, 1) : floor_div(c.extent(0, 1), group);
    bound.insert(bound.begin(), c.bound("c", channels));
    Term channel = int_var(bound[0].name) + (single ? Term(0) : floor_div(i[1], per_group) * channels);
    Terms guards;
    Terms at{i[0], channel};
    for (std::size_t k = 0; k < window.size(); ++k) {
      Term reached = i[k + 2] + window[k].pad_begin - taps[k] * window[k].dilation;
      guards.push_back(divides(window[k].stride, reached));
      at.push_back(floor_div(reached, window[k].stride));
      guards.push_back(in_range(at.back(), window[k].input));
    }
    taps.insert(taps.begin(), {channel, single ? i[1] : floor_mod(i[1], per_group)});
    Term sum = reduce(Reduction::Sum, bound, bool_const(true), select(all_of(guards), c.read(0, at), real(0)) * c.read(1, taps));
    return c.has(2) ? sum + c.read(2, {i[1]}) : sum;
  });
}

void define_conv_transpose(OpContext& c) {
  if (!require_kernel(c)) {
    return;
  }
  Term group = c.attr_int("group");
  c.require(ge(group, 1), "group must be at least 1");
  c.require(eq(c.extent(0, 1), c.extent(1, 0)), "input and kernel must have the same number of channels");
  c.require(ge(c.extent(1, 1), 1), "each group needs an output channel");
  if (c.failed()) {
    return;
  }
  c.require(divides(group, c.extent(0, 1)), "group must divide the number of input channels");
  require_bias(c, c.extent(1, 1) * group);
  Terms kernel = kernel_shape(c);
  std::vector<WindowAxis> window = transposed_window(c, kernel);
  if (c.failed()) {
    return;
  }
  Terms outputs = transposed_outputs(c, window);
  for (Term output : outputs) {
    c.require(ge(output, 1), "pads must leave an output");
  }
  if (!c.failed()) {
    result_transposed(c, window, outputs, group);
  }
}

}  // namespace

Terms Convolution::extents(const OpContext& c) const {
  Terms extents = outputs_of(window);
  extents.insert(extents.begin(), {c.extent(0, 0), c.extent(kernel, 0)});
  return extents;
}

std::optional<Convolution> require_convolution(OpContext& c, std::size_t kernel) {
  if (!require_rank_at_least(c, 0, 3) || !require_rank(c, kernel, c.rank(0))) {
    return std::nullopt;
  }
  Convolution convolution{.kernel = kernel, .group = c.attr_int("group")};
  require_groups(c, convolution.group, kernel);
  convolution.window = convolution_window(c, kernel);
  return c.failed() ? std::nullopt : std::optional(std::move(convolution));
}

Term convolution_sum(const OpContext& c, const Convolution& convolution, const Terms& i) {
  const std::vector<WindowAxis>& window = convolution.window;
  Term outputs = c.extent(convolution.kernel, 0);
  Term channels = c.extent(convolution.kernel, 1);
  std::vector<BoundIndex> bound = window_indices(c, window);
  Terms taps = variables_of(bound);
  bound.insert(bound.begin(), c.bound("c", channels));
  Term channel = int_var(bound[0].name);
  Term first = const_int(convolution.group) == 1 ? Term(0) : floor_div(i[1], floor_div(outputs, convolution.group)) * channels;
  Terms at = window_positions(window, spatial(i), taps);
  Term guard = inside(window, at);
  at.insert(at.begin(), {i[0], first + channel});
  taps.insert(taps.begin(), {i[1], channel});
  Term x = c.read(0, at);
  Term w = c.read(convolution.kernel, taps);
  if (convolution.offset_x) {
    x = x - convolution.offset_x();
  }
  if (convolution.offset_w) {
    w = w - convolution.offset_w(i[1]);
  }
  return reduce(Reduction::Sum, bound, bool_const(true), select(guard, x, real(0)) * w);
}

std::vector<AttrDef> convolution_attributes() {
  for (const OpDef& def : convolution_ops()) {
    if (def.define == define_conv) {
      return def.attributes;
    }
  }
  fault("a convolution is among its own");
}

std::vector<OpDef> convolution_ops() {
  const AttrDef auto_pad{.name = "auto_pad",
                         .type = AttrType::String,
                         .otherwise = "NOTSET",
                         .choices = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}};
  const AttrDef group{.name = "group", .otherwise = 1};
  auto each = [](std::string_view name, std::int64_t otherwise) {
    AttrDef attr{.name = name, .type = AttrType::Ints, .otherwise = Absent{}, .length = AttrLength::Spatial};
    attr.each_if_absent = otherwise;
    return attr;
  };
  AttrDef pads{.name = "pads", .type = AttrType::Ints, .otherwise = Absent{}, .length = AttrLength::SpatialPairs};
  pads.each_if_absent = 0;
  AttrDef kernel{.name = "kernel_shape", .type = AttrType::Ints, .otherwise = Absent{}, .length = AttrLength::Spatial};
  kernel.implied_if_absent = true;
  const AttrDef shape{.name = "output_shape", .type = AttrType::Ints, .otherwise = Absent{}, .length = AttrLength::Spatial};
  auto spread = [](std::string_view name, AttrLength length, std::int64_t otherwise) {
    AttrDef attr{.name = name, .type = AttrType::IntOrInts, .otherwise = Absent{}, .length = length};
    attr.each_if_absent = otherwise;
    return attr;
  };
  return {
      {.name = "Conv",
       .operands = {{"x"}, {"w"}, {"b", OperandKind::Optional}},
       .attributes = {auto_pad, each("dilations", 1), group, kernel, pads, each("strides", 1)},
       .define = define_conv},
      {.name = "FusedConv",
       .operands = {{"x"}, {"w"}, {"b", OperandKind::Optional}, {"z", OperandKind::Optional}},
       .attributes = {{.name = "activation", .type = AttrType::String, .otherwise = Absent{}},
                      {.name = "activation_params", .type = AttrType::Floats, .otherwise = Absent{}},
                      auto_pad,
                      each("dilations", 1),
                      group,
                      kernel,
                      pads,
                      each("strides", 1)},
       .define = define_fused_conv},
      {.name = "ConvTranspose",
       .operands = {{"x"}, {"w"}, {"b", OperandKind::Optional}},
       .attributes = {auto_pad, each("dilations", 1), group, kernel, each("output_padding", 0), shape, pads, each("strides", 1)},
       .define = define_conv_transpose},
      {.name = "conv2d",
       .operands = {{"x"}, {"w"}},
       .attributes = {spread("strides", AttrLength::Spatial, 1),
                      spread("padding", AttrLength::SpatialPairs, 0),
                      spread("dilation", AttrLength::Spatial, 1),
                      {.name = "groups", .otherwise = 1}},
       .define = define_conv2d},
  };
}

}  // namespace vouch
