// Operators that move elements: attributes that became operands.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/onnx_adapt.h"
#include "io/onnx_tensor.h"

namespace vouch {
namespace {

// The attribute as a constant of int64 at this operand position; an absent one stays absent.
void ints_to_operand(OnnxDraft& draft, std::string_view attribute, std::size_t operand) {
  auto value = draft.take(attribute);
  if (!value) {
    return;
  }
  auto items = value->int64s();
  if (!items) {
    return draft.fail(fmt::format("attribute '{}' of {} must be a list of integers", attribute, draft.op));
  }
  if (draft.has(operand)) {
    return draft.fail(fmt::format("{} has both an attribute '{}' and an operand for it", draft.op, attribute));
  }
  draft.set_operand(operand, draft.ints(*items));
}

void axes_to_operand(OnnxDraft& draft) { ints_to_operand(draft, "axes", 1); }

// An empty list of axes is read as none, or as no list, and then all axes of size 1 go: it is left as it is where these differ.
void leave_empty_axes(OnnxDraft& draft) {
  const std::vector<Term>* axes = draft.has(1) ? draft.contents(1) : nullptr;
  if (axes == nullptr || !axes->empty() || !draft.has(0) || !draft.type(0).is_tensor()) {
    return;
  }
  const std::vector<Term>& extents = draft.type(0).extents();
  if (std::any_of(extents.begin(), extents.end(), [](Term extent) { return const_int(extent).value_or(1) == 1; })) {
    draft.leave_alone();
  }
}

// Pads below 0 crop. What is cropped on one side is repeated on the other, or not: there is one reading for the edge alone.
void leave_cropping(OnnxDraft& draft) {
  const AttrValue* mode = draft.attribute("mode");
  const std::vector<Term>* pads = draft.has(1) ? draft.contents(1) : nullptr;
  bool repeats = mode != nullptr && mode->string() && (*mode->string() == "wrap" || *mode->string() == "reflect");
  if (repeats && pads != nullptr &&
      std::any_of(pads->begin(), pads->end(), [](Term amount) { return const_int(amount).value_or(0) < 0; })) {
    draft.leave_alone();
  }
}

// Spelt out, patterns see it.
void spell_order(OnnxDraft& draft) {
  if (draft.attribute("perm") || !draft.has(0) || !draft.type(0).is_tensor()) {
    return;
  }
  std::vector<std::int64_t> order(draft.type(0).rank());
  std::iota(order.rbegin(), order.rend(), 0);
  draft.set("perm", AttrValue::of_ints(order));
}

void shape_to_operand(OnnxDraft& draft) { ints_to_operand(draft, "shape", 1); }
void split_to_operand(OnnxDraft& draft) { ints_to_operand(draft, "split", 1); }

// Without sizes there are as many parts as outputs; only opset 18 says so in the node.
void split_by_outputs(OnnxDraft& draft) {
  if (!draft.has(1)) {
    draft.set("num_outputs", static_cast<std::int64_t>(draft.output_count()));
  }
}

void slice_to_operands(OnnxDraft& draft) {
  ints_to_operand(draft, "starts", 1);
  ints_to_operand(draft, "ends", 2);
  ints_to_operand(draft, "axes", 3);
}

void concat_axis(OnnxDraft& draft) {
  if (!draft.attribute("axis")) {
    draft.set("axis", 1);
  }
}

void topk_to_operand(OnnxDraft& draft) { draft.set_operand(1, draft.ints({draft.take_int("k", 1)})); }

void pad_to_operands(OnnxDraft& draft) {
  ints_to_operand(draft, draft.attribute("paddings") ? "paddings" : "pads", 1);
  for (const auto& attribute : draft.node().attribute()) {
    if (attribute.name() == "value" && draft.has(0)) {
      Tensor value(draft.type(0).dtype(), {});
      value.set_double(0, attribute.f());
      draft.set_operand(2, draft.constant(std::move(value)));
    }
  }
}

// It repeated along one axis.
void leave_old_tile(OnnxDraft& draft) { draft.leave_alone(); }

// `to` was the name of the type.
void cast_by_name(OnnxDraft& draft) {
  const AttrValue* to = draft.attribute("to");
  onnx::TensorProto::DataType type = onnx::TensorProto::UNDEFINED;
  if (to && to->string() && onnx::TensorProto::DataType_Parse(*to->string(), &type)) {
    draft.set("to", static_cast<std::int64_t>(type));
  }
}

// Saturation concerns floats of 8 bits only, which the table's casts saturate.
void saturate_to(OnnxDraft& draft, bool narrow) {
  bool saturates = draft.take_int("saturate", 1) != 0;
  if (!saturates && narrow) {
    draft.leave_alone();
  }
}

// The type of this number in ONNX, 0: none.
DType type_of_number(std::int64_t number, DType otherwise) {
  return number > 0 && number <= INT32_MAX ? dtype_of_onnx(static_cast<int>(number)).value_or(otherwise) : otherwise;
}

void saturate_cast(OnnxDraft& draft) {
  const AttrValue* to = draft.attribute("to");
  std::int64_t number = to != nullptr ? to->int64().value_or(0) : 0;
  saturate_to(draft, is_float8(type_of_number(number, DType::Float32)));
}

void saturate_cast_like(OnnxDraft& draft) {
  saturate_to(draft, draft.has(1) && draft.type(1).is_tensor() && is_float8(draft.type(1).dtype()));
}

// The type of the result without a zero point, which is 0 then: a zero point says it, too.
void output_type_to_operand(OnnxDraft& draft) {
  std::int64_t number = draft.take_int("output_dtype", 0);
  DType dtype = type_of_number(number, DType::Bool);
  if (number == 0 || draft.failed()) {
    return;
  }
  if (dtype == DType::Bool || !draft.has(1) || !draft.type(1).is_tensor()) {
    return draft.leave_alone();
  }
  if (draft.has(2)) {
    bool agrees = draft.type(2).is_tensor() && draft.type(2).dtype() == dtype;
    return agrees ? void() : draft.fail("attribute 'output_dtype' is not the type of the zero point");
  }
  auto extents = draft.type(1).concrete_extents();
  if (!extents) {
    return draft.leave_alone();
  }
  draft.set_operand(2, draft.constant(Tensor(dtype, *extents)));
}

}  // namespace

std::vector<Adaptation> shape_adaptations() {
  return {
      {"Reshape", 5, shape_to_operand},
      {"Squeeze", 13, axes_to_operand},
      {"Squeeze", kAnyOpset, leave_empty_axes},
      {"Unsqueeze", 13, axes_to_operand},
      {"Split", 13, split_to_operand},
      {"Split", 18, split_by_outputs},
      {"Slice", 10, slice_to_operands},
      {"Pad", 11, pad_to_operands},
      {"Pad", kAnyOpset, leave_cropping},
      {"Concat", 4, concat_axis},
      {"TopK", 10, topk_to_operand},
      {"Transpose", kAnyOpset, spell_order},
      {"Tile", 6, leave_old_tile},
      {"Cast", 6, cast_by_name},
      {"Cast", kAnyOpset, saturate_cast},
      {"CastLike", kAnyOpset, saturate_cast_like},
      {"QuantizeLinear", kAnyOpset, output_type_to_operand},
  };
}

}  // namespace vouch
