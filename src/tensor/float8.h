// Floats of 8 bits (OCP's E4M3 and E5M2, and the variants FN, of finite numbers, and UZ, without -0), to and from wider floats;
// to nearest, ties to even. What is too large becomes infinite in E5M2 and NaN in the others: who wants it to saturate clamps
// first.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace vouch {

double double_of_float8(DType dtype, std::uint8_t bits);
std::uint8_t float8_of_double(DType dtype, double value);
// The greatest number of the type; its negation is the least.
double greatest_float8(DType dtype);

}  // namespace vouch
