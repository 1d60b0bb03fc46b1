// Names that a C or C++ text can give to tensors and to the function.
#pragma once

#include <string>
#include <unordered_map>

#include "notation/tk_kernel.h"

namespace vouch {

// As in the kernel's text, with `_` behind what is a keyword, a name of the headers, or one that the text makes itself.
std::unordered_map<Symbol, std::string> c_names(const TkKernel& kernel);
std::string c_function_name(const TkKernel& kernel);

}  // namespace vouch
