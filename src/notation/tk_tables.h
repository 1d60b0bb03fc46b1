// Tables that are read at an index that is data, and held as another type than is computed.
#pragma once

#include "notation/tk_kernel.h"

namespace vouch {

// Such an input is converted first, as a whole, into a local tensor, from which the elements are read then: an element that is
// found by data is of the type that is computed. Inputs that hold what is computed, and reads at other indices, stay as they are.
void convert_tables(TkKernel& kernel);

}  // namespace vouch
