#include "driver/equiv_second.h"

#include <fmt/format.h>

#include <set>

#include "driver/check_second.h"
#include "io/file.h"
#include "support/at_signal.h"

namespace vouch {

std::string recheck_regions(EquivResult& result, const RegionVerdicts& verdicts, const std::string& solver) {
  ScratchFolder scratch;
  Diagnostics unwritten;
  std::size_t agreed = 0;
  bool ran = !scratch.path().empty();
  std::set<std::string> doubted;
  for (std::size_t k = 0; k < verdicts.queries().size(); ++k) {
    const RegionQuery& query = verdicts.queries()[k];
    std::string path = fmt::format("{}/{}.smt2", scratch.path(), k);
    auto answer =
        ran && write_file(path, query.script, unwritten, Survives::ProcessEnd) ? second_answer(solver, path) : std::nullopt;
    ran = ran && answer.has_value();
    if (answer == "unsat") {
      ++agreed;
    } else {
      doubted.insert(query.region);
    }
  }
  for (const EquivStep& step : result.steps) {
    if (doubted.contains(step.region)) {
      result.open.push_back({step.equals, step.node, step.region, solver + " does not agree", step.cuts});
    }
  }
  bool equal = result.verdict == EquivVerdict::EqualExact || result.verdict == EquivVerdict::EqualReal;
  result.verdict = equal && !doubted.empty() ? EquivVerdict::Open : result.verdict;
  return fmt::format("  {}: {} queries agreed, {} regions open{}\n", solver, agreed, doubted.size(),
                     ran ? "" : " (the solver could not be run)");
}

}  // namespace vouch
