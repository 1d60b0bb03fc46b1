// Operators that rules use besides ONNX's, as ONNX nodes that mean the same.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "graph/eval.h"
#include "io/onnx_earlier.h"
#include "io/onnx_tensor.h"
#include "io/onnx_write.h"

namespace vouch {
namespace {

using Numbers = std::vector<std::int64_t>;

// One call that is being lowered: reading its attributes, and giving its results.
class Lowering {
 public:
  Lowering(OnnxWriter& writer, NodeId call)
      : writer_(writer), call_(call), inputs_(writer.operand_names(call)), stem_(writer.graph().name(call)) {}

  OnnxWriter& writer() { return writer_; }
  const std::string& input(std::size_t i) const { return inputs_[i]; }
  const OnnxWriter::Names& inputs() const { return inputs_; }
  Type type(std::size_t operand) const { return writer_.graph().type(writer_.graph().operands(call_)[operand]); }
  std::int64_t rank(std::size_t operand) const { return static_cast<std::int64_t>(type(operand).rank()); }
  bool fail(const std::string& why) {
    return writer_.fail(call_, fmt::format("{} has no form in ONNX{}", op_def(writer_.graph().op(call_)).name, why));
  }

  const AttrValue* attribute(std::string_view name) const { return writer_.graph().attributes(call_).find(name); }
  std::int64_t number(std::string_view name, std::int64_t otherwise) const {
    const AttrValue* value = attribute(name);
    return value ? value->int64().value_or(otherwise) : otherwise;
  }
  double real(std::string_view name, double otherwise) const {
    const AttrValue* value = attribute(name);
    return value && value->number() && is_const(*value->number()) ? double_of((*value->number())->value) : otherwise;
  }
  Numbers numbers(std::string_view name) const {
    const AttrValue* value = attribute(name);
    return value ? value->int64s().value_or(Numbers()) : Numbers();
  }
  // One for each of `count` axes; a single number stands for all.
  Numbers spread(std::string_view name, std::size_t count, std::int64_t otherwise) const {
    const AttrValue* value = attribute(name);
    return value && value->int64s() ? *value->int64s() : Numbers(count, value ? value->int64().value_or(otherwise) : otherwise);
  }
  std::size_t axis(std::size_t operand, std::int64_t otherwise) const {
    std::int64_t given = number("axis", otherwise);
    return static_cast<std::size_t>(given < 0 ? given + rank(operand) : given);
  }

  std::string ints(const Numbers& values, const char* what) { return writer_.ints(values, stem_ + "_" + what); }
  std::string step(const std::string& op, const OnnxWriter::Names& from, OnnxWriter::Attributes attributes = {}) {
    return writer_.emit(op, from, stem_ + "_" + op, std::move(attributes));
  }
  bool give(const std::string& op, const OnnxWriter::Names& from, OnnxWriter::Attributes attributes = {}) {
    writer_.emit_to(writer_.result_names(call_), op, from, std::move(attributes), stem_);
    return true;
  }
  OnnxWriter::Names results() { return writer_.result_names(call_); }
  AttrDict dict() const { return writer_.graph().attributes(call_); }
  OpId op() const { return writer_.graph().op(call_); }

 private:
  OnnxWriter& writer_;
  NodeId call_;
  OnnxWriter::Names inputs_;
  std::string stem_;
};

// --- shapes

bool lower_reshape(Lowering& l) {
  Numbers shape = l.numbers("shape");
  OnnxWriter::Attributes attributes;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    attributes.push_back(onnx_int("allowzero", 1));
  }
  return l.give("Reshape", {l.input(0), l.ints(shape, "shape")}, std::move(attributes));
}

// An empty list of axes is read in two ways.
bool lower_squeeze(Lowering& l) {
  Numbers axes = l.numbers("axes");
  return axes.empty() ? l.give("Identity", {l.input(0)}) : l.give("Squeeze", {l.input(0), l.ints(axes, "axes")});
}

bool lower_unsqueeze(Lowering& l) { return l.give("Unsqueeze", {l.input(0), l.ints(l.numbers("axes"), "axes")}); }
bool lower_transpose(Lowering& l) { return l.give("Transpose", {l.input(0)}, {onnx_ints("perm", l.numbers("perm"))}); }
bool lower_concatenate(Lowering& l) { return l.give("Concat", l.inputs(), {onnx_int("axis", l.number("axis", 0))}); }

bool lower_split(Lowering& l) {
  std::size_t axis = l.axis(0, 0);
  OnnxWriter::Attributes attributes{onnx_int("axis", static_cast<std::int64_t>(axis))};
  const AttrValue* where = l.attribute("indices_or_sections");
  if (!where->tuple()) {
    if (l.writer().opset() >= 18) {
      attributes.push_back(onnx_int("num_outputs", where->int64().value_or(1)));
    }
    return l.give("Split", {l.input(0)}, std::move(attributes));
  }
  auto whole = const_int(l.type(0).extents()[axis]);
  if (!whole) {
    return l.fail(" where the size of the axis is not known");
  }
  Numbers sizes;
  std::int64_t begin = 0;
  for (std::int64_t cut : l.numbers("indices_or_sections")) {
    sizes.push_back(cut - begin);
    begin = cut;
  }
  sizes.push_back(*whole - begin);
  return l.give("Split", {l.input(0), l.ints(sizes, "sizes")}, std::move(attributes));
}

Numbers all_axes(std::int64_t rank) {
  Numbers out;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    out.push_back(axis);
  }
  return out;
}

bool lower_slice(Lowering& l) {
  auto count = static_cast<std::size_t>(l.rank(0));
  return l.give("Slice", {l.input(0), l.ints(l.numbers("starts"), "starts"), l.ints(l.numbers("limits"), "ends"),
                          l.ints(all_axes(l.rank(0)), "axes"), l.ints(l.spread("strides", count, 1), "steps")});
}

bool lower_reverse(Lowering& l) {
  Numbers axes = l.numbers("axes");
  return l.give("Slice", {l.input(0), l.ints(Numbers(axes.size(), -1), "starts"), l.ints(Numbers(axes.size(), INT64_MIN), "ends"),
                          l.ints(axes, "axes"), l.ints(Numbers(axes.size(), -1), "steps")});
}

bool lower_pad(Lowering& l) {
  auto count = static_cast<std::size_t>(l.rank(0));
  Numbers interior = l.spread("interior", count, 0);
  if (std::any_of(interior.begin(), interior.end(), [](std::int64_t n) { return n != 0; })) {
    return l.fail(" with interior padding");
  }
  Numbers pads = l.spread("low", count, 0);
  Numbers high = l.spread("high", count, 0);
  pads.insert(pads.end(), high.begin(), high.end());
  return l.give("Pad", {l.input(0), l.ints(pads, "pads"), l.input(1)});
}

// Axes that the operand lacks become axes of size 1, which Expand repeats.
bool lower_broadcast(Lowering& l) {
  Numbers shape = l.numbers("shape");
  Numbers kept = l.numbers("broadcast_dimensions");
  if (!std::is_sorted(kept.begin(), kept.end())) {
    return l.fail(" where axes change their order");
  }
  Numbers missing;
  for (std::int64_t axis : all_axes(static_cast<std::int64_t>(shape.size()))) {
    if (std::find(kept.begin(), kept.end(), axis) == kept.end()) {
      missing.push_back(axis);
    }
  }
  std::string spread = missing.empty() ? l.input(0) : l.step("Unsqueeze", {l.input(0), l.ints(missing, "axes")});
  return l.give("Expand", {spread, l.ints(shape, "shape")});
}

// --- elements

bool lower_convert(Lowering& l) {
  auto dtype = parse_dtype(*l.attribute("dtype")->string());
  return l.give("Cast", {l.input(0)}, {onnx_int("to", onnx_of_dtype(*dtype))});
}

bool lower_select(Lowering& l) { return l.give("Where", l.inputs()); }
bool lower_maximum(Lowering& l) { return l.give("Max", l.inputs()); }
bool lower_minimum(Lowering& l) { return l.give("Min", l.inputs()); }
bool lower_clamp(Lowering& l) { return l.give("Min", {l.step("Max", {l.input(1), l.input(0)}), l.input(2)}); }

bool lower_compare(Lowering& l) {
  static const std::map<std::string, std::string> ops{
      {"EQ", "Equal"}, {"LT", "Less"}, {"LE", "LessOrEqual"}, {"GT", "Greater"}, {"GE", "GreaterOrEqual"}};
  const std::string& direction = *l.attribute("direction")->string();
  return direction == "NE" ? l.give("Not", {l.step("Equal", l.inputs())}) : l.give(ops.at(direction), l.inputs());
}

// The right operand, which lies along the axes of the left one from `axis` on, with axes of size 1 behind its own.
std::string from_axis(Lowering& l) {
  constexpr std::int64_t kAxesAsOperand = 13;
  Numbers behind;
  for (std::int64_t k = l.rank(1); k < l.rank(0) - static_cast<std::int64_t>(l.axis(0, 1)); ++k) {
    behind.push_back(k);
  }
  return behind.empty()                        ? l.input(1)
         : l.writer().opset() < kAxesAsOperand ? l.step("Unsqueeze", {l.input(1)}, {onnx_ints("axes", behind)})
                                               : l.step("Unsqueeze", {l.input(1), l.ints(behind, "axes")});
}

bool lower_bias_add(Lowering& l) { return l.give("Add", {l.input(0), from_axis(l)}); }

bool lower_earlier_broadcast(Lowering& l) {
  return l.give(std::string(earlier_known_as(op_def(l.op()).name)->op), {l.input(0), from_axis(l)});
}

// A tensor that no operand changes is a constant.
bool lower_iota(Lowering& l) {
  Diagnostics ignored;
  auto value = GraphEvaluator().call(l.op(), {}, l.dict(), {}, ignored);
  return value ? l.give("Identity", {l.writer().constant((*value)[0], l.results()[0] + "_value")}) : l.fail(" of this size");
}

// --- contractions and layers

bool lower_dense(Lowering& l) {
  return l.give("MatMul", {l.input(0), l.step("Transpose", {l.input(1)}, {onnx_ints("perm", {1, 0})})});
}

// Letters for axes: batch and contracted ones are shared by both sides.
bool lower_dot_general(Lowering& l) {
  std::string left(static_cast<std::size_t>(l.rank(0)), ' ');
  std::string right(static_cast<std::size_t>(l.rank(1)), ' ');
  std::string result;
  char letter = 'a';
  for (bool batch : {true, false}) {
    Numbers ours = l.numbers(batch ? "lhs_batch_dimensions" : "lhs_contracting_dimensions");
    Numbers theirs = l.numbers(batch ? "rhs_batch_dimensions" : "rhs_contracting_dimensions");
    for (std::size_t k = 0; k < ours.size(); ++k, ++letter) {
      left[static_cast<std::size_t>(ours[k])] = right[static_cast<std::size_t>(theirs[k])] = letter;
      result += batch ? std::string(1, letter) : std::string();
    }
  }
  for (std::string* side : {&left, &right}) {
    for (char& c : *side) {
      if (c == ' ') {
        result += c = letter++;
      }
    }
  }
  if (letter > 'z' + 1) {
    return l.fail(" with more than 26 axes");
  }
  return l.give("Einsum", l.inputs(), {onnx_string("equation", fmt::format("{},{}->{}", left, right, result))});
}

OnnxWriter::Attributes window_attributes(const Lowering& l) {
  Numbers pads = l.spread("padding", 2, 0);
  if (pads.size() == 2) {
    pads = {pads[0], pads[1], pads[0], pads[1]};
  }
  return {onnx_ints("strides", l.spread("strides", 2, 1)), onnx_ints("pads", pads),
          onnx_ints("dilations", l.spread("dilation", 2, 1))};
}

bool lower_conv2d(Lowering& l) {
  OnnxWriter::Attributes attributes = window_attributes(l);
  attributes.push_back(onnx_int("group", l.number("groups", 1)));
  return l.give("Conv", l.inputs(), std::move(attributes));
}

bool lower_pool2d(Lowering& l, bool average) {
  OnnxWriter::Attributes attributes = window_attributes(l);
  attributes.push_back(onnx_ints("kernel_shape", l.spread("pool_size", 2, 1)));
  attributes.push_back(onnx_int("ceil_mode", l.number("ceil_mode", 0)));
  Numbers dilation = l.spread("dilation", 2, 1);
  if (average) {
    attributes.push_back(onnx_int("count_include_pad", l.number("count_include_pad", 0)));
    if (l.writer().opset() < 19) {
      attributes.erase(attributes.begin() + 2);  // AveragePool has dilations from opset 19 on
      if (dilation != Numbers{1, 1}) {
        return l.fail(" of opset 17 with dilations");
      }
    }
  }
  return l.give(average ? "AveragePool" : "MaxPool", l.inputs(), std::move(attributes));
}

bool lower_max_pool2d(Lowering& l) { return lower_pool2d(l, false); }
bool lower_avg_pool2d(Lowering& l) { return lower_pool2d(l, true); }

bool lower_layer_norm(Lowering& l) {
  bool last = l.axis(0, -1) + 1 == static_cast<std::size_t>(l.rank(0));
  if (!last || l.number("scale", 1) == 0) {
    return l.fail(last ? " without scale" : " along an axis that is not the last");
  }
  OnnxWriter::Names from = l.inputs();
  from.resize(l.number("center", 1) != 0 ? 3 : 2);
  return l.give("LayerNormalization", from, {onnx_int("axis", -1), onnx_float("epsilon", l.real("epsilon", 1e-5))});
}

// The moments are handed through.
bool lower_batch_norm(Lowering& l) {
  if (l.axis(0, 1) != 1 || l.number("center", 1) == 0 || l.number("scale", 1) == 0) {
    return l.fail(" along another axis than 1, or without scale or centre");
  }
  OnnxWriter::Names results = l.results();
  l.writer().emit_to({results[0]}, "BatchNormalization", l.inputs(), {onnx_float("epsilon", l.real("epsilon", 1e-5))});
  l.writer().emit_to({results[1]}, "Identity", {l.input(3)});
  l.writer().emit_to({results[2]}, "Identity", {l.input(4)});
  return true;
}

// Of no axes each element is its own: in ONNX an empty list means all of them.
bool lower_reduction(Lowering& l, const std::string& op) {
  if (l.numbers("axes").empty()) {
    return l.give("Identity", {l.input(0)});
  }
  OnnxWriter::Attributes attributes{onnx_int("keepdims", l.number("keepdims", 0))};
  if (op == "ReduceSum" || l.writer().opset() >= 18) {
    return l.give(op, {l.input(0), l.ints(l.numbers("axes"), "axes")}, std::move(attributes));
  }
  attributes.push_back(onnx_ints("axes", l.numbers("axes")));
  return l.give(op, {l.input(0)}, std::move(attributes));
}

bool lower_reduce_sum(Lowering& l) { return lower_reduction(l, "ReduceSum"); }
bool lower_reduce_mean(Lowering& l) { return lower_reduction(l, "ReduceMean"); }
bool lower_reduce_max(Lowering& l) { return lower_reduction(l, "ReduceMax"); }
bool lower_reduce_min(Lowering& l) { return lower_reduction(l, "ReduceMin"); }
bool lower_reduce_prod(Lowering& l) { return lower_reduction(l, "ReduceProd"); }

// Of the axes from one on, as if they were one.
bool lower_earlier_softmax(Lowering& l) {
  std::string matrix = l.step("Flatten", {l.input(0)}, {onnx_int("axis", static_cast<std::int64_t>(l.axis(0, 1)))});
  std::string rows = l.step(std::string(earlier_known_as(op_def(l.op()).name)->op), {matrix}, {onnx_int("axis", 1)});
  return l.give("Reshape", {rows, l.step("Shape", {l.input(0)})});
}

// Positions scaled about the origin, and rounded down.
bool lower_earlier_resize(Lowering& l) {
  constexpr std::int64_t kMayBeAbsent = 13;
  std::string region = l.writer().opset() < kMayBeAbsent ? l.writer().constant(Tensor(DType::Float32, {0}), "roi") : "";
  const AttrValue* mode = l.attribute("mode");
  return l.give("Resize", {l.input(0), region, l.input(1)},
                {onnx_string("mode", mode != nullptr && mode->string() ? *mode->string() : "nearest"),
                 onnx_string("coordinate_transformation_mode", "asymmetric"), onnx_string("nearest_mode", "floor")});
}

bool lower_scatter_rows(Lowering& l) {
  const AttrValue* reduction = l.attribute("reduction");
  OnnxWriter::Attributes attributes;
  if (reduction != nullptr && reduction->string() && *reduction->string() != "none") {
    attributes.push_back(onnx_string("reduction", *reduction->string()));
  }
  std::string column = l.step("Unsqueeze", {l.input(1), l.ints({1}, "axes")});
  return l.give("ScatterND", {l.input(0), column, l.input(2)}, std::move(attributes));
}

const std::map<std::string_view, bool (*)(Lowering&)> kLowerings{
    {"scatter_rows", lower_scatter_rows},
    {"resize_10", lower_earlier_resize},
    {"reshape", lower_reshape},
    {"squeeze", lower_squeeze},
    {"unsqueeze", lower_unsqueeze},
    {"transpose", lower_transpose},
    {"concatenate", lower_concatenate},
    {"split", lower_split},
    {"slice", lower_slice},
    {"reverse", lower_reverse},
    {"pad", lower_pad},
    {"convert", lower_convert},
    {"select", lower_select},
    {"maximum", lower_maximum},
    {"minimum", lower_minimum},
    {"clamp", lower_clamp},
    {"compare", lower_compare},
    {"bias_add", lower_bias_add},
    {"iota", lower_iota},
    {"dense", lower_dense},
    {"softmax_11", lower_earlier_softmax},
    {"log_softmax_11", lower_earlier_softmax},
    {"hardmax_11", lower_earlier_softmax},
    {"add_6", lower_earlier_broadcast},
    {"sub_6", lower_earlier_broadcast},
    {"mul_6", lower_earlier_broadcast},
    {"div_6", lower_earlier_broadcast},
    {"pow_6", lower_earlier_broadcast},
    {"and_6", lower_earlier_broadcast},
    {"or_6", lower_earlier_broadcast},
    {"xor_6", lower_earlier_broadcast},
    {"equal_6", lower_earlier_broadcast},
    {"greater_6", lower_earlier_broadcast},
    {"less_6", lower_earlier_broadcast},
    {"prelu_6", lower_earlier_broadcast},
    {"conv2d", lower_conv2d},
    {"max_pool2d", lower_max_pool2d},
    {"avg_pool2d", lower_avg_pool2d},
    {"layer_norm", lower_layer_norm},
    {"batch_norm", lower_batch_norm},
    {"broadcast_in_dim", lower_broadcast},
    {"reduce_sum", lower_reduce_sum},
    {"reduce_mean", lower_reduce_mean},
    {"dot_general", lower_dot_general},
    {"reduce_max", lower_reduce_max},
    {"reduce_min", lower_reduce_min},
    {"reduce_prod", lower_reduce_prod},
};

}  // namespace

bool lower_to_onnx(OnnxWriter& writer, NodeId call) {
  Lowering lowering(writer, call);
  auto found = kLowerings.find(op_def(writer.graph().op(call)).name);
  return found == kLowerings.end() ? lowering.fail("") : found->second(lowering);
}

}  // namespace vouch
