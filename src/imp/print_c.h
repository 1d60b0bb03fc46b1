// Flat programs as C99 text with OpenMP pragmas. Mirrors coq/certify/Print.v: the certificate compares the two texts
// character by character.
#pragma once

#include <string>
#include <vector>

#include "imp/flat.h"

namespace vouch::array {

struct CNames {
  std::vector<std::string> variables;  // inputs, then the output; later variables are v12
  std::vector<std::string> sizes;
};

// The parameter list between the parentheses; `inputs` gives the types.
std::string c_parameters(const CNames& names, const std::vector<Type>& inputs);
// A whole file: headers, the allocator where it is needed, one function.
std::string print_c(const std::string& name, const CNames& names, const std::vector<Type>& inputs, const Flat& body);

}  // namespace vouch::array
