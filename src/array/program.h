// A kernel as a functional program: names, types, assumptions, term. Mirrors `source` in coq/certify/Certificate.v.
#pragma once

#include <string>
#include <vector>

#include "array/ast.h"

namespace vouch::array {

struct Parameter {
  std::string name;
  Type type;
  Element element = Element::F32;  // what it is stored as
};

// The C function takes the sizes, then the inputs, then the output. In `term`, input 0 is data variable 0.
struct Program {
  std::string name;
  std::vector<std::string> sizes;  // size variable 0 first
  std::vector<SizeFact> facts;     // assumed of the sizes
  std::vector<Parameter> inputs;
  Parameter output;
  Exp term;
  std::string formula;              // the kernel as it was written, for a person to read
  Element computed = Element::F32;  // the type of all operations but conversions
  // Of loop variables in C, from the number after the output's; missing or "": `i` and the number.
  std::vector<std::string> loops = {};
};

std::vector<Type> input_types(const Program& program);
// Every element is a float: what program texts can say.
bool only_floats(const Program& program);
// Well typed, with the output's type.
bool verify_program(const Program& program);
// `num[m, n]`, `(num, num[n])`; `word` for its numbers.
std::string print_type(const Type& type, const std::vector<std::string>& sizes, std::string_view word = "num");

}  // namespace vouch::array
