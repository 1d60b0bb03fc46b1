// Sizes and index terms without what is neutral: adding 0, multiplying by 1. Mirrors the constructors `size_mul` .. `xdiv`
// of coq/lower/Flatten.v.
#pragma once

#include "array/ast.h"

namespace vouch::array {

// Numbers are multiplied and added.
Size neutral_mul(const Size& a, const Size& b);
Size neutral_add(const Size& a, const Size& b);

Index index_plus(const Index& a, const Index& b);
Index index_minus(const Index& a, const Index& b);
Index index_times(const Index& a, const Index& b);
Index index_over(const Index& a, const Index& b);

}  // namespace vouch::array
