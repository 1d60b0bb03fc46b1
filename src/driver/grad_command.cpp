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
#include "kernel/tk_instance.h"

namespace vouch {
namespace {

bool write_texts(const TkKernel& kernel, const GradCommand& command, Diagnostics& diagnostics) {
  std::string base = command.out + "/" + kernel.name;
  std::string tight = command.out + "/tight/" + kernel.name;
  bool good = write_file(base + ".tk", print_tk_file(kernel), diagnostics) &&
              write_file(base + ".json", kernel_json(kernel), diagnostics);
  if (!kernel.sizes.names.empty()) {
    return good;
  }
  CText c = print_c(kernel, CStyle::C, kernel.name + ".h");
  good = good && write_file(tight + ".h", c.header, diagnostics) && write_file(tight + ".c", c.source, diagnostics);
  if (good && command.cpp) {
    CText cpp = print_c(kernel, CStyle::Cpp, kernel.name + ".hpp");
    good = write_file(base + ".hpp", cpp.header, diagnostics) && write_file(base + ".cpp", cpp.source, diagnostics);
  }
  return good;
}

// The certified texts. What certificates do not cover is said; the derivative itself stands, and then there are none.
std::optional<std::vector<std::string>> write_certified(const TkKernel& derivative, const GradCommand& command,
                                                        Diagnostics& diagnostics) {
  Diagnostics uncovered;
  std::string origin = command.call.op.empty() ? std::filesystem::path(command.kernel).filename().string() : command.call.op;
  bool covered = index_kernels(derivative, uncovered).has_value();
  fmt::print(stderr, "{}", uncovered.text());
  return covered ? write_index_kernels(derivative, origin, command.out, diagnostics) : std::vector<std::string>{};
}

// The derivative as text, then what was written as comments of that text.
void print_written(const TkKernel& derivative, const std::vector<std::string>& certified, const GradCommand& command) {
  fmt::print("{}", print_tk(derivative));
  for (const std::string& name : certified) {
    fmt::print("# {0}/{1}.c, {1}.h: certified by {1}.v\n", command.out, name);
  }
  if (derivative.sizes.names.empty()) {
    fmt::print("# {0}/tight/{1}.c, {1}.h: with exact loop bounds; no certificate covers it\n", command.out, derivative.name);
  }
  if (command.cpp) {
    fmt::print("# {0}/{1}.cpp, {1}.hpp: the same in C++; no certificate covers it\n", command.out, derivative.name);
  }
}

std::optional<TkKernel> load(const GradCommand& command, Diagnostics& diagnostics) {
  if (!command.call.op.empty()) {
    auto kernel = operator_kernel(command.call, diagnostics);
    if (kernel) {
      prove_reads(*kernel, diagnostics);
    }
    return diagnostics.has_errors() ? std::nullopt : kernel;
  }
  if (command.kernel.empty()) {
    diagnostics.error_at("grad", "expected a kernel, or an operator after --op");
    return std::nullopt;
  }
  auto kernel = load_kernel(command.kernel, command.sizes, diagnostics);
  if (kernel && command.cpp && !kernel->sizes.names.empty()) {
    diagnostics.error_at("--cpp", "references to arrays have numbers for extents",
                         fmt::format("give the size a value: --size {}=16", kernel->sizes.names[0].name()));
    return std::nullopt;
  }
  return kernel;
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
  DifferenceReport report = differences(kernel, derivative, targets, forward);
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
  auto kernel = load(command, diagnostics);
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
  if (derivative) {
    std::filesystem::create_directories(command.out + "/tight", failed);
  }
  auto certified = derivative && write_texts(*derivative, command, diagnostics)
                       ? write_certified(*derivative, command, diagnostics)
                       : std::nullopt;
  fmt::print(stderr, "{}", diagnostics.text());
  if (!certified) {
    return ExitCode::BadInput;
  }
  print_written(*derivative, *certified, command);
  return command.check ? check(*kernel, *derivative, targets, command.forward, changes) : ExitCode::Ok;
}

}  // namespace vouch
