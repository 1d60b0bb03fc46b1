#include "instance/conversions.h"

#include <algorithm>

#include "instance/stores.h"

namespace vouch {
namespace {

// Elements of what was read, and numbers: nothing that its type would have wrapped or rounded.
bool is_moved(Term value) {
  auto all = [&](std::size_t from) {
    return std::all_of(value.args().begin() + static_cast<std::ptrdiff_t>(from), value.args().end(),
                       [](Term arg) { return arg.sort() != Sort::Real || is_moved(arg); });
  };
  switch (value.kind()) {
    case TermKind::Read:
    case TermKind::RealConst: return true;
    case TermKind::Select: return all(1);
    case TermKind::Call: return (value->fn == Fn::Max || value->fn == Fn::Min) && all(0);
    case TermKind::Reduce:
      return (value->reduction == Reduction::Max || value->reduction == Reduction::Min) && is_moved(value.arg(0));
    default: return false;
  }
}

// The type of what is read to become elements of another type, perhaps without fractions; what was `computed` in a narrow type
// has no wider one. Nothing if no such element is read.
std::optional<DType> conversion_from(Term value, DType to, const Kernel& kernel, bool computed) {
  auto first = [&](std::size_t from) {
    std::optional<DType> out;
    for (std::size_t k = from; !out && k < value.args().size(); ++k) {
      out = value.arg(k).sort() == Sort::Real ? conversion_from(value.arg(k), to, kernel, computed) : std::nullopt;
    }
    return out;
  };
  auto keeps = [&](DType from) { return from == to || (holds_all(from, to) && (!computed || from == DType::Bool)); };
  switch (value.kind()) {
    case TermKind::Read: {
      const TensorDecl* input = declared(kernel.inputs, value->symbol);
      return input == nullptr || keeps(input->dtype) ? std::nullopt : std::optional(input->dtype);
    }
    case TermKind::Select: return first(1);
    case TermKind::Call: return value->fn == Fn::Trunc || value->fn == Fn::Max || value->fn == Fn::Min ? first(0) : std::nullopt;
    case TermKind::Reduce:
      return value->reduction == Reduction::Max || value->reduction == Reduction::Min
                 ? conversion_from(value.arg(0), to, kernel, computed)
                 : std::nullopt;
    default: return std::nullopt;
  }
}

bool is_of_types(const InstanceNode& node, const std::vector<Type>& operands) {
  return !node.type.is_tensor() || std::all_of(operands.begin(), operands.end(), [&](Type operand) {
    return !operand || (operand.is_tensor() && operand.dtype() == node.type.dtype());
  });
}

}  // namespace

const TensorDecl* declared(const std::vector<TensorDecl>& tensors, Symbol name) {
  auto at = std::find_if(tensors.begin(), tensors.end(), [&](const TensorDecl& tensor) { return tensor.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

Conversions::Conversions(const InstanceNode& call, const Kernel& kernel, const std::vector<Type>& operands,
                         const std::vector<const Body*>& bodies)
    : kernel_(kernel),
      converts_(!is_of_types(call, operands)),
      computed_(std::any_of(bodies.begin(), bodies.end(), [](const Body* body) { return !is_moved(body->value); })) {}

std::optional<DType> Conversions::type_had(const Statement& statement, bool computed) const {
  const TensorDecl* result = converts_ ? declared(kernel_.outputs, statement.target) : nullptr;
  return result == nullptr ? std::nullopt : conversion_from(statement.value, result->dtype, kernel_, computed);
}

}  // namespace vouch
