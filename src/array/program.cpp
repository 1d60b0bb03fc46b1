#include "array/program.h"

#include "array/typing.h"

namespace vouch::array {

bool verify_program(const Program& program) {
  std::vector<Type> inputs;
  for (const Parameter& input : program.inputs) {
    inputs.push_back(input.type);
  }
  std::optional<Type> type = infer_type({program.facts, {}}, inputs, program.term);
  return type && same_type(*type, program.output.type);
}

std::string print_type(const Type& type, const std::vector<std::string>& sizes) {
  if (type->kind == TypeKind::Num) {
    return "num";
  }
  if (type->kind == TypeKind::Pair) {
    return "(" + print_type(type->parts[0], sizes) + ", " + print_type(type->parts[1], sizes) + ")";
  }
  std::string extents;
  const Type* inner = &type;
  for (; (*inner)->kind == TypeKind::Array; inner = &(*inner)->parts[0]) {
    extents += (extents.empty() ? "" : ", ") + print_size((*inner)->size, sizes);
  }
  return print_type(*inner, sizes) + "[" + extents + "]";
}

std::vector<Type> input_types(const Program& program) {
  std::vector<Type> types;
  for (const Parameter& input : program.inputs) {
    types.push_back(input.type);
  }
  return types;
}

}  // namespace vouch::array
