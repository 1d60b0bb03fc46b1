#include <fmt/format.h>

#include <algorithm>

#include "driver/commands.h"
#include "driver/model.h"
#include "rewrite/why_not.h"

namespace vouch {
namespace {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
}

const Rule* find_rule(const std::vector<Rule>& rules, const std::string& name, Diagnostics& diagnostics) {
  auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  if (rule != rules.end()) {
    return &*rule;
  }
  std::vector<std::string> names;
  std::transform(rules.begin(), rules.end(), std::back_inserter(names), [](const Rule& r) { return r.name; });
  auto near = suggest(name, names);
  diagnostics.error_at(name, "there is no rule of this name", near ? fmt::format("did you mean '{}'?", *near) : "");
  return nullptr;
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
  WhyNot answer = why_not(model->graph, *rule, node);
  fmt::print("{}", answer.text(model->graph, *rule));
  return ExitCode::Ok;
}

}  // namespace vouch
