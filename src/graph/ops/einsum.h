// Einsum: products of tensors, summed over the axes that the result does not name.
#pragma once

#include "graph/op_def.h"

namespace vouch {

OpDef einsum_op();

}  // namespace vouch
