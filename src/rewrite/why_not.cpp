#include "rewrite/why_not.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/foreign.h"
#include "graph/order.h"
#include "rule/print.h"
#include "support/diagnostic.h"
#include "support/how_many.h"

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
  auto admitted = admission.admit(graph, plan, match);
  if (!admitted) {
    why.refused = admission.why_not(graph, plan, match);
    return why;
  }
  Graph copy = graph;
  Applier applier(copy, {.worth = Worth::NoMoreThanNow});
  std::string error;
  if (applier.apply(*admitted, error) == nullptr) {
    why.refused = error;
  }
  return why;
}

// Could the pattern stand for this node, as far as its kind and operator tell?
bool fits_root(const Graph& graph, const Rule& rule, PatternId id, NodeId node) {
  const Pattern& p = rule.pattern(id);
  switch (p.kind) {
    case PatternKind::Call: return graph.kind(node) == NodeKind::Call && (!p.op || *p.op == graph.op(node));
    case PatternKind::Projection:
      return graph.kind(node) == NodeKind::Projection && fits_root(graph, rule, p.operands[0], graph.operands(node)[0]);
    case PatternKind::Tuple: return graph.kind(node) == NodeKind::Tuple;
    case PatternKind::Variadic: return fits_root(graph, rule, p.operands[0], node);
    case PatternKind::Instance: return fits_root(graph, rule, p.operands[1], node);
    case PatternKind::Alternative:
    case PatternKind::Conditional:
      return std::any_of(p.operands.begin(), p.operands.end(),
                         [&](PatternId option) { return fits_root(graph, rule, option, node); });
    case PatternKind::Wildcard:
    case PatternKind::Const:
    case PatternKind::Variable: break;
  }
  return true;
}

// The operators of the patterns that every match has: options are left out.
std::vector<OpId> operators_needed(const Rule& rule) {
  std::vector<OpId> out;
  std::vector<PatternId> pending = rule.source_outputs;
  for (std::size_t at = 0; at < pending.size(); ++at) {
    const Pattern& p = rule.pattern(pending[at]);
    if (p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional) {
      continue;
    }
    if (p.kind == PatternKind::Call && p.op) {
      out.push_back(*p.op);
    }
    for (PatternId part : direct_subpatterns(rule, pending[at])) {
      if (std::find(pending.begin(), pending.end(), part) == pending.end()) {
        pending.push_back(part);
      }
    }
  }
  return out;
}

// Calls of this operator that the table has no meaning for as they stand: what they read has no type, say.
std::size_t left_alone(const Graph& graph, std::string_view op, const std::vector<NodeId>& nodes) {
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [&](NodeId node) {
    return graph.kind(node) == NodeKind::Call && graph.op(node) == foreign_op() && foreign_call(graph.attributes(node)).op == op;
  }));
}

std::string missing_operator(const Graph& graph, const Rule& rule, const std::vector<NodeId>& nodes) {
  for (OpId op : operators_needed(rule)) {
    bool is_there = std::any_of(nodes.begin(), nodes.end(),
                                [&](NodeId node) { return graph.kind(node) == NodeKind::Call && graph.op(node) == op; });
    if (!is_there) {
      return std::string(op_def(op).name);
    }
  }
  return {};
}

}  // namespace

WhyNot why_not(Graph& graph, const Rule& rule, Admission& admission, std::optional<NodeId> node) {
  RulePlan plan = plan_rule(rule);
  Matcher matcher(graph);
  matcher.explain(true);
  std::vector<NodeId> all = reverse_post_order(graph);
  WhyNot best;
  best.missing = node ? std::string() : missing_operator(graph, rule, all);
  best.left_alone = best.missing.empty() ? 0 : left_alone(graph, best.missing, all);
  for (NodeId at : node ? std::vector{*node} : all) {
    if (!best.missing.empty() || (!node && !fits_root(graph, rule, rule.source_outputs[0], at))) {
      continue;
    }
    if (const Match* match = matcher.match_at(plan, at)) {
      WhyNot found = from_match(graph, plan, *match, admission, at);
      if (found.refused.empty()) {
        return found;
      }
      best = best.matches ? best : found;
    } else if (!best.matches && (best.first_output == kNoNode || matcher.best_failure().matched > best.matched)) {
      best = from_failure(graph, plan, matcher, at);
    }
  }
  return best;
}

std::string WhyNot::text(const Graph& graph, const Rule& rule) const {
  if (left_alone > 0) {
    return fmt::format(
        "{} does not match: {} of {} in this model {} left alone, since what {} no known type, or of a form that the "
        "operator table does not have\n",
        rule.name, how_many(left_alone, "call"), missing, left_alone == 1 ? "is" : "are",
        left_alone == 1 ? "it reads is of" : "they read is of");
  }
  if (!missing.empty()) {
    return fmt::format("{} does not match: no {} in this model\n", rule.name, missing);
  }
  if (first_output == kNoNode) {
    return fmt::format("{} does not match: nothing in this model could be what it replaces\n", rule.name);
  }
  if (matches) {
    std::string but = refused.empty() && !not_tried.empty() ? "optimize does not fire it there: " + not_tried : refused;
    return fmt::format("{} matches at '{}'{}{}\n", rule.name, first_output_name, but.empty() ? "" : ", but ", but);
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
