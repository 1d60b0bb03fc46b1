// Kernels of a library that have a version for each of several kinds of processor, in one C text.
#pragma once

#include "build/library_files.h"

namespace vouch {

// Those in tiles, where the library is for several.
bool is_versioned(const PlanKernel& kernel, const LibraryOptions& options);
// The tiles of the kernel's plan, cut for each; what is read lies as it does for the widest.
KernelCertificate certify_versions(const PlanKernel& kernel, const std::string& library, const std::vector<std::string>& targets);

}  // namespace vouch
