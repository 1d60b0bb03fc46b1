// The scalar operations in IEEE binary32: each is rounded on its own, functions are those of the C library.
#pragma once

#include <vector>

#include "array/ast.h"

namespace vouch::array {

// As many arguments as the operation has.
float apply_op(Op op, const std::vector<float>& arguments);

}  // namespace vouch::array
