// What a library is made of, as text for people: report.txt, and what `vouch build` prints.
#pragma once

#include <string>

#include "certify/index_kernel.h"

namespace vouch {

struct BuiltLibrary;

// Of each element, the products of its loops; an element without loops counts one.
Integer work_of_kernel(const IndexKernel& kernel);

// A few lines.
std::string library_summary(const BuiltLibrary& built);
// Tensors, memory, every call with its kernel, place and work, every kernel.
std::string library_report(const BuiltLibrary& built);

}  // namespace vouch
