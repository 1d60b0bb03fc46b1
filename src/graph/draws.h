// Which operators may draw random numbers, or hold a state: two calls of such a one on equal operands may differ.
#pragma once

#include "graph/op_def.h"

namespace vouch {

// Beside the table, of which it is a column. Where such a call has a kernel (Dropout that is not training), it draws nothing.
bool may_draw(const OpDef& def);

}  // namespace vouch
