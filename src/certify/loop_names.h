// What the loop variables of a kernel's C text are called: as the kernel's indices are, where that name is free.
#pragma once

#include <string>
#include <vector>

#include "array/program.h"

namespace vouch::array {

// For `Program::loops`, from the names of the indices in its term. Loop variables are numbered by depth, and each number has one
// name in all of the text: "" where loops at that depth disagree, and where C, a parameter or an enclosing loop has the name.
std::vector<std::string> loop_names(const Program& program);

}  // namespace vouch::array
