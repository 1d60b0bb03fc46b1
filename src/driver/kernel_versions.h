// The texts of a kernel that has a version for each of several kinds of processor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/index_kernel.h"
#include "driver/kernel_texts.h"

namespace vouch {

// One for each of the kernels, which all come from that source; `recipe.targets` is not empty. Each version has the planner's
// tiling for its processor, or that of the schedule beside the source. `functional`: the program that the only kernel was read
// from.
std::optional<std::vector<KernelTexts>> version_texts(const std::vector<IndexKernel>& kernels, const KernelRecipe& recipe,
                                                      const SourceRef& source, Diagnostics& diagnostics,
                                                      const array::Program* functional = nullptr);
// Errors: what has no versions.
bool has_versions(const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
