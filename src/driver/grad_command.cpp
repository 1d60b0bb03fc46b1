#include <fmt/format.h>

#include <filesystem>

#include "autodiff/differences.h"
#include "autodiff/gradient.h"
#include "certify/index_kernel.h"
#include "driver/index_commands.h"
#include "driver/index_proof.h"
#include "io/file.h"
#include "io/kernel_json.h"
#include "kernel/show_tk.h"

namespace vouch {
namespace {

bool write_texts(const TkKernel& kernel, const GradCommand& command, Diagnostics& diagnostics) {
  std::string base = command.out + "/" + kernel.name;
  std::string tight = command.out + "/tight/" + kernel.name;
  CText c = print_c(kernel, CStyle::C, kernel.name + ".h");
  bool good = write_file(base + ".tk", print_tk_file(kernel), diagnostics) && write_file(base + ".json", kernel_json(kernel), diagnostics) &&
              write_file(tight + ".h", c.header, diagnostics) && write_file(tight + ".c", c.source, diagnostics);
  if (good && command.cpp) {
    CText cpp = print_c(kernel, CStyle::Cpp, kernel.name + ".hpp");
    good = write_file(base + ".hpp", cpp.header, diagnostics) && write_file(base + ".cpp", cpp.source, diagnostics);
  }
  return good;
}

// What certificates do not cover is said; the derivative itself stands.
bool write_certified(const TkKernel& derivative, const GradCommand& command, Diagnostics& diagnostics) {
  Diagnostics uncovered;
  std::string origin = std::filesystem::path(command.kernel).filename().string();
  bool covered = index_kernels(derivative, uncovered).has_value();
  fmt::print(stderr, "{}", uncovered.text());
  return !covered || write_index_kernels(derivative, origin, command.out, diagnostics).has_value();
}

ExitCode check(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets, bool forward,
               const std::vector<OccurrenceChange>& changes) {
  ExitCode code = ExitCode::Ok;
  if (!forward) {
    BijectionProof proof = prove_index_changes(changes);
    fmt::print("index changes: {} of {} proven bijective\n", proof.proven, proof.changes);
    for (const std::string& open : proof.open) {
      fmt::print("  not proven: {}\n", open);
    }
    code = proof.proven == proof.changes ? code : ExitCode::Undecided;
  }
  DifferenceReport report = compare_with_differences(kernel, derivative, targets, forward);
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
  auto kernel = load_kernel(command.kernel, command.sizes, diagnostics);
  std::vector<Symbol> targets = kernel ? kernel->grad_to : std::vector<Symbol>{};
  if (!command.targets.empty()) {
    targets.clear();
    for (const std::string& name : command.targets) {
      targets.emplace_back(name);
    }
  }
  std::optional<TkKernel> derivative;
  std::vector<OccurrenceChange> changes;
  if (kernel) {
    derivative = command.forward ? tangent(*kernel, targets, diagnostics) : gradient(*kernel, targets, diagnostics, &changes);
  }
  std::error_code failed;
  std::filesystem::create_directories(command.out + "/tight", failed);
  bool written = derivative && write_texts(*derivative, command, diagnostics) && write_certified(*derivative, command, diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  if (!written) {
    return ExitCode::BadInput;
  }
  fmt::print("{}", print_tk(*derivative));
  return command.check ? check(*kernel, *derivative, targets, command.forward, changes) : ExitCode::Ok;
}

}  // namespace vouch
