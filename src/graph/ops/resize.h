// Resize: interpolation along axes.
#pragma once

#include "graph/op_def.h"

namespace vouch {

OpDef resize_op();
OpDef earlier_resize_op();

}  // namespace vouch
