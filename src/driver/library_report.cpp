#include "driver/library_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "build/library_c.h"
#include "build/versions.h"
#include "driver/library_recipe.h"
#include "support/how_many.h"

namespace vouch {
namespace {

std::string ratio(std::int64_t whole, std::int64_t part) {
  return part == 0 ? "" : fmt::format(" ({:.2f} times it)", static_cast<double>(whole) / static_cast<double>(part));
}

std::string rules_text(const BuiltLibrary& built) {
  if (built.verdicts.empty()) {
    return "no rule fired: the calls compute the model's own operators";
  }
  std::vector<std::string> real;
  for (const auto& [rule, verdict] : built.verdicts) {
    if (verdict != "sound (exact)") {
      real.push_back(rule);
    }
  }
  return real.empty() ? fmt::format("{} fired, all exact", how_many(built.verdicts.size(), "rule"))
                      : fmt::format("{} fired; equal over the reals, floats may round differently, by {}",
                                    how_many(built.verdicts.size(), "rule"), fmt::join(real, ", "));
}

std::string fused_line(const Library& library) {
  const std::vector<PlanKernel>& kernels = library.plan.kernels;
  auto fused = std::count_if(kernels.begin(), kernels.end(), [](const PlanKernel& kernel) { return kernel.fused; });
  return library.options.fma
             ? fmt::format("  fma      {} of {} kernels add products that are not rounded first\n", fused, kernels.size())
             : "";
}

std::string lanes_line(const Library& library) {
  const std::vector<PlanKernel>& kernels = library.plan.kernels;
  auto lanes = std::count_if(kernels.begin(), kernels.end(), [](const PlanKernel& kernel) { return kernel.written.has_value(); });
  return library.options.lanes
             ? fmt::format("  lanes    {} of {} kernels have approximations of exp, tanh or erf\n", lanes, kernels.size())
             : "";
}

std::string order_line(const Library& library) {
  return library.options.reorder ? fmt::format("  reorder  {} of {} kernels add in another order: over the reals the same\n",
                                               reordered_kernels(library), library.plan.kernels.size())
                                 : "";
}

std::string nodes_text(const PlanCall& call) {
  std::vector<std::string> out;
  for (const PlanNode& node : call.nodes) {
    out.push_back(fmt::format("{}, {}", comment_text(node.name), node.op));
  }
  return fmt::format("{}", fmt::join(out, " and "));
}

Integer work_of(const IndexStatement& s) {
  Integer steps = 0;
  for (const IndexSummand& summand : s.summands) {
    steps += extent_product(summand.loops);
  }
  return extent_product(s.extents) * steps;
}

std::string arena_text(const Library& plan) {
  return fmt::format("{} bytes; at least {} live at once{}", plan.memory.arena_bytes, plan.memory.least_bytes,
                     ratio(plan.memory.arena_bytes, plan.memory.least_bytes));
}

// What is left of the operators, and how much is called.
std::string calls_text(const BuiltLibrary& built) {
  const Library& library = built.library;
  return library.sizes.empty()
             ? fmt::format("{} after rewriting; {} calls of {} kernels", built.plans[0].nodes_left, library.plan.calls.size(),
                           library.plan.kernels.size())
             : fmt::format("for {} choices of sizes; {} kernels", library.plans.size(), library.plan.kernels.size());
}

// What each choice of sizes has of its own.
std::string plan_lines(const BuiltLibrary& built) {
  std::string text;
  for (std::size_t k = 0; k < built.library.plans.size(); ++k) {
    const Library& plan = built.library.plans[k];
    text += fmt::format("  with {}: {} operators after rewriting; {} calls of {} kernels; arena {}\n",
                        comment_text(choice_text(built.library.sizes, plan.at)), built.plans[k].nodes_left,
                        plan.plan.calls.size(), plan.plan.kernels.size(), arena_text(plan));
  }
  return text;
}

std::string call_lines(const Library& plan) {
  std::string text = "\ncall  node, operator (and the next): kernel; result; bytes; steps\n";
  for (std::size_t c = 0; c < plan.plan.calls.size(); ++c) {
    const PlanCall& call = plan.plan.calls[c];
    const PlanKernel& kernel = plan.plan.kernels[call.kernel];
    text += fmt::format("{:4}  {}: {}; {}; {}; {}\n", c, nodes_text(call), kernel.name, place_text(plan, call.result),
                        bytes_of(plan.plan.values[call.result]), work_of_kernel(kernel.kernel).str());
  }
  return text;
}

}  // namespace

Integer work_of_kernel(const IndexKernel& kernel) {
  Integer steps = work_of(kernel.output);
  for (const IndexStatement& local : kernel.locals) {
    steps += work_of(local);
  }
  return steps;
}

std::string library_summary(const BuiltLibrary& built) {
  const Library& library = built.library;
  std::size_t c_bytes = 0;
  for (const auto& [file, text] : built.files) {
    c_bytes += file.ends_with(".c") && file != library.plan.name + "_weights.c" ? text.size() : 0;
  }
  return fmt::format(
      "{}: {} operators, {}\n"
      "  rules    {}\n"
      "{}"
      "  C text   {} bytes\n"
      "  weights  {} bytes\n"
      "  arena    {}{}\n{}",
      library.plan.name, built.nodes, calls_text(built), rules_text(built),
      fused_line(library) + lanes_line(library) + order_line(library), c_bytes, library.memory.weight_bytes(),
      arena_text(library), library.sizes.empty() ? "" : ", for any sizes", plan_lines(built));
}

std::string library_report(const BuiltLibrary& built) {
  const Library& library = built.library;
  std::string text = library_summary(built);
  for (const Library* plan : plans_of(library)) {
    text += library.sizes.empty() ? "" : "\nwith " + comment_text(choice_text(library.sizes, plan->at)) + ":";
    text += call_lines(*plan);
  }
  text += "\nkernel: what it computes\n";
  for (const PlanKernel& kernel : library.plan.kernels) {
    std::string processors =
        is_versioned(kernel, library.options) ? fmt::format(", for {} processors", fmt::join(library.options.targets, ", ")) : "";
    text += fmt::format("\n{}{}{}{}\n{}", kernel.name, kernel.tiling ? ", in tiles" : "", kernel.fused ? ", with fma" : "",
                        processors, is_reordered(kernel.tiling) ? kernel.program.formula : kernel.kernel.formula);
  }
  return text;
}

}  // namespace vouch
