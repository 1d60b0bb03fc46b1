#include <fmt/format.h>

#include "driver/commands.h"
#include "driver/model.h"
#include "rewrite/why_not.h"

namespace vouch {
namespace {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
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
