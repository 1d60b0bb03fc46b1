#include "array/program.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "array/typing.h"

namespace vouch::array {
namespace {

constexpr std::array kReserved = std::to_array<std::string_view>(
    {"auto",     "break",  "case",           "char",       "const",   "continue", "default", "do",       "double",  "else",
     "enum",     "extern", "float",          "for",        "goto",    "if",       "inline",  "int",      "long",    "register",
     "restrict", "return", "short",          "signed",     "sizeof",  "static",   "struct",  "switch",   "typedef", "union",
     "unsigned", "void",   "volatile",       "while",      "int64_t", "size_t",   "NULL",    "INFINITY", "stderr",  "free",
     "abort",    "fputs",  "posix_memalign", "new_floats", "fmaf",    "sqrtf",    "fabsf",   "expf",     "logf",    "tanhf",
     "erff",     "sinf",   "cosf",           "floorf",     "ceilf",   "fmaxf",    "fminf",   "powf",     "main"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// v12, i3: the names of temporaries and loop variables.
bool is_generated(const std::string& name) {
  return name.size() > 1 && (name[0] == 'v' || name[0] == 'i') && std::all_of(name.begin() + 1, name.end(), is_digit);
}

}  // namespace

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

bool is_usable_name(const std::string& name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }) && !is_generated(name) &&
         std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end();
}

}  // namespace vouch::array
