#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "graph/eval.h"
#include "graph/order.h"
#include "io/file.h"
#include "io/onnx_export.h"
#include "rewrite/cleanup.h"
#include "rewrite/engine.h"
#include "rewrite/fold.h"

namespace vouch {
namespace {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
}

struct Counts {
  std::size_t calls = 0;
  std::map<std::string, std::size_t> by_operator;
};

Counts count_calls(const Graph& graph) {
  Counts counts;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) == NodeKind::Call) {
      ++counts.calls;
      ++counts.by_operator[std::string(op_def(graph.op(node)).name)];
    }
  }
  return counts;
}

void print_counts(const Counts& before, const Counts& after) {
  fmt::print("\n  {:<26}{:>8}{:>8}\n", "operator", "before", "after");
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;
  for (const auto& [name, count] : before.by_operator) {
    rows[name].first = count;
  }
  for (const auto& [name, count] : after.by_operator) {
    rows[name].second = count;
  }
  for (const auto& [name, row] : rows) {
    if (row.first != row.second) {
      fmt::print("  {:<26}{:>8}{:>8}\n", name, row.first, row.second);
    }
  }
  fmt::print("  {:<26}{:>8}{:>8}\n", "all calls", before.calls, after.calls);
}

void print_fired(const std::vector<Rule>& rules, const RewriteResult& result) {
  fmt::print("\n  {:<32}{:>8}\n", "rule", "fired");
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (result.fired[r] != 0) {
      fmt::print("  {:<32}{:>8}\n", rules[r].name, result.fired[r]);
    }
  }
  for (const Refusal& refusal : result.refusals) {
    fmt::print("  {} did not fire {} time(s), first at '{}': {}\n", rules[refusal.rule].name, refusal.count, refusal.node,
               refusal.reason);
  }
}

// Folding may uncover matches, and matches parameters to fold: both, until neither changes anything.
RewriteResult rewrite_and_fold(Graph& graph, const std::vector<Rule>& rules, bool fold, std::size_t& folded) {
  Progress progress("rewriting");
  RewriteOptions options;
  options.on_progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
  RewriteResult total;
  total.fired.resize(rules.size());
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    std::size_t changes = forward_projections(graph) + merge_common_subexpressions(graph);
    if (fold) {
      std::size_t now = fold_parameters(graph);
      folded += now;
      changes += now;
    }
    RewriteResult result = rewrite(graph, rules, options);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      total.fired[r] += result.fired[r];
    }
    total.steps += result.steps;
    total.cycle = result.cycle;
    total.refusals = std::move(result.refusals);
    if (result.steps + changes == 0 || !total.cycle.empty()) {
      break;
    }
  }
  remove_dead_nodes(graph);
  return total;
}

ExitCode compare_runs(const Graph& before, const Graph& after, const std::string& folder, Diagnostics& diagnostics) {
  auto given = read_tensor_folder(folder, diagnostics);
  auto inputs = given ? load_inputs(before, given->inputs, diagnostics) : std::nullopt;
  auto old_outputs = inputs ? eval_graph(before, *inputs, diagnostics) : std::nullopt;
  auto new_outputs = old_outputs ? eval_graph(after, *inputs, diagnostics) : std::nullopt;
  if (!new_outputs) {
    return give_up(diagnostics);
  }
  bool ok = true;
  fmt::print("\n");
  for (std::size_t k = 0; k < old_outputs->size(); ++k) {
    double error = compare_tensors((*new_outputs)[k], (*old_outputs)[k]).relative();
    ok = ok && error <= 1e-4;
    fmt::print("  output {:<24} largest difference {:.2e} of max|y|  {}\n", before.outputs()[k].name, error,
               error <= 1e-4 ? "ok" : "DIFFERS");
  }
  return ok ? ExitCode::Ok : ExitCode::Refuted;
}

}  // namespace

ExitCode optimize_model(const OptimizeCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto rules = load_rules(command.rules, diagnostics);
  if (!model || !rules) {
    return give_up(diagnostics);
  }
  Graph graph = model->graph;
  Counts before = count_calls(graph);
  auto start = std::chrono::steady_clock::now();
  std::size_t folded = 0;
  RewriteResult result = rewrite_and_fold(graph, *rules, command.fold, folded);
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (!result.cycle.empty()) {
    diagnostics.error_at(command.model, result.cycle, "leave one of these rules out");
    return give_up(diagnostics);
  }
  fmt::print("{}: {} rewrites, {} calls folded into parameters, {:.2f} s\n", command.model, result.steps, folded,
             spent.count());
  print_fired(*rules, result);
  print_counts(before, count_calls(graph));
  if (!command.out.empty()) {
    auto bytes = export_onnx(graph, model->name, diagnostics);
    if (!bytes || !write_file(command.out, *bytes, diagnostics)) {
      return give_up(diagnostics);
    }
    fmt::print("\n  written: {}\n", command.out);
  }
  return command.io.empty() ? ExitCode::Ok : compare_runs(model->graph, graph, command.io, diagnostics);
}

}  // namespace vouch
