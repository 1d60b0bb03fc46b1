// The operator table has the forms of opset 20; most models need no more than 17, which more tools read.
#include <algorithm>

#include "io/onnx_write.h"

namespace vouch {
namespace {

std::string text_attribute(AttrDict attributes, std::string_view name) {
  const AttrValue* value = attributes.find(name);
  return value && value->string() ? *value->string() : std::string();
}

std::int64_t int_attribute(AttrDict attributes, std::string_view name) {
  const AttrValue* value = attributes.find(name);
  return value ? value->int64().value_or(0) : 0;
}

bool has_operand(const Graph& graph, NodeId call, std::size_t operand) {
  return operand < graph.operands(call).size() && graph.operands(call)[operand] != kNoNode;
}

// Reductions that took their axes as an attribute until opset 18 (ReduceSum until 13).
bool reduces_by_attribute(std::string_view op) { return op.starts_with("Reduce") && op != "ReduceSum"; }

bool reduction_needs_20(const Graph& graph, NodeId call) {
  NodeId x = graph.operands(call)[0];
  bool open_axes = has_operand(graph, call, 1) && !graph.has_value(graph.operands(call)[1]);
  return open_axes || int_attribute(graph.attributes(call), "noop_with_empty_axes") != 0 || graph.type(x).dtype() == DType::Bool;
}

bool resize_needs_20(AttrDict attributes) {
  std::string policy = text_attribute(attributes, "keep_aspect_ratio_policy");
  return int_attribute(attributes, "antialias") != 0 || attributes.find("axes") || (!policy.empty() && policy != "stretch") ||
         text_attribute(attributes, "coordinate_transformation_mode") == "half_pixel_symmetric";
}

// Sizes of the parts if the axis is known; equal parts need no sizes.
std::optional<std::vector<std::int64_t>> part_sizes(const Graph& graph, NodeId call) {
  std::vector<std::int64_t> out;
  auto axis = int_attribute(graph.attributes(call), "axis");
  for (Type item : graph.type(call).items()) {
    auto rank = static_cast<std::int64_t>(item.rank());
    auto size = const_int(item.extents()[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
    if (!size) {
      return std::nullopt;
    }
    out.push_back(*size);
  }
  return out;
}

void drop(OnnxWriter::Attributes& attributes, std::initializer_list<std::string_view> names) {
  std::erase_if(attributes, [&](const onnx::AttributeProto& attribute) {
    return std::find(names.begin(), names.end(), attribute.name()) != names.end();
  });
}

void reduce_by_attribute(OnnxWriter& writer, NodeId call, OnnxWriter::Names& inputs, OnnxWriter::Attributes& attributes) {
  drop(attributes, {"noop_with_empty_axes"});
  if (inputs.size() > 1) {
    const Tensor& axes = writer.graph().value(writer.graph().operands(call)[1]);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < axes.count(); ++i) {
      values.push_back(axes.int_at(i));
    }
    if (!values.empty()) {
      attributes.push_back(onnx_ints("axes", values));
    }
    inputs.resize(1);
  }
}

void split_by_sizes(OnnxWriter& writer, NodeId call, OnnxWriter::Names& inputs, OnnxWriter::Attributes& attributes) {
  drop(attributes, {"num_outputs"});
  auto sizes = part_sizes(writer.graph(), call);
  bool equal = !sizes || std::adjacent_find(sizes->begin(), sizes->end(), std::not_equal_to<>()) == sizes->end();
  if (inputs.size() == 1 && !equal) {
    inputs.push_back(writer.ints(*sizes, writer.graph().name(call) + "_sizes"));
  }
}

}  // namespace

bool needs_opset_20(const Graph& graph, NodeId call) {
  const OpDef& def = op_def(graph.op(call));
  AttrDict attributes = graph.attributes(call);
  if (def.name == "Gelu" || def.name == "Mish") {
    return true;
  }
  if (reduces_by_attribute(def.name)) {
    return reduction_needs_20(graph, call);
  }
  if (def.name == "Split") {
    return !has_operand(graph, call, 1) && !part_sizes(graph, call);
  }
  if (def.name == "Pad") {
    return has_operand(graph, call, 3) || text_attribute(attributes, "mode") == "wrap";
  }
  if (def.name == "Resize") {
    return resize_needs_20(attributes);
  }
  if (def.name == "ScatterND") {
    std::string reduction = text_attribute(attributes, "reduction");
    return reduction == "max" || reduction == "min";
  }
  if (def.name == "AveragePool") {
    const AttrValue* dilations = attributes.find("dilations");
    auto values = dilations ? dilations->int64s() : std::nullopt;
    return values && std::any_of(values->begin(), values->end(), [](std::int64_t d) { return d != 1; });
  }
  return false;
}

bool adapt_to_opset(OnnxWriter& writer, NodeId call, OnnxWriter::Names& inputs, OnnxWriter::Attributes& attributes) {
  std::string_view op = op_def(writer.graph().op(call)).name;
  if (writer.opset() >= 20) {
    bool counts = op == "Split" && inputs.size() == 1 && !writer.graph().attributes(call).find("num_outputs");
    if (counts) {
      attributes.push_back(onnx_int("num_outputs", static_cast<std::int64_t>(writer.graph().type(call).items().size())));
    }
    return true;
  }
  if (reduces_by_attribute(op)) {
    reduce_by_attribute(writer, call, inputs, attributes);
  } else if (op == "Split") {
    split_by_sizes(writer, call, inputs, attributes);
  } else if (op == "Resize") {
    drop(attributes, {"antialias", "keep_aspect_ratio_policy"});
  } else if (op == "AveragePool") {
    drop(attributes, {"dilations"});
  }
  return true;
}

}  // namespace vouch
