#include <fmt/format.h>

#include <filesystem>

#include "array/print.h"
#include "certify/index_schedule.h"
#include "driver/index_commands.h"
#include "driver/kernel_commands.h"
#include "driver/kernel_program.h"
#include "driver/kernel_schedule.h"
#include "driver/processor.h"
#include "io/file.h"

namespace vouch {
namespace {

// The first steps of a plan as they are written; what comes after each is a tile.
IndexPlan first_steps(const IndexPlan& plan, std::size_t& steps) {
  if (steps == 0) {
    return {};
  }
  --steps;
  IndexPlan out = plan;
  for (IndexPlan& part : out.parts) {
    part = first_steps(part, steps);
  }
  return out;
}

void collect_steps(const IndexKernel& kernel, const IndexTiling& tiling, const IndexPlan& plan, bool in_copy,
                   std::vector<std::string>& lines) {
  lines.push_back(print_step(kernel, tiling, plan, in_copy));
  for (const IndexPlan& part : plan.parts) {
    collect_steps(kernel, tiling, part, in_copy || plan.kind == IndexPlanKind::Tab, lines);
  }
}

std::string programs_text(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  std::string out =
      fmt::format("# {}, element by element:\n{}", kernel.name, array::print_program(lower_index(kernel, std::nullopt)));
  if (!tiling) {
    return out;
  }
  std::vector<std::string> lines;
  IndexKernel ordered = in_order(kernel, tiling);
  if (!tiling->splits.empty()) {
    out += fmt::format("\n# its sums in another order:\n{}", array::print_program(lower_index(ordered, std::nullopt)));
  }
  collect_steps(ordered, *tiling, tiling->plan, false, lines);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::size_t steps = k + 1;
    IndexTiling part{tiling->copies, first_steps(tiling->plan, steps), tiling->splits, tiling->locals};
    out +=
        fmt::format("\n# step {} of {}, {}:\n{}", k + 1, lines.size(), lines[k], array::print_program(lower_index(kernel, part)));
  }
  return out;
}

// What is refused to `compile --fma` has no schedule for it.
bool are_compiled(const std::vector<IndexKernel>& kernels, const std::vector<std::optional<IndexTiling>>& tilings,
                  const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics) {
  bool good = true;
  for (std::size_t k = 0; k < kernels.size() && recipe.fused; ++k) {
    good = program_of(kernels[k], tilings[k], recipe, place, diagnostics) && good;
  }
  return good;
}

std::optional<std::string> schedule_text(const ScheduleCommand& command, Diagnostics& diagnostics) {
  KernelRecipe recipe{comment_name(std::filesystem::path(command.kernel).filename().string()), command.sizes};
  recipe.planned = recipe.is_functional();
  recipe.reordered = command.reorder;
  recipe.fused = command.fma;
  recipe.target = command.target.empty() ? native_target() : target_name(command.target);
  auto text = read_kernel_file(command.kernel, diagnostics);
  bool good = text && may_fuse(recipe, command.kernel, diagnostics) &&
              (command.planner || !command.target.empty() || take_schedule(command.kernel, recipe, diagnostics));
  SourceRef source = good ? std::make_shared<Source>(command.kernel, std::move(*text)) : nullptr;
  auto kernels = good ? scheduled_kernels(recipe, source, diagnostics) : std::nullopt;
  auto tilings = kernels ? tilings_of(*kernels, recipe, source, diagnostics) : std::nullopt;
  if (!tilings || !are_compiled(*kernels, *tilings, recipe, command.kernel, diagnostics)) {
    return std::nullopt;
  }
  if (!command.explain) {
    return schedules_text(*kernels, *tilings, diagnostics);
  }
  std::string out;
  for (std::size_t k = 0; k < kernels->size(); ++k) {
    out += (k > 0 ? "\n" : "") + programs_text((*kernels)[k], (*tilings)[k]);
  }
  return out;
}

}  // namespace

ExitCode show_schedule(const ScheduleCommand& command) {
  Diagnostics diagnostics;
  std::optional<std::string> text = schedule_text(command, diagnostics);
  if (text && command.out.empty()) {
    fmt::print("{}", *text);
  } else if (text) {
    write_file(command.out, *text, diagnostics);
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors() ? ExitCode::BadInput : ExitCode::Ok;
}

}  // namespace vouch
