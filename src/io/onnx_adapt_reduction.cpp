// Reductions: axes became an operand; Softmax and its kin worked on a matrix before opset 13.
#include <algorithm>

#include "io/onnx_adapt.h"
#include "io/onnx_earlier.h"

namespace vouch {
namespace {

void reduced_axes_to_operand(OnnxDraft& draft) {
  auto axes = draft.take("axes");
  if (!axes) {
    return;
  }
  auto items = axes->int64s();
  if (!items) {
    return draft.fail("attribute 'axes' must be a list of integers");
  }
  draft.set_operand(1, draft.ints(*items));
}

// Before opset 13: all axes from `axis` on are one. Where those after `axis` have size 1 (or there are none) that is
// the operator of today; otherwise an operator of its own.
void along_matrix_rows(OnnxDraft& draft) {
  if (draft.operands.size() != 1 || !draft.has(0) || !draft.type(0).is_tensor()) {
    return;  // refused by the form check
  }
  const std::vector<Term>& extents = draft.type(0).extents();
  auto rank = static_cast<std::int64_t>(extents.size());
  std::int64_t axis = draft.take_int("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis >= rank) {
    return draft.fail("attribute 'axis' is out of range");
  }
  if (std::all_of(extents.begin() + axis + 1, extents.end(), [](Term t) { return const_int(t) == 1; })) {
    return draft.set("axis", axis);
  }
  draft.op = earlier_of(draft.op)->known_as;
  draft.set("axis", axis);
}

}  // namespace

std::vector<Adaptation> reduction_adaptations() {
  std::vector<Adaptation> rows{{"ReduceSum", 13, reduced_axes_to_operand}};
  for (std::string_view op : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
                              "ReduceLogSumExp", "ReduceSumSquare"}) {
    rows.push_back({op, 18, reduced_axes_to_operand});
  }
  for (const EarlierOperator& row : kEarlierOperators) {
    if (row.meaning == EarlierMeaning::ByRows) {
      rows.push_back({row.op, row.before, along_matrix_rows});
    }
  }
  return rows;
}

}  // namespace vouch
