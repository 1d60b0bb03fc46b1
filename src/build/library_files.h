// Every file of a library, as text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "build/library_names.h"

namespace vouch {

std::string library_example(const Library& library);  // example.c: reads and writes .npy
// What follows the example's name on its command line: the file of weights, sizes, a file for each tensor.
std::string example_words(const Library& library, const std::string& weights);
std::string library_cmake(const Library& library);  // CMakeLists.txt
// What the library's own build file gives a compiler of C99, warnings aside.
std::vector<std::string> library_flags(const LibraryOptions& options);

// A kernel's certified text, and what Coq is asked about it.
struct KernelCertificate {
  std::string name;
  std::string c;
  std::string certificate;
  std::string refutation;
};
KernelCertificate certify_kernel(const PlanKernel& kernel, const std::string& library, const LibraryOptions& options);

// By path below the library's folder. `certificates` are those of the plan's kernels, in order.
std::map<std::string, std::string> library_files(const Library& library, const std::vector<KernelCertificate>& certificates);

// `kernels/NAME.c`.
std::string kernel_file(const std::string& name);

}  // namespace vouch
