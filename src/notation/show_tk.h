// Text forms of kernels: domains, index notation.
#pragma once

#include <string>

#include "notation/tk_kernel.h"

namespace vouch {

// A plain name, different from all others, for each tensor (version): `A_1` for the second version of A.
std::unordered_map<Symbol, std::string> plain_names(const TkKernel& kernel);

// Each statement, then each of its indices with its kind and its domain.
std::string show_domains(const TkKernel& kernel);

// Index notation, a statement a line, that `parse_tk` reads as the same kernel; bounds and guards as `select`, a domain
// that subscripts do not give after `where`.
std::string print_tk(const TkKernel& kernel);

// The headers `size` and `require`, a line each; nothing if all sizes are numbers.
std::string print_sizes(const TkKernel& kernel);
// `type int64 A;`, of tensors that are held as another type.
std::string print_stored(const TkKernel& kernel);

// The same with its header: sizes, name, inputs, outputs, type.
std::string print_tk_file(const TkKernel& kernel);

}  // namespace vouch
