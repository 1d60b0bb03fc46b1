// Elementwise operators: broadcasting was an attribute before opset 7; Clip's bounds became operands.
#include <fmt/format.h>

#include <cmath>

#include "io/onnx_adapt.h"
#include "io/onnx_earlier.h"

namespace vouch {
namespace {

bool both_tensors(const OnnxDraft& draft) {
  return draft.operands.size() == 2 && draft.has(0) && draft.has(1) && draft.type(0).is_tensor() && draft.type(1).is_tensor();
}

// The right operand lies along the axes of the left one from `first` on: where those are the last ones, or it is a scalar, that
// is the operator of today; otherwise an operator of its own.
void from_axis(OnnxDraft& draft, std::int64_t first) {
  std::size_t right = draft.type(1).rank();
  if (right != 0 && static_cast<std::size_t>(first) + right != draft.type(0).rank()) {
    draft.op = earlier_of(draft.op)->known_as;
    draft.set("axis", first);
  }
}

// Before opset 7 the right operand is broadcast only if asked for: aligned with the last axes, or from `axis` on.
void broadcast_by_attribute(OnnxDraft& draft) {
  bool broadcast = draft.take_int("broadcast", 0) != 0;
  auto axis = draft.take("axis");
  if (!both_tensors(draft)) {
    return;
  }
  if (!broadcast) {
    if (draft.type(0).extents() != draft.type(1).extents()) {
      draft.fail(fmt::format("operands {} and {} differ in shape and broadcasting is not asked for", draft.type(0).text(),
                             draft.type(1).text()));
    }
    return;
  }
  auto left = static_cast<std::int64_t>(draft.type(0).rank());
  auto right = static_cast<std::int64_t>(draft.type(1).rank());
  if (axis && axis->int64()) {
    std::int64_t first = *axis->int64() < 0 ? *axis->int64() + left : *axis->int64();
    if (first < 0 || first + right > left) {
      return draft.fail(fmt::format("attribute 'axis' = {} does not fit ranks {} and {}", first, left, right));
    }
    from_axis(draft, first);
  }
}

// Before opset 7 a slope of one axis belongs to axis 1.
void prelu_by_channel(OnnxDraft& draft) {
  if (both_tensors(draft) && draft.type(1).rank() == 1 && draft.type(0).rank() >= 2) {
    from_axis(draft, 1);
  }
}

// Bounds without effect (infinite) are left out.
void clip_to_operands(OnnxDraft& draft) {
  if (!draft.has(0) || !draft.type(0).is_tensor()) {
    return;
  }
  for (const auto& attribute : draft.node().attribute()) {
    bool is_min = attribute.name() == "min";
    if (!is_min && attribute.name() != "max") {
      continue;
    }
    if (std::isnan(attribute.f())) {
      return draft.fail(fmt::format("attribute '{}' is no number", attribute.name()));
    }
    if (attribute.f() != (is_min ? -INFINITY : INFINITY)) {
      Tensor bound(draft.type(0).dtype(), {});
      bound.set_double(0, attribute.f());
      draft.set_operand(is_min ? 1 : 2, draft.constant(std::move(bound)));
    }
  }
}

// Outside training neither the ratio nor the seed has an effect. What a mask is then, and its element type, is said from opset 12
// on.
void dropout_without_ratio(OnnxDraft& draft) {
  draft.drop({"ratio"});
  if (draft.wants_output(1)) {
    draft.leave_alone();
  }
}

void require_test_mode(OnnxDraft& draft) {
  if (draft.take_int("is_test", 0) == 0) {
    draft.leave_alone();  // training
  }
}

bool is_known(const OnnxDraft& draft, std::size_t operand, bool zero) {
  const std::vector<Term>* value = draft.has(operand) ? draft.contents(operand) : nullptr;
  return value != nullptr && value->size() == 1 && is_const((*value)[0]) && ((*value)[0]->value == 0) == zero;
}

// What drops draws random numbers.
void leave_training(OnnxDraft& draft) {
  if (is_known(draft, 2, false) && !is_known(draft, 1, true)) {
    draft.leave_alone();
  }
}

}  // namespace

std::vector<Adaptation> elementwise_adaptations() {
  std::vector<Adaptation> rows;
  for (const EarlierOperator& row : kEarlierOperators) {
    if (row.meaning == EarlierMeaning::FromAxis || row.meaning == EarlierMeaning::OfChannels) {
      rows.push_back({row.op, row.before, row.meaning == EarlierMeaning::FromAxis ? broadcast_by_attribute : prelu_by_channel});
    }
  }
  rows.push_back({"Clip", 11, clip_to_operands});
  rows.push_back({"Dropout", 7, require_test_mode});
  rows.push_back({"Dropout", 12, dropout_without_ratio});
  rows.push_back({"Dropout", kAnyOpset, leave_training});
  return rows;
}

}  // namespace vouch
