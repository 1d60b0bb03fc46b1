#include "driver/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/chain_report.h"
#include "driver/folder_check.h"
#include "driver/report_lines.h"
#include "driver/rule_report.h"
#include "support/displayable.h"
#include "support/how_many.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

std::string kernel_verdict(const KernelFound& found) {
  CoqWord word = found.word();
  return word == CoqWord::Holds ? "certified" : word == CoqWord::Fails ? "FAILED" : "undecided";
}

// Of a gradient: whether its kernel is proven to be the adjoint of the tangent. Empty of other kernels.
std::string gradient_verdict(const KernelFound& found) {
  if (!found.check.texts || (!found.check.texts->adjoint && found.check.texts->no_adjoint.empty())) {
    return "";
  }
  return !found.check.texts->adjoint              ? "no proof"
         : found.word() != CoqWord::Holds         ? "undecided"
         : found.answer.adjoint == CoqWord::Holds ? "proven"
                                                  : "undecided";
}

std::string gradient_reason(const KernelFound& found) {
  std::string why = gradient_verdict(found) == "no proof" ? found.check.texts->no_adjoint : found.answer.adjoint_message;
  return why.empty() ? "" : "the gradient has no adjoint certificate: " + why;
}

// A name that a list or a folder gives, on one line, and not so long that the table is lost in it.
std::string shown_name(const std::string& name) {
  constexpr std::size_t kMost = 120;
  return shortened(printable(name), kMost);
}

// What is assumed of sizes, in the words of the source, and of numbers.
std::vector<std::string> assumptions(const KernelFound& found) {
  std::vector<std::string> out;
  if (!found.check.texts || found.word() != CoqWord::Holds) {
    return out;
  }
  const SizeAssumptions& sizes = found.check.texts->sizes;
  if (!sizes.facts.empty()) {
    out.push_back(fmt::format("assumes {} (true for {})", fmt::join(sizes.facts, ", "), fmt::join(sizes.witness, ", ")));
  }
  if (!sizes.limits.empty()) {
    out.push_back(fmt::format("for sizes that keep below 2^63: {}", fmt::join(sizes.limits, ", ")));
  }
  if (const auto& why = found.check.texts->rounded_otherwise; !why.empty()) {
    out.push_back(fmt::format("real: {}; over the reals this is the kernel as it is written", fmt::join(why, ", ")));
  }
  return out;
}

// With its folder where another one has a kernel of that name.
std::string row_name(const KernelFound& one, const VerifyFindings& found) {
  bool alone = std::none_of(found.kernels.begin(), found.kernels.end(), [&](const KernelFound& other) {
    return other.check.kernel == one.check.kernel && other.check.folder != one.check.folder;
  });
  return shown_name(one.check.kernel) + (alone ? "" : fmt::format(" in {}", shown_name(one.check.folder)));
}

std::string kernel_rows(const VerifyFindings& found) {
  std::size_t width = 6;
  for (const KernelFound& one : found.kernels) {
    width = std::max(width, row_name(one, found).size());
  }
  bool gradients = std::any_of(found.kernels.begin(), found.kernels.end(),
                               [](const KernelFound& one) { return !gradient_verdict(one).empty(); });
  std::string out = fmt::format("{:<{}}  verdict     time  {}axioms\n", "kernel", width, gradients ? "gradient   " : "");
  for (const KernelFound& one : found.kernels) {
    std::string time = one.kept ? "   kept" : fmt::format("{:>5.2f} s", one.answer.seconds);
    std::string gradient = gradient_verdict(one);
    out += fmt::format("{:<{}}  {:<9} {}  {}{}\n", row_name(one, found), width, kernel_verdict(one), time,
                       gradients ? fmt::format("{:<9}  ", gradient.empty() ? "-" : gradient) : "",
                       one.answer.axioms.empty() ? "-" : one.answer.axioms);
    if (std::string reason = gradient_reason(one); !reason.empty()) {
      out += indented(reason);
    }
    for (const std::string& line : assumptions(one)) {
      out += indented(line);
    }
    for (const std::string& line : one.check.remarks) {
      out += indented(line);
    }
    for (const std::string& line : reasons(one.check.differences, one.answer)) {
      out += indented(line);
    }
  }
  return out + fmt::format("{:<{}}  {:<9} {:>5.2f} s\n", "axioms", width, "of all", found.together);
}

std::string calls_verdict(const CallsFound& found) {
  return found.answer.word == CoqWord::Holds ? "proven" : found.answer.word == CoqWord::Fails ? "FAILED" : "undecided";
}

// In which the calls compute the graph as it is written.
bool is_as_written(const CallsFound& found) {
  const std::vector<PlanKernel>& kernels = found.plan.plan.kernels;
  return std::all_of(kernels.begin(), kernels.end(), [](const PlanKernel& kernel) { return is_as_written(kernel); });
}

std::string calls_rows(const VerifyFindings& found) {
  std::size_t width = 13;
  for (const CallsFound& one : found.calls) {
    width = std::max(width, one.library.size());
  }
  std::string out = fmt::format("{:<{}}  verdict     time  calls  axioms\n", "library_calls", width);
  for (const CallsFound& one : found.calls) {
    std::string time = one.kept ? "   kept" : fmt::format("{:>5.2f} s", one.answer.seconds);
    out += fmt::format("{:<{}}  {:<9} {}  {:>5}  {}\n", one.library, width, calls_verdict(one), time, one.plan.plan.calls.size(),
                       one.answer.axioms.empty() ? "-" : one.answer.axioms);
    if (one.answer.word == CoqWord::Holds && !is_as_written(one)) {
      out += indented("real: over the reals these calls leave the values of the graph as it is written");
    }
    for (const std::string& line : reasons({}, one.answer)) {
      out += indented(line);
    }
  }
  return out;
}

std::string steps_verdict(const StepsFound& found) {
  std::size_t proven = found.proven();
  return proven == found.rules.size() ? "proven" : proven > 0 ? "in part" : "solver";
}

// Names of axioms that any step rests on.
std::string steps_axioms(const StepsFound& found) {
  bool holds = false;
  bool of_reals = false;
  for (const CoqAnswer& answer : found.answers) {
    holds = holds || answer.word == CoqWord::Holds;
    of_reals = of_reals || (answer.word == CoqWord::Holds && !axiom_names(answer.axioms).empty());
  }
  return !holds ? "-" : of_reals ? "of the reals" : "none";
}

// Steps that are no theorems, those of one rule and reason together.
std::vector<std::string> solver_only(const StepsFound& found) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> which;
  for (std::size_t step = 0; step < found.rules.size(); ++step) {
    if (std::string why = found.why_not(step); !why.empty()) {
      which[{found.rules[step], why}].push_back(step + 1);
    }
  }
  std::vector<std::string> out;
  for (const auto& [what, steps] : which) {
    out.push_back(fmt::format("by the solver alone: {}, step {}: {}", what.first, fmt::join(steps, ", "), what.second));
  }
  return out;
}

std::string steps_rows(const VerifyFindings& found) {
  std::size_t width = 8;
  for (const StepsFound& one : found.steps) {
    width = std::max(width, one.library.size());
  }
  std::string out = fmt::format("{:<{}}  verdict     time  steps  axioms\n", "rewrites", width);
  for (const StepsFound& one : found.steps) {
    out += fmt::format("{:<{}}  {:<9} {}  {:>5}  {}\n", one.library, width, steps_verdict(one),
                       one.kept ? "   kept" : fmt::format("{:>5.2f} s", one.seconds),
                       fmt::format("{}/{}", one.proven(), one.rules.size()), steps_axioms(one));
    for (const std::string& line : solver_only(one)) {
      out += indented(line);
    }
  }
  return out;
}

std::string equality_verdict(const EqualityCheck& found) { return found.holds ? "holds" : "FAILED"; }

std::string equality_rows(const VerifyFindings& found) {
  std::size_t width = 10;
  for (const EqualityCheck& one : found.equalities) {
    width = std::max(width, shown_name(one.file).size());
  }
  std::string out = fmt::format("{:<{}}  verdict     time  steps  claim\n", "equalities", width);
  for (const EqualityCheck& one : found.equalities) {
    out += fmt::format("{:<{}}  {:<9} {:>5.2f} s  {:>5}  {}\n", shown_name(one.file), width, equality_verdict(one), one.seconds,
                       one.steps, one.verdict);
    for (const std::string& condition : one.conditions) {
      out += indented(condition);
    }
    out += one.reason.empty() ? "" : indented(one.reason);
  }
  return out;
}

template <class T, class F>
std::string summary(const char* what, const std::vector<T>& all, F verdict) {
  std::map<std::string, std::size_t> counts;
  for (const T& one : all) {
    ++counts[verdict(one)];
  }
  std::string out;
  for (const auto& [word, count] : counts) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, word);
  }
  return fmt::format("{}: {}\n", how_many(all.size(), what), out);
}

std::string uncertified(const VerifyFindings& found) {
  std::set<std::string> files;
  for (const KernelFound& one : found.kernels) {
    for (const std::string& file : one.check.texts ? one.check.texts->uncertified : std::vector<std::string>{}) {
      files.insert(one.check.folder + "/" + file);
    }
  }
  std::string out;
  for (const std::string& file : files) {
    out += fmt::format("{}: as it was written, and no certificate covers it\n", file);
  }
  return out;
}

}  // namespace

std::string print_found(const VerifyFindings& found) {
  std::string out;
  if (!found.kernels.empty()) {
    out += kernel_rows(found) + uncertified(found) + summary("kernel", found.kernels, kernel_verdict);
  }
  out += found.calls.empty() ? "" : calls_rows(found);
  out += found.steps.empty() ? "" : steps_rows(found);
  out += found.chains.empty() ? "" : chain_rows(found);
  if (!found.rules.empty()) {
    out += rule_rows(found) + summary("rule", found.rules, rule_verdict) + asked_summary(found) + by_name_summary(found);
  }
  out += found.equalities.empty() ? "" : equality_rows(found);
  return displayable(out);
}

// In which the kernel as it is written is computed: exactly, bit for bit, or over the reals.
const char* algebra(const KernelFound& found) {
  return !found.check.texts ? "" : found.check.texts->rounded_otherwise.empty() ? "exact" : "real";
}

Json found_json(const VerifyFindings& found) {
  Json kernels = Json::array();
  for (const KernelFound& one : found.kernels) {
    kernels.push_back({{"kernel", one.check.kernel},
                       {"folder", one.check.folder},
                       {"verdict", kernel_verdict(one)},
                       {"certified", one.word() == CoqWord::Holds},
                       {"axioms", one.answer.axioms},
                       {"kept", one.kept},
                       {"time_ms", one.answer.seconds * 1000},
                       {"facts", one.check.texts ? one.check.texts->sizes.facts : std::vector<std::string>{}},
                       {"below_2_to_63", one.check.texts ? one.check.texts->sizes.limits : std::vector<std::string>{}},
                       {"algebra", algebra(one)},
                       {"gradient", gradient_verdict(one)},
                       {"gradient_reason", gradient_reason(one)},
                       {"remarks", one.check.remarks},
                       {"message", fmt::format("{}", fmt::join(reasons(one.check.differences, one.answer), "\n"))}});
  }
  Json calls = Json::array();
  for (const CallsFound& one : found.calls) {
    calls.push_back({{"library", one.library},
                     {"folder", one.folder},
                     {"verdict", calls_verdict(one)},
                     {"calls", one.plan.plan.calls.size()},
                     {"algebra", is_as_written(one) ? "exact" : "real"},
                     {"axioms", one.answer.axioms},
                     {"kept", one.kept},
                     {"time_ms", one.answer.seconds * 1000},
                     {"message", one.answer.message}});
  }
  Json rewrites = Json::array();
  for (const StepsFound& one : found.steps) {
    rewrites.push_back({{"library", one.library},
                        {"folder", one.folder},
                        {"verdict", steps_verdict(one)},
                        {"steps", one.rules.size()},
                        {"proven", one.proven()},
                        {"axioms", steps_axioms(one)},
                        {"kept", one.kept},
                        {"time_ms", one.seconds * 1000},
                        {"solver_only", solver_only(one)}});
  }
  Json equalities = Json::array();
  for (const EqualityCheck& one : found.equalities) {
    equalities.push_back({{"file", one.file},
                          {"folder", one.folder},
                          {"verdict", equality_verdict(one)},
                          {"claim", one.verdict},
                          {"conditions", one.conditions},
                          {"steps", one.steps},
                          {"time_ms", one.seconds * 1000},
                          {"message", one.reason}});
  }
  return {{"vouch_verify", 1},
          {"kernels", kernels},
          {"library_calls", calls},
          {"rewrites", rewrites},
          {"chains", chains_json(found)},
          {"rules", rules_json(found)},
          {"equalities", equalities},
          {"together_ms", found.together * 1000}};
}

}  // namespace vouch
