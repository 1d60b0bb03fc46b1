// Every n-th position of an axis from one tensor, the next ones from another.
#pragma once

#include <string>
#include <vector>

#include "certify/index_kernel.h"

namespace vouch {

// Position i of the axis is position (i - first) / modulus of the part of its residue, counted from `first`, which is not above
// 0.
struct Interleaved {
  std::size_t axis = 0;
  Integer modulus;
  Integer first;
};

// The kernel that copies the parts, which are its inputs: the residues of the last of the axes next to each other. `whole`: the
// extents of what they are put together to; where an axis has a multiple of its modulus of positions, it is two in the kernel.
// `part`: the extents of each part.
IndexKernel interleaved(const std::vector<array::Size>& whole, const std::vector<array::Size>& part,
                        const std::vector<Interleaved>& axes, const std::string& name);

}  // namespace vouch
