// How kernels are made fast: by the schedule that lies beside them, or as the planner says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/index_kernel.h"
#include "certify/index_plan.h"
#include "driver/kernel_recipe.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

// `matmul.sched`, beside `matmul.tk`.
std::string schedule_path(const std::string& kernel);
// Puts the text of that file into the recipe, if there is one. False with an error, if it cannot be read.
bool take_schedule(const std::string& kernel, KernelRecipe& recipe, Diagnostics& diagnostics);

// What `compile`, with --plan if the source is a functional program, makes C of.
std::optional<std::vector<IndexKernel>> scheduled_kernels(const KernelRecipe& recipe, const SourceRef& source,
                                                          Diagnostics& diagnostics);

// One for each of the kernels, which all come from that source; nothing for a kernel that is lowered element by element.
std::optional<std::vector<std::optional<IndexTiling>>> tilings_of(const std::vector<IndexKernel>& kernels,
                                                                  const KernelRecipe& recipe, const SourceRef& source,
                                                                  Diagnostics& diagnostics);

// The text that `take_schedule` reads back: what each kernel is compiled by, and what each step leaves as a comment.
std::optional<std::string> schedules_text(const std::vector<IndexKernel>& kernels,
                                          const std::vector<std::optional<IndexTiling>>& tilings, Diagnostics& diagnostics);

}  // namespace vouch
