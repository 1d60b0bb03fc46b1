#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "autodiff/differences.h"
#include "driver/index_commands.h"
#include "driver/index_proof.h"
#include "driver/kernel_folder.h"
#include "driver/kernel_texts.h"
#include "driver/processor.h"
#include "io/file.h"
#include "notation/show_tk.h"
#include "notation/tk_instance.h"

namespace vouch {
namespace {

KernelRecipe recipe_of(const GradCommand& command) {
  std::string origin = command.call.op.empty() ? std::filesystem::path(command.kernel).filename().string() : command.call.op;
  KernelRecipe recipe{comment_name(origin), command.sizes, false, false,
                      DerivativeRecipe{command.forward, command.cpp, command.ties, command.targets, command.call}};
  recipe.target = target_name(command.target);
  return recipe;
}

bool write_texts(const TkKernel& derivative, const GradCommand& command, Diagnostics& diagnostics) {
  auto texts = derivative_texts(derivative);
  return std::all_of(texts.begin(), texts.end(),
                     [&](const auto& text) { return write_file(command.out + "/" + text.first, text.second, diagnostics); });
}

// What was written, line by line. What certificates do not cover is said; the derivative itself stands, and then there are
// none.
std::optional<std::vector<std::string>> write_certified(const Derived& derived, const KernelRecipe& recipe,
                                                        const SourceRef& source, const GradCommand& command,
                                                        Diagnostics& diagnostics) {
  Diagnostics uncovered;
  auto kernels = certified_derivative(derived, recipe, source, uncovered);
  fmt::print(stderr, "{}", uncovered.text());
  std::vector<KernelToWrite> to_write;
  std::vector<std::string> lines;
  if (!kernels) {
    return lines;
  }
  for (const KernelTexts& texts : *kernels) {
    to_write.push_back({&recipe, &texts});
    lines.push_back(fmt::format("{0}/{1}.c, {1}.h: certified by {1}.v", command.out, texts.name));
    if (texts.adjoint) {
      lines.push_back(fmt::format("{0}/{1}{2}: that this kernel is the gradient", command.out, texts.name, kAdjointEnding));
    } else if (!texts.no_adjoint.empty()) {
      lines.push_back(fmt::format("{}: the gradient has no adjoint certificate: {}", texts.name, texts.no_adjoint));
    }
  }
  return write_kernels(command.out, to_write, diagnostics) ? std::optional(lines) : std::nullopt;
}

// The derivative as text, then what was written as comments of that text.
void print_written(const TkKernel& derivative, const std::vector<std::string>& certified, const GradCommand& command) {
  fmt::print("{}", print_tk(derivative));
  for (const std::string& line : certified) {
    fmt::print("# {}\n", line);
  }
  if (command.cpp && !certified.empty()) {
    fmt::print("# {0}/{1}.cpp, {1}.hpp: calls these from C++; no certificate covers it\n", command.out, derivative.name);
  }
}

// Of both kernels at several small sizes, where sizes have names.
DifferenceReport differences(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets,
                             bool forward) {
  constexpr std::size_t kInstances = 6;
  DifferenceReport all;
  std::vector<SizeInstance> instances = small_instances(kernel.sizes, kInstances);
  if (instances.empty()) {
    all.refusal = "no small sizes satisfy the conditions";
  }
  for (const SizeInstance& sizes : instances) {
    DifferenceReport one = compare_with_differences(at_sizes(kernel, sizes), at_sizes(derivative, sizes), targets, forward);
    all.elements += one.elements;
    all.equal += one.equal;
    all.nearly += one.nearly;
    std::string where;
    for (const auto& [name, value] : sizes) {
      where += fmt::format(" at {} = {}", name.name(), value);
    }
    all.different = one.different.empty() || !all.different.empty() ? all.different : one.different + where;
    all.refusal = one.refusal.empty() || !all.refusal.empty() ? all.refusal : one.refusal + where;
  }
  return all;
}

ExitCode check(const Derived& derived, bool forward) {
  ExitCode code = ExitCode::Ok;
  if (!forward) {
    BijectionProof proof = prove_index_changes(derived.record.changes);
    fmt::print("index changes: {} of {} proven bijective\n", proof.proven, proof.changes);
    for (const std::string& open : proof.open) {
      fmt::print("  not proven: {}\n", open);
    }
    code = proof.proven == proof.changes ? code : ExitCode::Undecided;
  }
  DifferenceReport report = differences(derived.kernel, derived.derivative, derived.targets, forward);
  fmt::print("exact differences: {} of {} elements equal{}\n", report.equal, report.elements,
             report.nearly == 0 ? "" : fmt::format(", {} within the bound of the differences", report.nearly));
  if (!report.refusal.empty()) {
    fmt::print("  not compared: {}\n", report.refusal);
    return ExitCode::Undecided;
  }
  if (!report.different.empty()) {
    fmt::print("  different: {}\n", report.different);
    return ExitCode::Refuted;
  }
  return code;
}

}  // namespace

ExitCode differentiate_kernel(const GradCommand& command) {
  Diagnostics diagnostics;
  if (command.call.op.empty() && command.kernel.empty()) {
    diagnostics.error_at("grad", "expected a kernel, or an operator after --op");
    return give_up(diagnostics);
  }
  KernelRecipe recipe = recipe_of(command);
  SourceRef source;
  if (recipe.has_source()) {
    auto text = read_kernel_file(command.kernel, diagnostics);
    source = std::make_shared<Source>((std::filesystem::path(command.kernel).parent_path() / recipe.origin).string(),
                                      text.value_or(""));
  }
  auto derived = diagnostics.has_errors() ? std::nullopt : derive(recipe, source, diagnostics);
  std::error_code failed;
  if (derived) {
    std::filesystem::create_directories(command.out, failed);
  }
  auto certified = derived && write_texts(derived->derivative, command, diagnostics)
                       ? write_certified(*derived, recipe, source, command, diagnostics)
                       : std::nullopt;
  fmt::print(stderr, "{}", diagnostics.text());
  if (!certified) {
    return ExitCode::BadInput;
  }
  print_written(derived->derivative, *certified, command);
  return command.check ? check(*derived, command.forward) : ExitCode::Ok;
}

}  // namespace vouch
