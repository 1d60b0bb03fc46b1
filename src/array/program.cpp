#include "array/program.h"

#include <algorithm>

#include "array/typing.h"

namespace vouch::array {

bool only_floats(const Program& program) {
  auto is_float = [](const Parameter& parameter) { return parameter.element == Element::F32; };
  return program.computed == Element::F32 && is_float(program.output) &&
         std::all_of(program.inputs.begin(), program.inputs.end(), is_float);
}

bool verify_program(const Program& program) {
  std::vector<Type> inputs;
  for (const Parameter& input : program.inputs) {
    inputs.push_back(input.type);
  }
  std::optional<Type> type = infer_type({program.facts, {}}, inputs, program.term);
  return type && same_type(*type, program.output.type);
}

std::string print_type(const Type& type, const std::vector<std::string>& sizes, std::string_view word) {
  if (type->kind == TypeKind::Num) {
    return std::string(word);
  }
  if (type->kind == TypeKind::Pair) {
    return "(" + print_type(type->parts[0], sizes, word) + ", " + print_type(type->parts[1], sizes, word) + ")";
  }
  std::string extents;
  const Type* inner = &type;
  for (; (*inner)->kind == TypeKind::Array; inner = &(*inner)->parts[0]) {
    extents += (extents.empty() ? "" : ", ") + print_size((*inner)->size, sizes);
  }
  return print_type(*inner, sizes, word) + "[" + extents + "]";
}

std::vector<Type> input_types(const Program& program) {
  std::vector<Type> types;
  for (const Parameter& input : program.inputs) {
    types.push_back(input.type);
  }
  return types;
}

}  // namespace vouch::array
