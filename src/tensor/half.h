// IEEE binary16 and bfloat16, to and from wider floats; to nearest, ties to even.
#pragma once

#include <cstdint>

namespace vouch {

float float_of_half(std::uint16_t bits);
std::uint16_t half_of_double(double value);
float float_of_bfloat(std::uint16_t bits);
std::uint16_t bfloat_of_double(double value);

}  // namespace vouch
