#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "optimize/gate.h"
#include "rewrite/why_not.h"
#include "rule/print.h"

namespace vouch {
namespace {

nlohmann::ordered_json json_of(const WhyNot& answer, const Graph& graph, const Rule& rule) {
  nlohmann::ordered_json out{{"rule", rule.name}, {"matches", answer.matches}, {"node", answer.first_output_name}};
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

}  // namespace

ExitCode why_not(const WhyNotCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto rules = load_rules(command.rules, diagnostics);
  const Rule* rule = model && rules ? find_rule(*rules, command.rule, diagnostics) : nullptr;
  if (rule == nullptr) {
    return give_up(diagnostics);
  }
  std::optional<NodeId> node;
  if (!command.node.empty()) {
    node = model->graph.find_name(command.node);
    if (!node) {
      diagnostics.error_at(command.node, "the model has no node of this name");
      return give_up(diagnostics);
    }
  }
  Gate gate(*rules, false);
  WhyNot answer = why_not(model->graph, *rule, gate.admission(static_cast<std::size_t>(rule - rules->data())), node);
  if (!json_alone(command.json)) {
    fmt::print("{}", answer.text(model->graph, *rule));
  }
  return give_json(command.json, json_of(answer, model->graph, *rule), diagnostics) ? ExitCode::Ok : give_up(diagnostics);
}

}  // namespace vouch
