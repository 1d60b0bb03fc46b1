// The names of a kernel in index notation that its C text has.
#pragma once

#include "notation/tk_kernel.h"
#include "support/c_words.h"
#include "support/diagnostic.h"

namespace vouch {

// The kernel, its sizes, inputs and outputs have names that C has not taken; where one is taken, an error at the place where
// `source` first has it, with a name like it.
bool check_c_names(const TkKernel& kernel, const SourceRef& source, Diagnostics& diagnostics);

// A name that is made, not written: itself, or one like it that is neither taken by C nor in `taken`.
std::string usable_c_name(const std::string& name, const std::vector<std::string>& taken, CNameUse use);

}  // namespace vouch
