#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "driver/index_commands.h"
#include "driver/kernel_commands.h"
#include "driver/kernel_folder.h"
#include "driver/kernel_schedule.h"
#include "driver/kernel_texts.h"
#include "driver/manifest.h"
#include "driver/processor.h"
#include "driver/targets.h"
#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// The kernels named, those of folders (.fun, .tk) in alphabetical order.
std::vector<std::string> kernel_files(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const std::string& path : named) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path, ignored)) {
      if (entry.path().extension() == ".fun" || entry.path().extension() == ".tk") {
        found.insert(entry.path().string());
      }
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

struct Compiled {
  KernelRecipe recipe;
  std::string path;
  KernelTexts texts;
};

std::vector<Compiled> compile_kernel(const std::string& path, const CompileCommand& command,
                                     const std::vector<std::string>& targets, Diagnostics& diagnostics) {
  KernelRecipe recipe{comment_name(fs::path(path).filename().string()), {}, command.derivation};
  recipe.planned = recipe.is_functional() && command.plan;
  recipe.sizes = recipe.is_functional() && !recipe.planned ? std::vector<std::string>{} : command.sizes;
  recipe.fused = command.fma;
  recipe.lanes = command.lanes;
  recipe.reordered = command.reorder;
  recipe.targets = targets;
  if (targets.empty() && (!recipe.is_functional() || recipe.planned)) {
    recipe.target = target_name(command.target);
  }
  Diagnostics own;  // an error in one kernel does not stop the others
  std::optional<std::string> text = read_kernel_file(path, own);
  bool by_plan = !recipe.is_functional() || recipe.planned;
  bool good = !by_plan || take_schedule(path, recipe, own);
  auto all =
      good && text
          ? compile_texts(
                recipe, std::make_shared<Source>((fs::path(path).parent_path() / recipe.origin).string(), std::move(*text)), own)
          : std::nullopt;
  for (const Diagnostic& diagnostic : own.all()) {
    diagnostics.add(diagnostic);
  }
  std::vector<Compiled> compiled;
  for (KernelTexts& texts : all ? *all : std::vector<KernelTexts>{}) {
    compiled.push_back({recipe, path, std::move(texts)});
  }
  return compiled;
}

// Those that can be compiled; of several of one name, the first.
std::vector<Compiled> compile_all(const CompileCommand& command, Diagnostics& diagnostics) {
  std::vector<Compiled> kernels;
  std::map<std::string, std::string> seen;
  auto targets = targets_of(command.targets, diagnostics);
  if (!targets) {
    return {};
  }
  for (const std::string& path : kernel_files(command.kernels)) {
    for (Compiled& compiled : compile_kernel(path, command, *targets, diagnostics)) {
      auto [first, is_new] = seen.try_emplace(compiled.texts.name, path);
      if (is_new) {
        kernels.push_back(std::move(compiled));
      } else {
        diagnostics.error_at(path, fmt::format("{} has the kernel '{}' too", first->second, compiled.texts.name));
      }
    }
  }
  return kernels;
}

}  // namespace

ExitCode compile_kernels(const CompileCommand& command) {
  Diagnostics diagnostics;
  std::vector<Compiled> kernels = compile_all(command, diagnostics);
  if (kernels.empty() && !diagnostics.has_errors()) {
    diagnostics.error_at(command.kernels.front(), "there are no .fun or .tk files here");
  }
  if (!kernels.empty()) {
    std::vector<KernelToWrite> to_write;
    for (const Compiled& kernel : kernels) {
      to_write.push_back({&kernel.recipe, &kernel.texts});
    }
    std::error_code failed;
    fs::create_directories(command.out, failed);
    if (failed) {
      diagnostics.error_at(command.out, fmt::format("the folder cannot be made: {}", failed.message()));
    } else if (write_kernels(command.out, to_write, diagnostics)) {
      for (const Compiled& kernel : kernels) {
        const KernelTexts& texts = kernel.texts;
        fmt::print("{0}: {1}/{2}.c, {2}.h, {2}.v{3}{4}\n", kernel.path, command.out, texts.name,
                   texts.derivation ? fmt::format(", {}{}", texts.name, kDerivationEnding) : "",
                   command.derivation && !texts.derivation ? "; no derivation: its loops are made by a plan" : "");
      }
    }
  }
  fmt::print(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors() ? ExitCode::BadInput : ExitCode::Ok;
}

}  // namespace vouch
