// The JSON form of kernels: `name`, `ins`, `outs`, `data_type`, `kernel`, `grad_to`.
#pragma once

#include "notation/tk_parse.h"

namespace vouch {

// A kernel from a `.json` text or, under any other name, from the text form. Errors inside the kernel's text are shown
// with that text. A kernel whose text gives it no name is called as its file is.
std::optional<TkKernel> read_kernel(SourceRef source, const SizeValues& sizes, Diagnostics& diagnostics);

// The same in JSON, with the statements in index notation.
std::string kernel_json(const TkKernel& kernel);

}  // namespace vouch
