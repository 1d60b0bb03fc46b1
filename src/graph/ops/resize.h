// Resize: interpolation along axes.
#pragma once

#include "graph/op_def.h"

namespace vouch {

OpDef resize_op();

}  // namespace vouch
