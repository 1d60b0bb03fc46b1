#include <fmt/format.h>

#include <algorithm>

#include "driver/commands.h"
#include "driver/model.h"
#include "graph/order.h"
#include "rewrite/match.h"
#include "rule/print.h"

namespace vouch {
namespace {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
}

void print_failure(const Rule& rule, const Graph& graph, NodeId root, const Matcher::Failure& failure) {
  fmt::print("{} does not match at '{}': {} of {} patterns matched\n", rule.name, graph.name(root), failure.matched,
             rule.source_order.size());
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Note;
  diagnostic.message = fmt::format("{} (at node '{}')", failure.reason,
                                   failure.node == kNoNode ? "none" : graph.name(failure.node));
  diagnostic.source = rule.source;
  diagnostic.span = failure.attribute != kNone ? rule.attr(failure.attribute).span : rule.pattern(failure.pattern).span;
  fmt::print("{}", print_diagnostic(diagnostic));
}

}  // namespace

ExitCode why_not(const WhyNotCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto rules = load_rules(command.rules, diagnostics);
  if (!model || !rules) {
    return give_up(diagnostics);
  }
  auto rule = std::find_if(rules->begin(), rules->end(), [&](const Rule& r) { return r.name == command.rule; });
  if (rule == rules->end()) {
    std::vector<std::string> names;
    std::transform(rules->begin(), rules->end(), std::back_inserter(names), [](const Rule& r) { return r.name; });
    auto near = suggest(command.rule, names);
    diagnostics.error_at(command.rule, "there is no rule of this name", near ? fmt::format("did you mean '{}'?", *near) : "");
    return give_up(diagnostics);
  }
  const Graph& graph = model->graph;
  std::vector<NodeId> roots = reverse_post_order(graph);
  if (!command.node.empty()) {
    auto node = graph.find_name(command.node);
    if (!node) {
      diagnostics.error_at(command.node, "the model has no node of this name");
      return give_up(diagnostics);
    }
    roots = {*node};
  }
  Matcher matcher(graph, *rule);
  matcher.explain(true);
  Matcher::Failure best;
  NodeId best_root = kNoNode;
  for (NodeId root : roots) {
    if (matcher.match_at(root)) {
      fmt::print("{} matches at '{}'\n", rule->name, graph.name(root));
      return ExitCode::Ok;
    }
    if (best_root == kNoNode || matcher.best_failure().matched > best.matched) {
      best = matcher.best_failure();
      best_root = root;
    }
  }
  print_failure(*rule, graph, best_root, best);
  return ExitCode::Ok;
}

}  // namespace vouch
