// Functional programs as kernels in index notation with names, which are differentiated.
#pragma once

#include <optional>
#include <string>

#include "array/program.h"
#include "certify/index_kernel.h"

namespace vouch {

// The kernel of `affine_kernel` with its program's names; a number is an array of one. By default it is differentiated by all of
// its inputs. Errors, at `place`: what `affine_kernel` refuses, operations that index notation does not write, arrays that a
// certificate would not compare with the program's (`reads_alike`).
std::optional<TkKernel> affine_tk(const array::Program& program, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
