#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/shipped.h"
#include "optimize/gate.h"
#include "rewrite/pipeline.h"
#include "rewrite/why_not.h"
#include "rule/print.h"

namespace vouch {
namespace {

nlohmann::ordered_json json_of(const WhyNot& answer, const Graph& graph, const Rule& rule) {
  nlohmann::ordered_json out{
      {"vouch_why_not", 1}, {"rule", rule.name}, {"matches", answer.matches}, {"node", answer.first_output_name}};
  if (!answer.missing.empty()) {
    out["missing"] = answer.missing;
    out["left_alone"] = answer.left_alone;
    return out;
  }
  if (answer.matches) {
    out["refused"] = answer.refused;
    out["not_tried"] = answer.not_tried;
    return out;
  }
  out["patterns"] = {{"matched", answer.matched}, {"all", answer.patterns}};
  nlohmann::ordered_json& partial = out["partial"] = nlohmann::ordered_json::array();
  for (const auto& [id, node] : answer.partial) {
    partial.push_back({{"pattern", print_pattern(rule, id)}, {"node", graph.name(node)}});
  }
  nlohmann::ordered_json& failure =
      out["failure"] = {{"node", answer.node_name}, {"expected", answer.expected}, {"found", answer.found}};
  if (rule.source && answer.first_output != kNoNode) {
    auto [line, column] = rule.source->locate(answer.span.begin);
    failure["file"] = rule.source->name();
    failure["line"] = line;
    failure["column"] = column;
  }
  return out;
}

// What `optimize` does with these rules, so that both speak of one graph: the rule's own steps among it.
struct AfterOptimize {
  Graph graph;
  OptimizeResult result;
  Trace trace;
};

AfterOptimize optimized(const Graph& model, const std::vector<Rule>& rules, Gate& gate) {
  AfterOptimize out{model, {}, {}};
  OptimizeOptions options;
  options.admissions = gate.admissions();
  out.result = optimize(out.graph, rules, options, &out.trace);
  return out;
}

// The first rewrite of the trace that this holds for.
template <typename Holds>
const TraceStep* first_rewrite(const Trace& trace, Holds holds) {
  for (const auto& step : trace.steps) {
    const auto* rewrite = std::get_if<TraceStep>(&step);
    if (rewrite != nullptr && holds(*rewrite)) {
      return rewrite;
    }
  }
  return nullptr;
}

// The rewrite that took the place of this node.
const TraceStep* rewrite_of(const Trace& trace, const std::string& node) {
  return first_rewrite(trace, [&](const TraceStep& step) {
    return step.body.empty() && std::find(step.output_names.begin(), step.output_names.end(), node) != step.output_names.end();
  });
}

std::string preface(const AfterOptimize& after, const Rule& rule, std::size_t fired, bool rewritten) {
  std::string out;
  if (fired != 0) {
    const TraceStep* first = first_rewrite(after.trace, [&](const TraceStep& step) { return step.rule == rule.name; });
    out += fmt::format("{} fires {} time{}, first at '{}'; ", rule.name, fired, fired == 1 ? "" : "s",
                       first == nullptr || first->output_names.empty() ? std::string() : first->output_names[0]);
    out += rewritten ? "the model as it is read:\n" : "in what is left of the model then:\n";
  } else if (rewritten) {
    out += "optimize rewrites this node; in the model as it is read:\n";
  }
  return out;
}

// A rule matches where `optimize` has not fired it, though nothing refuses it there.
std::string why_not_tried(const AfterOptimize& after, const Rule& rule) {
  const OptimizeResult& result = after.result;
  if (!result.rewriting.cycle.empty()) {
    return "the run ended before that: " + result.rewriting.cycle;
  }
  if (rule.phase == Phase::Enter) {
    return result.not_kept.empty() ? "rules of phase enter are not tried again behind those of phase leave" : result.not_kept;
  }
  if (result.left) {
    return "only rules of phase leave are tried on what these make";
  }
  return fmt::format("the run ended after {} rounds", result.rounds);
}

std::string why_not_tried_on_what_is_read(const AfterOptimize& after, const Rule& rule, const std::string& node) {
  const TraceStep* taken = rewrite_of(after.trace, node);
  if (taken == nullptr) {
    return "a pass or a rewrite around it takes it away before";
  }
  return taken->rule == rule.name ? std::string() : fmt::format("{} fires there", taken->rule);
}

}  // namespace

ExitCode why_not(const WhyNotCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto rules = load_named_or_shipped(command.rules, diagnostics);
  const Rule* rule = model && rules ? find_rule(*rules, command.rule, diagnostics) : nullptr;
  if (rule == nullptr) {
    return give_up(diagnostics);
  }
  if (!command.node.empty() && !model->graph.find_name(command.node)) {
    diagnostics.error_at(command.node, "the model has no node of this name");
    return give_up(diagnostics);
  }
  Gate gate(*rules, false);
  auto which = static_cast<std::size_t>(rule - rules->data());
  AfterOptimize after = optimized(model->graph, *rules, gate);
  std::size_t fired = after.result.rewriting.fired[which];
  std::optional<NodeId> node = command.node.empty() ? std::nullopt : after.graph.find_name(command.node);
  bool rewritten = !command.node.empty() && (!node || !after.graph.is_live(*node));
  Graph& graph = rewritten ? model->graph : after.graph;
  if (rewritten) {
    node = graph.find_name(command.node);
  }
  WhyNot answer = why_not(graph, *rule, gate.admission(which), node);
  if (answer.matches && answer.refused.empty()) {
    answer.not_tried = rewritten ? why_not_tried_on_what_is_read(after, *rule, command.node) : why_not_tried(after, *rule);
  }
  if (!json_alone(command.json)) {
    fmt::print("{}{}", preface(after, *rule, fired, rewritten), answer.text(graph, *rule));
  }
  nlohmann::ordered_json json = json_of(answer, graph, *rule);
  json["fired"] = fired;
  return give_json(command.json, json, diagnostics) ? ExitCode::Ok : give_up(diagnostics);
}

}  // namespace vouch
