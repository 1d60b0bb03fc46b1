#include "driver/verify_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "driver/library_folder.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// A library's plans, with the kernels that each calls, of those from `first` on.
void add_plans(const std::string& folder, BuiltLibrary& built, std::size_t first, VerifyFindings& found) {
  std::map<std::string, std::size_t> numbers;
  for (const KernelCertificate& kernel : built.certificates) {
    numbers.emplace(kernel.name, first + numbers.size());
  }
  for (std::size_t k = 0; k < built.plans.size(); ++k) {
    BuiltPlan& one = built.plans[k];
    Library& plan = built.library.sizes.empty() ? built.library : built.library.plans[k];
    const std::string name = plan.plan.name;
    if (!one.steps.rules().empty()) {
      std::vector<CoqAnswer> answers(one.steps.regions().size());
      found.steps.push_back({folder, name, one.steps.rules(), one.steps.regions(), std::move(answers), 0, false});
    }
    found.chains.push_back({folder, name, std::move(one.chain), {}, false});
    CallsFound calls{folder, name, std::move(plan), {}, {}, false};
    for (const PlanKernel& kernel : calls.plan.plan.kernels) {
      calls.kernels.push_back(numbers.at(kernel.name));
    }
    found.calls.push_back(std::move(calls));
  }
}

}  // namespace

bool is_there(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code failed;
  fs::directory_iterator opened(folder, failed);
  if (failed) {
    diagnostics.error_at(folder, fmt::format("the folder cannot be read: {}", failed.message()),
                         "expected a folder that 'vouch compile', 'grad', 'build' or 'check --coq' wrote");
  }
  return !failed;
}

std::string own_file(const std::string& folder, const std::string& json) {
  std::error_code failed;
  return json.empty() ? "" : fs::weakly_canonical(json, failed).lexically_relative(fs::weakly_canonical(folder, failed)).string();
}

void find_all(const std::string& folder, const std::string& own, VerifyFindings& found, Diagnostics& diagnostics) {
  std::set<std::string> covered;
  std::size_t errors = diagnostics.error_count();
  bool library = is_library(folder);
  std::vector<KernelCheck> kernels = library ? std::vector<KernelCheck>{} : check_kernels(folder, covered, diagnostics);
  if (auto check = library ? check_library(folder, covered, diagnostics) : std::nullopt) {
    kernels = std::move(check->kernels);
    add_plans(folder, check->built, found.kernels.size(), found);
  }
  std::vector<RuleCheck> rules = check_rule_proofs(folder, covered, diagnostics);
  std::vector<EqualityCheck> equalities = check_equalities(folder, covered);
  if (kernels.empty() && rules.empty() && equalities.empty() && diagnostics.error_count() == errors) {
    diagnostics.error_at(folder, "there are no certificates here", "'vouch compile' writes them");
  }
  if (!own.empty() && !covered.insert(own).second) {
    diagnostics.error_at(fmt::format("{}/{}", folder, own), "what was found cannot be written over what is verified",
                         "give --json the name of another file");
    found.is_own_file_covered = true;
  }
  name_uncovered(folder, covered, diagnostics);
  for (KernelCheck& kernel : kernels) {
    found.kernels.push_back({std::move(kernel), {}, false});
  }
  found.equalities.insert(found.equalities.end(), equalities.begin(), equalities.end());
  for (RuleCheck& rule : rules) {
    found.rules.push_back({std::move(rule), {}, false});
  }
}

bool are_as_they_should_be(const std::vector<std::size_t>& kernels, const VerifyFindings& found) {
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](std::size_t kernel) { return found.kernels[kernel].check.differences.empty(); });
}

bool asks_coq(const VerifyFindings& found) {
  auto agrees = [](const auto& one) { return one.check.differences.empty(); };
  return std::any_of(found.kernels.begin(), found.kernels.end(), agrees) ||
         std::any_of(found.rules.begin(), found.rules.end(), agrees) ||
         std::any_of(found.calls.begin(), found.calls.end(),
                     [&](const CallsFound& one) { return are_as_they_should_be(one.kernels, found); });
}

std::string why_no_proof(const RuleFound& one) { return one.check.coq ? "no proof: " + one.check.coq->reason : ""; }

void leave_open(VerifyFindings& found, const std::string& why) {
  for (KernelFound& one : found.kernels) {
    one.answer.message = one.check.differences.empty() ? why : "";
  }
  for (RuleFound& one : found.rules) {
    one.answer.message = !one.has_proof() ? why_no_proof(one) : one.check.differences.empty() ? why : "";
  }
  for (CallsFound& one : found.calls) {
    one.answer.message = are_as_they_should_be(one.kernels, found) ? why : std::string(kKernelsDiffer);
  }
  for (ChainFound& one : found.chains) {
    one.answer.message = why;
  }
}

void leave_out_others(VerifyFindings& found, const std::string& only, Diagnostics& diagnostics) {
  found.calls.clear();
  found.steps.clear();
  found.chains.clear();
  std::erase_if(found.kernels, [&](const KernelFound& one) { return one.check.kernel != only; });
  std::erase_if(found.rules, [&](const RuleFound& one) { return one.check.rule != only; });
  if (found.kernels.empty() && found.rules.empty()) {
    diagnostics.error_at("--only", fmt::format("no kernel and no rule is called '{}' here", only));
  }
}

}  // namespace vouch
