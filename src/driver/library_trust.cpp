#include "driver/library_trust.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "driver/chain_report.h"
#include "driver/conformance_cases.h"
#include "driver/fold_difference.h"
#include "driver/library_folder.h"
#include "driver/library_stack.h"
#include "driver/manifest.h"
#include "imp/compiler_flags.h"
#include "solver/solver.h"

namespace vouch {
namespace {

void line(std::string_view what, const std::string& which) { fmt::print("  {:<24}{}\n", what, which); }

std::string counted(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> out;
  for (const auto& [name, count] : counts) {
    out.push_back(fmt::format("{} ({})", name, count));
  }
  return out.empty() ? "none" : fmt::format("{}", fmt::join(out, ", "));
}

// How many nodes of each operator are lowered.
std::map<std::string, std::size_t> operators_of(const Library& library) {
  std::map<std::string, std::set<std::string>> nodes;
  for (const Library* plan : plans_of(library)) {
    for (const PlanCall& call : plan->plan.calls) {
      for (const PlanNode& node : call.nodes) {
        nodes[node.op].insert(node.name);
      }
    }
  }
  std::map<std::string, std::size_t> out;
  for (const auto& [op, which] : nodes) {
    out[op] = which.size();
  }
  return out;
}

// Of each operator, the cases of ONNX's suite that its definition passes; without any, it says so.
std::string conformance_text(const std::map<std::string, std::size_t>& operators) {
  std::vector<std::string> out;
  for (const auto& [op, nodes] : operators) {
    const auto* found = std::find_if(std::begin(kConformanceCases), std::end(kConformanceCases),
                                     [&](const ConformanceCases& cases) { return cases.op == op; });
    out.push_back(fmt::format("{} {}", op, found == std::end(kConformanceCases) ? "none" : std::to_string(found->passed)));
  }
  return fmt::format(
      "cases of ONNX's suite that the definitions pass, at least: {} (tests/property/conformance.txt has each; ctest -R "
      "property/conformance)",
      fmt::join(out, ", "));
}

// The rules that fired, by verdict, with how often.
std::map<std::string, std::map<std::string, std::size_t>> rules_of(const Trace& trace) {
  std::map<std::string, std::map<std::string, std::size_t>> out;
  for (const auto& one : trace.steps) {
    if (const auto* step = std::get_if<TraceStep>(&one)) {
      ++out[step->verdict][step->rule];
    }
  }
  return out;
}

std::map<std::string, std::size_t> passes_of(const Trace& trace) {
  std::map<std::string, std::size_t> out;
  for (const auto& one : trace.steps) {
    if (const auto* pass = std::get_if<PassStep>(&one)) {
      out[std::string(pass_name(pass->pass))] += pass->changes;
    }
  }
  return out;
}

// Functions of <math.h> that the kernels call, but those that IEEE 754 determines.
std::set<std::string> functions_of(const BuiltLibrary& built) {
  static const std::regex kCall(
      R"(\b(expf|logf|tanhf|erff|sinf|cosf|tanf|asinf|acosf|atanf|sinhf|coshf|asinhf|acoshf|atanhf|powf)\()");
  std::set<std::string> out;
  for (const KernelCertificate& kernel : built.certificates) {
    for (std::sregex_iterator at(kernel.c.begin(), kernel.c.end(), kCall), end; at != end; ++at) {
      out.insert((*at)[1]);
    }
  }
  return out;
}

std::string compiler_flags(const Library& library) {
  std::string upper = upper_case(library.plan.name);
  return fmt::format("{} {}; with {}_NATIVE also {}", kCDialect, fmt::join(library_flags(library.options), " "), upper,
                     kThisProcessor) +
         (library.options.fma ? fmt::format("; with {}_FMA on x86 also {}", upper, kFmaInstruction) : "");
}

// Which steps Coq can be asked for.
std::string theorems_text(const StepRegions& steps) {
  std::set<std::size_t> without;
  for (const StepRegion& region : steps.regions()) {
    if (step_theorem(region).text.empty()) {
      without.insert(region.steps.begin(), region.steps.end());
    }
  }
  std::map<std::string, std::size_t> rules;
  for (std::size_t step : without) {
    ++rules[steps.rules()[step]];
  }
  return fmt::format("{} of {}, over any scalars or the reals, at the model's sizes: verify asks Coq; by the solver alone: {}",
                     steps.rules().size() - without.size(), steps.rules().size(), counted(rules));
}

void print_steps(const BuiltPlan& built) {
  for (const auto& [verdict, rules] : rules_of(built.trace)) {
    line(verdict, fmt::format("{}; by the checker and the solver", counted(rules)));
  }
  line("theorems of steps", theorems_text(built.steps));
  std::map<std::string, std::size_t> passes = passes_of(built.trace);
  line("passes", fmt::format("{}; done again", counted(passes)));
  line("chain of steps", built.chain.why.empty() ? fmt::format("{}; verify asks Coq", chain_claims(built.chain))
                                                 : fmt::format("none: {}; done again, not proved", built.chain.why));
}

// Of each plan.
void print_all_steps(const BuiltLibrary& built) {
  std::vector<const Library*> plans = plans_of(built.library);
  for (std::size_t k = 0; k < plans.size(); ++k) {
    if (!built.library.sizes.empty()) {
      line("with", choice_text(built.library.sizes, plans[k]->at) + ":");
    }
    print_steps(built.plans[k]);
  }
}

std::string stack_text(const BuiltLibrary& built) {
  std::string why;
  auto bound = stack_bound(built, why);
  return bound ? fmt::format("{} bytes for {}_run, {} for any function ({}); functions of C come on top", bound->run_bytes,
                             built.library.plan.name, bound->most_bytes, bound->compiler)
               : "not bounded here: " + why;
}

}  // namespace

void print_library_trust(const std::string& folder) {
  Diagnostics said_before;
  FoldDifference folds;
  auto watch = [&](const Graph& graph, NodeId call, NodeId parameter) { folds.add(graph, call, parameter); };
  auto built = is_library(folder) ? library_anew(folder, said_before, {.on_fold = watch, .steps = true}) : std::nullopt;
  if (!built) {
    return;
  }
  const Library& library = built->library;
  fmt::print("The library {} in {}:\n", library.plan.name, folder);
  line("operators", counted(operators_of(library)) + ": that their definitions are the model's operators");
  line("conformance", conformance_text(operators_of(library)));
  print_all_steps(*built);
  line("numbers folded", folds.text());
  line("made anew, not proved",
       "operators as kernels, axes split and joined, copies, weights in another order; each compared byte by byte");
  std::set<std::string> functions = functions_of(*built);
  line("functions of C", functions.empty() ? "none: every operation is one that IEEE 754 determines"
                                           : fmt::format("{}: as the C library has them", fmt::join(functions, ", ")));
  if (library.options.fma) {
    line("products",
         "in kernels with fmaf not rounded before they are added: over the reals the graph's values (library_written_means)");
  }
  if (library.options.lanes) {
    line("approximations",
         "exp_lanes, tanh_lanes, erf_lanes are exp, tanh and erf but for less than 1, 1.4 and 1.2 units in the last place: "
         "measured "
         "for all floats (tests/driver/lanes_errors.c), not proved");
  }
  if (library.options.reorder) {
    line("order of sums",
         fmt::format("of {} of {} kernels another than the operators' definitions have: the graph that is proven "
                     "to be computed has these kernels; over the reals its values are those of the graph as it is written "
                     "(library_written_means)",
                     reordered_kernels(library), library.plan.kernels.size()));
  }
  line("read, not proved", fmt::format("{0}.c, {0}.h, example.c: who calls {1}, and with what", library.plan.name,
                                       library.sizes.empty() ? "the plan" : "which of the plans"));
  line("compiler flags", compiler_flags(library));
  line("stack", stack_text(*built));
  if (!library.options.targets.empty()) {
    line("processors", fmt::format("{}; that one which is asked for a version has its instructions (has_avx2, has_avx512)",
                                   fmt::join(library.options.targets, ", ")));
  }
  line("versions", fmt::format("vouch {}, Coq {}, {}", tool_versions().at("vouch"), tool_versions().at("coq"), solver_version()));
}

}  // namespace vouch
