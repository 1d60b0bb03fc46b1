#include "driver/kernel_program.h"

#include <fmt/format.h>

#include "certify/index_fuse.h"
#include "certify/index_kernel.h"
#include "imp/elements.h"

namespace vouch {

bool may_fuse(const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics) {
  bool refused = recipe.is_functional() && recipe.fused;
  if (refused) {
    diagnostics.error_at(place, "--fma is of kernels in index notation (.tk, .json), and this is a functional program",
                         "write fma(x, y, acc) for acc + x * y in the program");
  }
  return !refused;
}

std::optional<array::Program> program_of(const IndexKernel& part, const std::optional<IndexTiling>& tiling,
                                         const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics) {
  if (tiling && !tiling->splits.empty() && recipe.derivative) {
    diagnostics.error_at(
        place,
        fmt::format("the schedule of '{}' adds in another order, which the certificate of a gradient does not have", part.name),
        recipe.schedule ? "take the lines that begin with 'add' out of the schedule" : "leave out --reorder");
    return std::nullopt;
  }
  array::Program program = lower_index(part, tiling);
  if (!recipe.fused) {
    return program;
  }
  if (array::is_whole(part.computed)) {
    diagnostics.error_at(place, fmt::format("--fma is of floats, and '{}' is computed in integers", part.name),
                         "compile it without --fma: integers have nothing to round");
    return std::nullopt;
  }
  auto fused = fused_program(program);
  if (!fused) {
    diagnostics.error_at(
        place, fmt::format("'{}' adds elements of a stored product, which --fma would have to keep unrounded", part.name),
        "write the product where it is added, or compile it without --fma");
  }
  return fused;
}

std::vector<std::string> rounded_otherwise(const IndexKernel& part, const std::optional<IndexTiling>& tiling,
                                           const KernelRecipe& recipe) {
  std::vector<std::string> out;
  if (recipe.fused) {
    out.emplace_back("products are not rounded before they are added");
  }
  if (recipe.lanes) {
    out.emplace_back(kApproximated);
  }
  if (tiling && !tiling->splits.empty() && !array::is_whole(part.computed)) {
    out.emplace_back("sums are in another order");
  }
  return out;
}

}  // namespace vouch
