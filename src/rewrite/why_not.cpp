#include "rewrite/why_not.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/order.h"
#include "rule/print.h"
#include "support/diagnostic.h"

namespace vouch {
namespace {

Span place_of(const Rule& rule, const MatchFailure& failure) {
  if (failure.attribute == kNone) {
    return rule.pattern(failure.pattern).span;
  }
  for (const PatternAttr& attr : rule.pattern(failure.pattern).attributes) {
    if (attr.value == failure.attribute) {
      return Span{attr.span.begin, std::max(attr.span.end, rule.attr(attr.value).span.end)};
    }
  }
  return rule.attr(failure.attribute).span;
}

WhyNot from_failure(const Graph& graph, const RulePlan& plan, const Matcher& matcher, NodeId at) {
  const MatchFailure& failure = matcher.best_failure();
  const Rule& rule = *plan.rule;
  WhyNot why;
  why.first_output = at;
  why.first_output_name = graph.name(at);
  why.matched = failure.matched;
  why.patterns = rule.source_order.size();
  why.pattern = failure.pattern;
  why.span = failure.pattern == kNone ? rule.span : place_of(rule, failure);
  why.node = failure.node;
  why.node_name = failure.node == kNoNode ? std::string() : graph.name(failure.node);
  why.expected = failure.expected;
  why.found = failure.found;
  for (PatternId id : rule.source_order) {
    if (id < matcher.best_nodes().size() && matcher.best_nodes()[id] != kNoNode) {
      why.partial.emplace_back(id, matcher.best_nodes()[id]);
    }
  }
  return why;
}

// A match is found: would the target fit? Tried on a copy.
WhyNot from_match(const Graph& graph, const RulePlan& plan, const Match& match, Admission& admission, NodeId at) {
  WhyNot why;
  why.matches = true;
  why.first_output = at;
  why.first_output_name = graph.name(at);
  why.patterns = plan.rule->source_order.size();
  why.matched = why.patterns;
  for (PatternId id : plan.rule->source_order) {
    if (match.nodes[id] != kNoNode) {
      why.partial.emplace_back(id, match.nodes[id]);
    }
  }
  auto answer = admission.admit(graph, plan, match);
  if (auto* refused = std::get_if<NotAdmitted>(&answer)) {
    why.refused = refused->reason;
    return why;
  }
  Graph copy = graph;
  Applier applier(copy, {});
  std::string error;
  if (applier.apply(std::get<AdmittedMatch>(answer), error) == nullptr) {
    why.refused = error;
  }
  return why;
}

}  // namespace

WhyNot why_not(Graph& graph, const Rule& rule, Admission& admission, std::optional<NodeId> node) {
  RulePlan plan = plan_rule(rule);
  Matcher matcher(graph);
  matcher.explain(true);
  std::vector<NodeId> candidates = node ? std::vector{*node} : reverse_post_order(graph);
  std::optional<WhyNot> best;
  for (NodeId at : candidates) {
    if (const Match* match = matcher.match_at(plan, at)) {
      return from_match(graph, plan, *match, admission, at);
    }
    if (!best || matcher.best_failure().matched > best->matched) {
      best = from_failure(graph, plan, matcher, at);
    }
  }
  return best.value_or(WhyNot());
}

std::string WhyNot::text(const Graph& graph, const Rule& rule) const {
  if (first_output == kNoNode) {
    return fmt::format("{}: the model has no nodes to match\n", rule.name);
  }
  if (matches) {
    return refused.empty() ? fmt::format("{} matches at '{}'\n", rule.name, first_output_name)
                           : fmt::format("{} matches at '{}', but {}\n", rule.name, first_output_name, refused);
  }
  std::string out =
      fmt::format("{} does not match at '{}': {} of {} patterns matched\n", rule.name, first_output_name, matched, patterns);
  for (const auto& [id, at] : partial) {
    const Pattern& p = rule.pattern(id);
    out += fmt::format("  {} is '{}'\n", p.name.empty() ? print_pattern(rule, id) : p.name.name(), graph.name(at));
  }
  std::string message =
      fmt::format("at '{}': expected {}, found {}", node_name.empty() ? first_output_name : node_name, expected, found);
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Note;
  diagnostic.message = std::move(message);
  diagnostic.source = rule.source;
  diagnostic.span = span;
  return out + print_diagnostic(diagnostic);
}

}  // namespace vouch
