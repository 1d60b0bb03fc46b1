#include <fmt/format.h>

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
  std::size_t fired = 0;
  std::string first_at;
};

AfterOptimize optimized(const Graph& model, const std::vector<Rule>& rules, std::size_t which, Gate& gate) {
  AfterOptimize out{model, 0, {}};
  OptimizeOptions options;
  options.admissions = gate.admissions();
  Trace trace;
  out.fired = optimize(out.graph, rules, options, &trace).rewriting.fired[which];
  for (const auto& step : trace.steps) {
    const auto* rewrite = std::get_if<TraceStep>(&step);
    if (out.first_at.empty() && rewrite != nullptr && rewrite->rule == rules[which].name) {
      out.first_at = rewrite->output_names.empty() ? std::string() : rewrite->output_names[0];
    }
  }
  return out;
}

std::string preface(const AfterOptimize& after, const std::string& rule, bool rewritten) {
  std::string out;
  if (after.fired != 0) {
    out += fmt::format("{} fires {} time{}, first at '{}'; ", rule, after.fired, after.fired == 1 ? "" : "s", after.first_at);
    out += rewritten ? "the model as it is read:\n" : "in what is left of the model then:\n";
  } else if (rewritten) {
    out += "optimize rewrites this node; in the model as it is read:\n";
  }
  return out;
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
  AfterOptimize after = optimized(model->graph, *rules, which, gate);
  std::optional<NodeId> node = command.node.empty() ? std::nullopt : after.graph.find_name(command.node);
  bool rewritten = !command.node.empty() && (!node || !after.graph.is_live(*node));
  Graph& graph = rewritten ? model->graph : after.graph;
  if (rewritten) {
    node = graph.find_name(command.node);
  }
  WhyNot answer = why_not(graph, *rule, gate.admission(which), node);
  if (!json_alone(command.json)) {
    fmt::print("{}{}", preface(after, rule->name, rewritten), answer.text(graph, *rule));
  }
  nlohmann::ordered_json json = json_of(answer, graph, *rule);
  json["fired"] = after.fired;
  return give_json(command.json, json, diagnostics) ? ExitCode::Ok : give_up(diagnostics);
}

}  // namespace vouch
