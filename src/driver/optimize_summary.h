// What a run of `vouch optimize` did, and its three forms: for a person, as JSON, as an HTML page.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/pipeline.h"

namespace vouch {

struct OutputDifference {
  std::string name;
  double relative = 0;  // largest difference over max|y|
  bool within = false;
};

struct OptimizeSummary {
  std::string model;
  std::string written;  // empty: nothing was written
  double seconds = 0;   // of proving and rewriting
  double proving_seconds = 0;
  OptimizeResult result;
  const std::vector<Rule>* rules = nullptr;
  std::vector<std::string> left_out;                          // rules that were not used, with the reason
  std::vector<std::pair<std::string, std::string>> verdicts;  // of rules that fired: name, verdict
  std::map<std::string, std::size_t> before;                  // calls by operator
  std::map<std::string, std::size_t> after;
  std::vector<OutputDifference> differences;  // empty: outputs were not compared
};

std::map<std::string, std::size_t> calls_by_operator(const Graph& graph);
std::size_t call_count(const std::map<std::string, std::size_t>& calls);

std::string summary_text(const OptimizeSummary& summary);
// {"model", "written", "seconds", "proving_seconds", "rewrites", "rounds", "sweeps", "folded", "merged", "rules":
//  [{"name", "matched", "fired", "refused", "verdict"}],
//  "refusals": [{"rule", "node", "reason", "count"}], "left_out": [...], "calls": {"before", "after", "by_operator"},
//  "outputs": [{"name", "difference", "ok"}]}
nlohmann::ordered_json summary_json(const OptimizeSummary& summary);
// One page without references to other files. The trace may be empty.
struct ReportPicture {
  std::string title;
  std::string svg;      // empty: there is none
  std::string why_not;  // then
};
std::string summary_html(const OptimizeSummary& summary, const Trace& trace, const std::vector<ReportPicture>& pictures);

}  // namespace vouch
