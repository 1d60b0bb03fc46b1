// Kernels as C++ functions with references to arrays, as the source of index notation has them, over C functions.
#pragma once

#include <string>
#include <vector>

#include "notation/tk_kernel.h"

namespace vouch {

// A C function of the kernel's element type.
struct CCall {
  std::string function;
  std::string header;             // what declares it
  std::vector<Symbol> arguments;  // inputs, then one output
};

struct CppText {
  std::string header;
  std::string source;
};

// `void NAME(float (&A)[4][22], …)`: inputs, then outputs; a tensor of one element is a reference to it. Sizes are numbers.
std::string cpp_signature(const TkKernel& kernel);

// The function, which makes these calls, one after the other. No certificate covers it, and the text says so. `header_name`
// is what the source includes.
CppText print_cpp(const TkKernel& kernel, const std::vector<CCall>& calls, const std::string& header_name);

}  // namespace vouch
