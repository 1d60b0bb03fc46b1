#include "driver/kernel_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "certify/affine.h"
#include "certify/index_reorder.h"
#include "certify/index_schedule.h"
#include "driver/index_commands.h"
#include "driver/kernel_limits.h"
#include "io/file.h"
#include "io/utf8.h"

namespace vouch {
namespace {

constexpr std::uint64_t kMostScheduleBytes = 1 << 20;

// Every schedule is of one of the kernels.
bool all_are_of(const std::vector<ScheduleText>& schedules, const std::vector<IndexKernel>& kernels, const SourceRef& source,
                Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const IndexKernel& kernel : kernels) {
    names.push_back(kernel.name);
  }
  bool good = true;
  for (const ScheduleText& schedule : schedules) {
    if (std::find(names.begin(), names.end(), schedule.kernel) == names.end()) {
      auto meant = suggest(schedule.kernel, names);
      diagnostics.error(source, schedule.span, fmt::format("there is no kernel '{}' here", schedule.kernel),
                        fmt::format("did you mean '{}'?", meant.value_or(names.front())));
      good = false;
    }
  }
  return good;
}

std::optional<IndexTiling> planned_tiling(const IndexKernel& kernel, const KernelRecipe& recipe) {
  TileTarget target = tiles_for(recipe.target, recipe.fused);
  auto reordered = recipe.reordered ? plan_reordered(kernel, target) : std::nullopt;
  return reordered ? reordered : plan_index(kernel, {CopyPlace::Inside}, target);
}

}  // namespace

std::string schedule_path(const std::string& kernel) {
  return std::filesystem::path(kernel).replace_extension(".sched").string();
}

bool take_schedule(const std::string& kernel, KernelRecipe& recipe, Diagnostics& diagnostics) {
  std::string path = schedule_path(kernel);
  std::error_code ignored;
  if (path == kernel || !std::filesystem::exists(path, ignored)) {
    return true;
  }
  std::optional<std::string> text = read_file(path, diagnostics, kMostScheduleBytes);
  if (text && !is_utf8(*text)) {
    diagnostics.error_at(path, "the schedule is no text in UTF-8");
    return false;
  }
  recipe.schedule = std::move(text);
  return recipe.schedule.has_value();
}

std::optional<std::vector<IndexKernel>> scheduled_kernels(const KernelRecipe& recipe, const SourceRef& source,
                                                          Diagnostics& diagnostics) {
  if (!recipe.is_functional()) {
    auto kernel = read_index_kernel(source, recipe.sizes, diagnostics);
    return kernel && within_limits(*kernel, source->name(), diagnostics) ? index_kernels(*kernel, diagnostics) : std::nullopt;
  }
  auto program = read_program(source, recipe.sizes, diagnostics);
  auto kernel = program ? affine_kernel(*program, source->name(), diagnostics) : std::nullopt;
  return kernel ? std::optional(std::vector{std::move(*kernel)}) : std::nullopt;
}

std::optional<std::vector<std::optional<IndexTiling>>> tilings_of(const std::vector<IndexKernel>& kernels,
                                                                  const KernelRecipe& recipe, const SourceRef& source,
                                                                  Diagnostics& diagnostics) {
  std::vector<ScheduleText> schedules;
  SourceRef text;
  if (recipe.schedule) {
    text = std::make_shared<Source>(schedule_path(source ? source->name() : recipe.origin), *recipe.schedule);
    auto read = parse_schedules(text, diagnostics);
    if (!read || !all_are_of(*read, kernels, text, diagnostics)) {
      return std::nullopt;
    }
    schedules = std::move(*read);
  }
  std::vector<std::optional<IndexTiling>> out;
  for (const IndexKernel& kernel : kernels) {
    auto own = std::find_if(schedules.begin(), schedules.end(), [&](const ScheduleText& s) { return s.kernel == kernel.name; });
    if (own == schedules.end()) {
      out.push_back(planned_tiling(kernel, recipe));
    } else if (!own->plan) {
      out.emplace_back();
    } else if (auto tiling = fit_schedule(*own, kernel, text, diagnostics)) {
      out.push_back(std::move(tiling));
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> schedules_text(const std::vector<IndexKernel>& kernels,
                                          const std::vector<std::optional<IndexTiling>>& tilings, Diagnostics& diagnostics) {
  std::string out;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::string text = print_schedule(kernels[k], tilings[k]);
    if (tilings[k]) {
      SourceRef source = std::make_shared<Source>(kernels[k].name + ".sched", text);
      ScheduleNotes notes;
      auto read = parse_schedules(source, diagnostics);
      if (!read || !fit_schedule(read->front(), kernels[k], source, diagnostics, &notes)) {
        return std::nullopt;
      }
      text = print_schedule(kernels[k], tilings[k], notes);
    }
    out += (k > 0 ? "\n" : "") + text;
  }
  return out;
}

}  // namespace vouch
