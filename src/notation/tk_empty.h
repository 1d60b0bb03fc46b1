// Which sizes of a kernel may be 0.
#pragma once

#include <vector>

#include "notation/tk_kernel.h"

namespace vouch {

// Of the sizes those that have to be at least 1. Any other may be 0: extents that name it are products, and a summand that has to
// do with it has an index over it, or its target has, so that nothing is read or computed where it is 0. Only this makes it right
// to reason from `size >= 1` within a summand, as ranges, gradients and tilings do. Domains are taken as they were found: what
// their ends are for sizes from 1 on, they are at 0.
std::vector<Symbol> sizes_from_one(const TkKernel& kernel);

// The sizes that a summand has to do with: what is supposed, and those of its loops, its terms, the target and what it reads.
std::vector<Symbol> sizes_of(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand);

}  // namespace vouch
