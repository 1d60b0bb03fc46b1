// exp, tanh and erf of binary32 as the functions of these names in our C texts compute them (imp/elements.cpp), operation by
// operation: off by less than 1, 1.4 and 1.2 units in the last place (tests/driver/lanes_errors.c).
#pragma once

namespace vouch::array {

float exp_lanes(float a);
float tanh_lanes(float a);
float erf_lanes(float a);

}  // namespace vouch::array
