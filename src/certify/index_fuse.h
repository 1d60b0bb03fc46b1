// Fused multiply-add by choice: what a functional program adds as a product is added by `fma`. Mirrors coq/index/Fuse.v, which
// says what a kernel in index notation means then: the same over numbers whose products are not rounded before they are added.
#pragma once

#include <optional>

#include "array/program.h"

namespace vouch {

// Whether it adds a product that the term shows as one.
bool adds_products(const array::Program& program);

// Nothing where a product would be added that the term does not show as one, such as an element of a stored product.
std::optional<array::Program> fused_program(const array::Program& program);

}  // namespace vouch
