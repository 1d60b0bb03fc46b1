#include "rewrite/decided_integers.h"

#include <algorithm>
#include <cmath>

#include "graph/op_table.h"
#include "graph/typed_operands.h"
#include "kernel/eval.h"
#include "support/number.h"
#include "tensor/element.h"

namespace vouch {
namespace {

bool has_power(Term term) {
  return (term.kind() == TermKind::Call && term->fn == Fn::Pow) || std::any_of(term.args().begin(), term.args().end(), has_power);
}

std::vector<Tensor> tensors_of(const std::vector<EvalValue>& operands) {
  std::vector<Tensor> out;
  for (const EvalValue& operand : operands) {
    out.insert(out.end(), operand.items.begin(), operand.items.end());
  }
  return out;
}

// One more than the largest number of a type is a power of two, which a double is.
bool has_all(DType dtype, const Tensor& doubles) {
  const NumberRange range = range_of(dtype);
  const double low = double_of(range.low);
  const double beyond = double_of(range.high + 1);
  for (std::int64_t k = 0; k < doubles.count(); ++k) {
    double whole = std::trunc(doubles.double_at(k));
    if (!(low <= whole && whole < beyond)) {  // nor NaN
      return false;
    }
  }
  return true;
}

}  // namespace

bool integers_are_decided(const Graph& graph, NodeId call, const std::vector<EvalValue>& operands) {
  DType dtype = graph.type(call).dtype();
  if (!is_integer(dtype)) {
    return true;
  }
  auto [types, contents] = typed_operands(graph, call);
  Kernel kernel = call_meaning(graph.op(call), types, graph.attributes(call), contents);
  std::vector<Tensor> tensors = tensors_of(operands);
  bool floats = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return is_float(tensor.dtype()); });
  bool powers = std::any_of(kernel.statements.begin(), kernel.statements.end(),
                            [](const Statement& statement) { return has_power(statement.value); });
  if (kernel.outputs.size() != 1 || (!floats && !powers)) {
    return true;
  }
  kernel.outputs[0].dtype = DType::Float64;  // the numbers themselves, before they become integers
  Diagnostics ignored;
  auto numbers = eval_kernel(kernel, tensors, {}, ignored);
  return numbers && has_all(dtype, numbers->front());
}

}  // namespace vouch
