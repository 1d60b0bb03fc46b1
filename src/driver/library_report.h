// What a library is made of, as text for people: report.txt, and what `vouch build` prints.
#pragma once

#include <string>

namespace vouch {

struct BuiltLibrary;

// A few lines.
std::string library_summary(const BuiltLibrary& built);
// Tensors, memory, every call with its kernel, place and work, every kernel.
std::string library_report(const BuiltLibrary& built);

}  // namespace vouch
