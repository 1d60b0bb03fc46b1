// A kernel with named sizes, at values of them.
#pragma once

#include <map>

#include "notation/tk_kernel.h"

namespace vouch {

using SizeInstance = std::map<Symbol, std::int64_t>;

// Every size must have a value, and the values must satisfy the kernel's conditions.
TkKernel at_sizes(const TkKernel& kernel, const SizeInstance& values);

// Up to `count` instances of small sizes that satisfy the conditions, the smallest first and then as different as small ones are;
// one without values, if no size has a name.
std::vector<SizeInstance> small_instances(const SizeFacts& sizes, std::size_t count);

}  // namespace vouch
