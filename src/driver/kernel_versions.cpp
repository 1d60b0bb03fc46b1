#include "driver/kernel_versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "array/print.h"
#include "certify/versions.h"
#include "driver/kernel_assumptions.h"
#include "driver/kernel_program.h"
#include "driver/kernel_schedule.h"
#include "imp/print_versions.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Of each kernel its versions.
std::optional<std::vector<std::vector<KernelVersion>>> versions_of(const std::vector<IndexKernel>& kernels,
                                                                   const KernelRecipe& recipe, const SourceRef& source,
                                                                   Diagnostics& diagnostics) {
  std::vector<std::vector<KernelVersion>> out(kernels.size());
  for (const std::string& word : recipe.targets) {
    KernelRecipe one = recipe;
    one.target = word;
    auto tilings = tilings_of(kernels, one, source, diagnostics);
    if (!tilings) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      auto program = program_of(kernels[k], (*tilings)[k], recipe, source->name(), diagnostics);
      if (!program) {
        return std::nullopt;
      }
      out[k].push_back({word, std::move((*tilings)[k]), std::move(*program)});
    }
  }
  return out;
}

// The text has functions of these names, too.
bool names_are_free(const IndexKernel& kernel, const array::Program& program, const KernelRecipe& recipe,
                    const std::string& place, Diagnostics& diagnostics) {
  std::vector<std::string> taken;
  for (const std::string& word : recipe.targets) {
    taken.push_back(array::version_name(kernel.name, word));
  }
  for (const array::VersionTarget& target : array::version_targets()) {
    taken.push_back(array::version_question(target.word));
  }
  std::vector<std::string> names = program.sizes;
  names.push_back(program.name);
  names.push_back(program.output.name);
  names.insert(names.end(), program.loops.begin(), program.loops.end());
  std::transform(program.inputs.begin(), program.inputs.end(), std::back_inserter(names),
                 [](const array::Parameter& input) { return input.name; });
  auto found = std::find_if(names.begin(), names.end(),
                            [&](const std::string& name) { return std::find(taken.begin(), taken.end(), name) != taken.end(); });
  if (found != names.end()) {
    diagnostics.error_at(place, fmt::format("'{}' is a function of the versions of '{}'", *found, kernel.name),
                         "give it another name in the kernel");
  }
  return found == names.end();
}

std::optional<KernelTexts> texts_of(const IndexKernel& kernel, const std::vector<KernelVersion>& versions,
                                    const array::Program* functional, const KernelRecipe& recipe, const SourceRef& source,
                                    Diagnostics& diagnostics) {
  const std::string& place = source->name();
  std::vector<array::ProgramVersion> programs = version_programs(versions);
  for (const array::ProgramVersion& version : programs) {
    if (!countable(version.program, place, diagnostics) || !names_are_free(kernel, version.program, recipe, place, diagnostics)) {
      return std::nullopt;
    }
  }
  auto assumed = assumptions_of(programs.front().program, array::versions_flat(programs), place, diagnostics);
  if (!assumed) {
    return std::nullopt;
  }
  array::Certified certified =
      certify_versions(kernel, versions, {recipe.fused, functional}, recipe.origin, assumed->witness, assumed->limits);
  KernelTexts texts;
  texts.name = kernel.name;
  texts.c = std::move(certified.c);
  texts.certificate = std::move(certified.certificate);
  texts.refutation = std::move(certified.refutation);
  texts.sizes = std::move(assumed->lines);
  texts.rounded_otherwise = rounded_otherwise(kernel, versions.front().tiling, recipe);
  texts.others[kernel.name + ".h"] = std::move(certified.header);
  texts.others[source_file(recipe, kernel.name)] = source->text();
  if (recipe.schedule) {
    texts.others[kernel.name + ".sched"] = *recipe.schedule;
  }
  return texts;
}

}  // namespace

std::optional<std::vector<KernelTexts>> version_texts(const std::vector<IndexKernel>& kernels, const KernelRecipe& recipe,
                                                      const SourceRef& source, Diagnostics& diagnostics,
                                                      const array::Program* functional) {
  auto versions = versions_of(kernels, recipe, source, diagnostics);
  std::vector<KernelTexts> all;
  for (std::size_t k = 0; versions && k < kernels.size(); ++k) {
    auto texts = texts_of(kernels[k], (*versions)[k], functional, recipe, source, diagnostics);
    if (!texts) {
      return std::nullopt;
    }
    all.push_back(std::move(*texts));
  }
  return versions ? std::optional(std::move(all)) : std::nullopt;
}

bool has_versions(const KernelRecipe& recipe, const std::string& place, Diagnostics& diagnostics) {
  if (recipe.derivative) {
    diagnostics.error_at(place, "--targets is of kernels, and a gradient's certificate speaks of one text",
                         "compile the gradient's own .tk with --targets");
    return false;
  }
  if (recipe.is_functional() && !recipe.planned) {
    diagnostics.error_at(place, "a functional program by its own loops (.fun) is one text for all processors",
                         "compile it with --plan too: its loops are made for each processor then");
    return false;
  }
  return true;
}

}  // namespace vouch
