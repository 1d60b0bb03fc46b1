// Programs as text: `parse_program(print_program(p)) == p`. Names of variables that the program binds are invented.
#pragma once

#include <string>

#include "array/program.h"

namespace vouch::array {

std::string print_program(const Program& program);

}  // namespace vouch::array
