#include "driver/optimize_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graph/foreign.h"
#include "graph/order.h"
#include "support/how_many.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, std::pair<std::size_t, std::size_t>> joined(const OptimizeSummary& summary) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;
  for (const auto& [name, count] : summary.before) {
    rows[name].first = count;
  }
  for (const auto& [name, count] : summary.after) {
    rows[name].second = count;
  }
  return rows;
}

std::string verdict_of(const OptimizeSummary& summary, const std::string& rule) {
  for (const auto& [name, verdict] : summary.verdicts) {
    if (name == rule) {
      return verdict;
    }
  }
  return "";
}

// Places where a rule matched and did not fire.
std::size_t refused(const OptimizeSummary& summary, std::size_t rule) {
  std::size_t count = 0;
  for (const Refusal& refusal : summary.result.rewriting.refusals) {
    count += refusal.rule == rule ? refusal.count : 0;
  }
  return count;
}

}  // namespace

std::map<std::string, std::size_t> calls_by_operator(const Graph& graph) {
  std::map<std::string, std::size_t> calls;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) != NodeKind::Call) {
      continue;
    }
    ++calls[operator_text(graph, node)];
    for (const auto& [name, value] : graph.attributes(node).entries()) {
      if (value.graph() != nullptr) {
        for (const auto& [inner, count] : calls_by_operator(*value.graph())) {
          calls[inner] += count;
        }
      }
    }
  }
  return calls;
}

std::size_t call_count(const std::map<std::string, std::size_t>& calls) {
  std::size_t all = 0;
  for (const auto& [name, count] : calls) {
    all += count;
  }
  return all;
}

std::string summary_text(const OptimizeSummary& summary) {
  const OptimizeResult& result = summary.result;
  std::string out = fmt::format("{}: {}, {} folded into parameters, {} merged, {:.2f} s, {:.2f} s of them proving\n",
                                summary.model, how_many(result.rewriting.steps, "rewrite"), how_many(result.folded, "call"),
                                result.merged, summary.seconds, summary.proving_seconds);
  std::string rows;
  for (std::size_t r = 0; r < summary.rules->size(); ++r) {
    const std::string& name = (*summary.rules)[r].name;
    std::size_t fired = result.rewriting.fired[r];
    std::size_t not_fired = refused(summary, r);
    if (fired + not_fired != 0) {
      std::string verdict = verdict_of(summary, name);
      rows += fmt::format("  {:<34}{:>8}{:>7}{:>9}{}{}\n", name, fired + not_fired, fired, not_fired, verdict.empty() ? "" : "  ",
                          verdict);
    }
  }
  out += rows.empty() ? "\n  no rule matches\n"
                      : fmt::format("\n  {:<34}{:>8}{:>7}{:>9}  {}\n", "rule", "matched", "fired", "refused", "verdict") + rows;
  for (const Refusal& refusal : result.rewriting.refusals) {
    out += fmt::format("  {} did not fire {} time{}, first at '{}': {}\n", (*summary.rules)[refusal.rule].name, refusal.count,
                       refusal.count == 1 ? "" : "s", refusal.node, refusal.reason);
  }
  if (!result.not_kept.empty()) {
    out += fmt::format("  not kept: {}\n", result.not_kept);
  }
  for (const std::string& left_out : summary.left_out) {
    out += fmt::format("  not used: {}\n", left_out);
  }
  out += fmt::format("\n  {:<34}{:>6}  {:>6}\n", "operator", "before", "after");
  for (const auto& [name, row] : joined(summary)) {
    if (row.first != row.second) {
      out += fmt::format("  {:<34}{:>6}  {:>6}\n", name, row.first, row.second);
    }
  }
  out += fmt::format("  {:<34}{:>6}  {:>6}\n", "all calls", call_count(summary.before), call_count(summary.after));
  if (!summary.differences.empty()) {
    out += "\n";
  }
  for (const OutputDifference& difference : summary.differences) {
    out += fmt::format("  output {:<26} largest difference {:.2e} of max|y|  {}\n", difference.name, difference.relative,
                       difference.within ? "ok" : "DIFFERS");
  }
  if (!summary.written.empty()) {
    out += fmt::format("\n  written: {}\n", summary.written);
  }
  return out;
}

Json summary_json(const OptimizeSummary& summary) {
  const OptimizeResult& result = summary.result;
  Json out{{"vouch_optimize", 1},
           {"model", summary.model},
           {"written", summary.written},
           {"seconds", summary.seconds},
           {"proving_seconds", summary.proving_seconds},
           {"rewrites", result.rewriting.steps},
           {"rounds", result.rounds},
           {"sweeps", result.rewriting.sweeps},
           {"folded", result.folded},
           {"merged", result.merged}};
  Json& rules = out["rules"] = Json::array();
  for (std::size_t r = 0; r < summary.rules->size(); ++r) {
    const std::string& name = (*summary.rules)[r].name;
    std::size_t fired = result.rewriting.fired[r];
    rules.push_back({{"name", name},
                     {"matched", fired + refused(summary, r)},
                     {"fired", fired},
                     {"refused", refused(summary, r)},
                     {"verdict", verdict_of(summary, name)}});
  }
  Json& refusals = out["refusals"] = Json::array();
  for (const Refusal& refusal : result.rewriting.refusals) {
    refusals.push_back({{"rule", (*summary.rules)[refusal.rule].name},
                        {"node", refusal.node},
                        {"reason", refusal.reason},
                        {"count", refusal.count}});
  }
  out["left_out"] = summary.left_out;
  Json operators = Json::object();
  for (const auto& [name, row] : joined(summary)) {
    operators[name] = {row.first, row.second};
  }
  out["calls"] = {{"before", call_count(summary.before)}, {"after", call_count(summary.after)}, {"by_operator", operators}};
  Json& outputs = out["outputs"] = Json::array();
  for (const OutputDifference& difference : summary.differences) {
    outputs.push_back({{"name", difference.name}, {"difference", difference.relative}, {"ok", difference.within}});
  }
  return out;
}

}  // namespace vouch
