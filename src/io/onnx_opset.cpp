// The operator table has the forms of opset 20: here they take those of the opset that is written. `least_opset` says that they
// can.
#include <algorithm>

#include "io/onnx_write.h"

namespace vouch {
namespace {

constexpr std::int64_t kNegativeAxes = 11;  // the first version that counts axes from the end

// What a call becomes in an older opset.
class OlderForm {
 public:
  OlderForm(OnnxWriter& writer, NodeId call, std::string& op, OnnxWriter::Names& inputs, OnnxWriter::Attributes& attributes)
      : writer_(writer), graph_(writer.graph()), call_(call), op_(op), inputs_(inputs), attributes_(attributes) {}

  void apply() {
    std::int64_t opset = writer_.opset();
    drop_later(op_, opset, attributes_);
    if (op_.starts_with("Reduce")) {
      reduce_by_attribute(opset < (op_ == "ReduceSum" ? 13 : 18));
    } else if (op_ == "Split") {
      split(opset);
    } else if (op_ == "Resize" && opset < 11) {
      earlier_resize(opset);
    } else if (op_ == "Resize" && opset < 13) {
      spell_absent_lists();
    } else if (opset < 13 && (op_ == "Squeeze" || op_ == "Unsqueeze")) {
      operand_to_ints(1, "axes", true);
    } else if (opset < 13 && (op_ == "Softmax" || op_ == "LogSoftmax" || op_ == "Hardmax")) {
      spell_axis();
    } else if (opset < 11 && op_ == "Clip") {
      clip_by_attributes();
    } else if (opset < 11 && op_ == "Pad") {
      pad_by_attributes();
    } else if (opset < 10 && op_ == "Slice") {
      slice_by_attributes();
    } else if (opset < 11 && op_ == "ScatterElements") {
      op_ = "Scatter";
    }
    if (opset < kNegativeAxes) {
      count_axes_from_front();
    }
  }

 private:
  NodeId operand(std::size_t k) const { return k < graph_.operands(call_).size() ? graph_.operands(call_)[k] : kNoNode; }

  std::vector<std::int64_t> ints_of(std::size_t k) const {
    std::vector<std::int64_t> values;
    const Tensor& value = graph_.value(operand(k));
    for (std::int64_t i = 0; i < value.count(); ++i) {
      values.push_back(value.int_at(i));
    }
    return values;
  }

  std::int64_t rank_of_first() const {
    Type type = operand(0) == kNoNode ? Type() : graph_.type(operand(0));
    type = type.is_tuple() && !type.items().empty() ? type.items()[0] : type;
    return type.is_tensor() ? static_cast<std::int64_t>(type.rank()) : 0;
  }

  void drop(std::initializer_list<std::string_view> names) {
    std::erase_if(attributes_, [&](const onnx::AttributeProto& attribute) {
      return std::find(names.begin(), names.end(), attribute.name()) != names.end();
    });
  }

  // The operand, which is constant, as an attribute; an empty list of axes is none.
  void operand_to_ints(std::size_t k, const char* name, bool are_axes) {
    if (operand(k) == kNoNode) {
      return;
    }
    std::vector<std::int64_t> values = ints_of(k);
    std::int64_t rank = rank_of_first() + (op_ == "Unsqueeze" ? static_cast<std::int64_t>(values.size()) : 0);
    for (std::int64_t& value : values) {
      value += are_axes && value < 0 && writer_.opset() < kNegativeAxes ? rank : 0;
    }
    if (!values.empty() || !are_axes) {
      attributes_.push_back(onnx_ints(name, values));
    }
    inputs_.resize(1);
  }

  void reduce_by_attribute(bool by_attribute) {
    if (by_attribute) {
      drop({"noop_with_empty_axes"});
      operand_to_ints(1, "axes", true);
    }
  }

  // Sizes of the parts; nothing where one is not known.
  std::optional<std::vector<std::int64_t>> part_sizes() const {
    std::vector<std::int64_t> out;
    const AttrValue* given = graph_.attributes(call_).find("axis");
    std::int64_t axis = given ? given->int64().value_or(0) : 0;
    for (Type item : graph_.type(call_).items()) {
      auto rank = static_cast<std::int64_t>(item.rank());
      auto size = const_int(item.extents()[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)]);
      if (!size) {
        return std::nullopt;
      }
      out.push_back(*size);
    }
    return out;
  }

  // Equal parts need no sizes; only from opset 18 on their number is said.
  void split(std::int64_t opset) {
    constexpr std::int64_t kCountsParts = 18;
    constexpr std::int64_t kSizesAsOperand = 13;
    if (opset >= kCountsParts) {
      if (inputs_.size() == 1 && !graph_.attributes(call_).find("num_outputs")) {
        attributes_.push_back(onnx_int("num_outputs", static_cast<std::int64_t>(graph_.type(call_).items().size())));
      }
      return;
    }
    drop({"num_outputs"});
    auto sizes = part_sizes();
    bool equal = !sizes || std::adjacent_find(sizes->begin(), sizes->end(), std::not_equal_to<>()) == sizes->end();
    if (opset >= kSizesAsOperand && inputs_.size() == 1 && !equal) {
      inputs_.push_back(writer_.ints(*sizes, graph_.name(call_) + "_sizes"));
    } else if (opset < kSizesAsOperand) {
      bool given = operand(1) != kNoNode;
      if (given || !equal) {
        attributes_.push_back(onnx_ints("split", given ? ints_of(1) : *sizes));
      }
      inputs_.resize(1);
    }
  }

  // What is absent was an empty list.
  void spell_absent_lists() {
    for (auto [operand, wish] : {std::pair{std::size_t{1}, "_roi"}, {std::size_t{2}, "_scales"}}) {
      if (inputs_.size() > operand && inputs_[operand].empty()) {
        inputs_[operand] = writer_.constant(Tensor(DType::Float32, {0}), graph_.name(call_) + wish);
      }
    }
  }

  // Before opset 10 the operator was called Upsample, before 9 its scales were an attribute.
  void earlier_resize(std::int64_t opset) {
    op_ = opset < 10 ? "Upsample" : "Resize";
    if (opset < 9) {
      onnx::AttributeProto attribute;
      attribute.set_name("scales");
      attribute.set_type(onnx::AttributeProto::FLOATS);
      const Tensor& value = graph_.value(operand(1));
      for (std::int64_t i = 0; i < value.count(); ++i) {
        attribute.add_floats(static_cast<float>(value.double_at(i)));
      }
      attributes_.push_back(attribute);
      inputs_.resize(1);
    }
  }

  // The default was 1; axes behind it have one element.
  void spell_axis() {
    const AttrValue* given = graph_.attributes(call_).find("axis");
    std::int64_t axis = given ? given->int64().value_or(-1) : -1;
    drop({"axis"});
    attributes_.push_back(onnx_int("axis", axis < 0 ? axis + rank_of_first() : axis));
  }

  void clip_by_attributes() {
    if (operand(1) != kNoNode) {
      attributes_.push_back(onnx_float("min", graph_.value(operand(1)).double_at(0)));
    }
    if (operand(2) != kNoNode) {
      attributes_.push_back(onnx_float("max", graph_.value(operand(2)).double_at(0)));
    }
    inputs_.resize(1);
  }

  void pad_by_attributes() {
    if (operand(2) != kNoNode) {
      attributes_.push_back(onnx_float("value", graph_.value(operand(2)).double_at(0)));
    }
    operand_to_ints(1, "pads", false);
  }

  void slice_by_attributes() {
    bool has_axes = operand(3) != kNoNode;
    std::vector<std::int64_t> axes = has_axes ? ints_of(3) : std::vector<std::int64_t>();
    attributes_.push_back(onnx_ints("starts", ints_of(1)));
    attributes_.push_back(onnx_ints("ends", ints_of(2)));
    for (std::int64_t& axis : axes) {
      axis += axis < 0 ? rank_of_first() : 0;
    }
    if (has_axes) {
      attributes_.push_back(onnx_ints("axes", axes));
    }
    inputs_.resize(1);
  }

  // OneHot counts the axes of its result.
  std::int64_t rank_counted() const {
    return op_ == "OneHot" ? static_cast<std::int64_t>(graph_.type(call_).rank()) : rank_of_first();
  }

  void count_axes_from_front() {
    for (const AttrDef& declared : op_def(graph_.op(call_)).attributes) {
      bool axis = declared.domain == AttrDomain::Axis || declared.domain == AttrDomain::Position;
      for (onnx::AttributeProto& attribute : attributes_) {
        if (axis && attribute.name() == declared.name && attribute.type() == onnx::AttributeProto::INT && attribute.i() < 0) {
          attribute.set_i(attribute.i() + rank_counted());
        }
      }
    }
  }

  OnnxWriter& writer_;
  const Graph& graph_;
  NodeId call_;
  std::string& op_;
  OnnxWriter::Names& inputs_;
  OnnxWriter::Attributes& attributes_;
};

}  // namespace

void adapt_to_opset(OnnxWriter& writer, NodeId call, std::string& op, OnnxWriter::Names& inputs,
                    OnnxWriter::Attributes& attributes) {
  OlderForm(writer, call, op, inputs, attributes).apply();
}

}  // namespace vouch
