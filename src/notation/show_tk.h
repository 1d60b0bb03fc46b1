// Text forms of kernels: domains, index notation, C.
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

enum class CStyle { C, Cpp };  // pointers to arrays, or the source's references to arrays

struct CText {
  std::string header;
  std::string source;
};

// OpenMP C in gather form: the outermost indices of a statement run in parallel, nothing is added to shared memory.
// No certificate covers it, and the text says so. Parameters: inputs, then outputs. Locals live on the heap; the C function
// returns 0, or 1 if there was no memory. `header_name` is what the source includes.
CText print_c(const TkKernel& kernel, CStyle style, const std::string& header_name);

}  // namespace vouch
