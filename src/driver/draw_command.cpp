#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/picture.h"
#include "driver/picture_page.h"
#include "driver/picture_rule.h"
#include "driver/shipped.h"
#include "graph/order.h"
#include "io/file.h"
#include "rewrite/match.h"
#include "rule/print.h"

namespace vouch {

namespace {

ExitCode write_picture(const std::string& dot, const DrawCommand& command, const std::string& what, nlohmann::ordered_json facts,
                       Diagnostics& diagnostics) {
  auto picture = picture_bytes(dot, command.subject, command.out, diagnostics);
  FilesTogether files;
  facts["written"] = command.out;
  if (!picture || !write_file(command.out, *picture, diagnostics) || !give_json(command.json, facts, diagnostics) ||
      !files.commit(diagnostics)) {
    return give_up(diagnostics);
  }
  if (!json_alone(command.json) && command.out != "-") {
    fmt::print("{}: {}\n", command.out, what);
  }
  return ExitCode::Ok;
}

ExitCode draw_rule(const DrawCommand& command, Diagnostics& diagnostics) {
  bool is_file = command.subject.ends_with(".gsl") || command.subject == "-";
  auto rules = is_file ? load_rules({command.subject}, diagnostics) : load_named_or_shipped(command.rules, diagnostics);
  if (!rules) {
    return give_up(diagnostics);
  }
  std::string name = is_file ? command.rule : command.subject;
  if (name.empty() && rules->size() == 1) {
    name = rules->front().name;
  }
  if (name.empty()) {
    diagnostics.error_at(command.subject, fmt::format("the file holds {} rules, one is drawn", rules->size()),
                         "name it by --rule");
    return give_up(diagnostics);
  }
  const Rule* rule = find_rule(*rules, name, diagnostics);
  return rule == nullptr ? give_up(diagnostics)
                         : write_picture(picture_of_rule(*rule), command, fmt::format("rule {} drawn", name),
                                         {{"vouch_draw", 1}, {"rule", name}}, diagnostics);
}

// The sites where the rule matches: each vertex belongs to the first match that has it inside. Returns how many.
std::size_t colour_matches(const Graph& graph, const Rule& rule, PictureStyle& style) {
  RulePlan plan = plan_rule(rule);
  Matcher matcher(graph);
  matcher.begin_sweep();
  std::unordered_set<NodeId> inside;
  std::size_t sites = 0;
  for (NodeId node : reverse_post_order(graph)) {
    const Match* match = inside.contains(node) ? nullptr : matcher.match_at(plan, node);
    if (match == nullptr ||
        std::any_of(match->inside.begin(), match->inside.end(), [&](NodeId n) { return inside.contains(n); })) {
      continue;
    }
    ++sites;
    for (PatternId id : rule.source_order) {
      NodeId input = plan.is_input(id) ? match->find(plan, id) : kNoNode;
      if (input != kNoNode && !inside.contains(input)) {
        style.fill.try_emplace(input, "#cfe2f3");
      }
    }
    for (NodeId n : match->inside) {
      inside.insert(n);
      style.fill[n] = "#ffe08a";
    }
    for (NodeId n : match->outputs) {
      style.fill[n] = "#ffb07a";
    }
  }
  return sites;
}

// Why `--scope` changes nothing, where it does not.
std::string without_scopes(const Graph& graph, std::size_t depth) {
  std::vector<NodeId> all = reverse_post_order(graph);
  bool any = std::any_of(all.begin(), all.end(), [&](NodeId node) {
    return graph.kind(node) != NodeKind::Input && !scope_of(graph.name(node), depth).empty();
  });
  return depth == 0 || any ? "" : fmt::format("; no name has more than {} '/'-separated parts, so nothing is in one box", depth);
}

ExitCode draw_model(const DrawCommand& command, Diagnostics& diagnostics) {
  auto model = load_model(command.subject, diagnostics);
  auto rules = command.match.empty() ? std::vector<Rule>() : load_named_or_shipped(command.rules, diagnostics);
  if (!model || !rules) {
    return give_up(diagnostics);
  }
  PictureStyle style;
  style.scope_depth = command.scope;
  std::string what = fmt::format("{} nodes drawn", model->graph.live_count());
  nlohmann::ordered_json facts{{"vouch_draw", 1}, {"model", command.subject}, {"nodes", model->graph.live_count()}};
  if (!command.match.empty()) {
    const Rule* rule = find_rule(*rules, command.match, diagnostics);
    if (rule == nullptr) {
      return give_up(diagnostics);
    }
    std::size_t sites = colour_matches(model->graph, *rule, style);
    facts["rule"] = rule->name;
    facts["sites"] = sites;
    what += fmt::format(", {} matches {} time{}", rule->name, sites, sites == 1 ? "" : "s");
    if (sites == 0) {
      what += fmt::format("; `vouch why-not {} {}` says why", rule->name, command.subject);
    }
  }
  what += without_scopes(model->graph, command.scope);
  return write_picture(picture_of_graph(model->graph, style), command, what, std::move(facts), diagnostics);
}

// Of a rule, not of a file.
bool is_name(const std::string& subject) { return subject.find_first_of("./") == std::string::npos; }

}  // namespace

ExitCode draw(const DrawCommand& command) {
  Diagnostics diagnostics;
  bool is_input = command.subject == "-" && command.rule.empty();
  bool is_model = is_input || command.subject.ends_with(".onnx") || command.subject.ends_with(".json");
  bool is_rule = command.subject.ends_with(".gsl") || (!is_model && (!command.rules.empty() || is_name(command.subject)));
  return is_rule ? draw_rule(command, diagnostics) : draw_model(command, diagnostics);
}

}  // namespace vouch
