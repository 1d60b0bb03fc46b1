// The same cells, with other axes: so that plans find long rows of neighbours, and no quotients in subscripts.
#pragma once

#include "certify/index_kernel.h"

namespace vouch {

// A kernel with the same cells in inputs and output, which are arrays in a row, and the same terms in the same order in every
// sum. Axes are split where subscripts ask for quotients (groups of channels), axes of one position are gone, neighbours that are
// always walked together are one axis (pixels), of tensors as of loops. Bounds that hold are not looked at. Kernels with locals
// or with named sizes stay as they are.
IndexKernel arranged(IndexKernel kernel);

}  // namespace vouch
