// The functional program that a kernel's C text is made of, as a recipe asks for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certify/index_plan.h"
#include "driver/kernel_recipe.h"
#include "support/diagnostic.h"

namespace vouch {

// Of the source as a whole: a functional program says itself what it fuses. An error, if the recipe asks for more.
bool may_fuse(const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics);
// By that tiling, its products fused if the recipe says so. Errors: what has none.
std::optional<array::Program> program_of(const IndexKernel& part, const std::optional<IndexTiling>& tiling,
                                         const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics);
// Of a recipe with lanes.
inline constexpr std::string_view kApproximated = "exp, tanh and erf are approximations";
// Why its bits are not those of the kernel as it is written.
std::vector<std::string> rounded_otherwise(const IndexKernel& part, const std::optional<IndexTiling>& tiling,
                                           const KernelRecipe& recipe);

}  // namespace vouch
