#include "rewrite/scope_looks.h"

#include <optional>

#include "rewrite/plan.h"

namespace vouch {

namespace {

// What some scope asks of the node at one position. The type always: it also says whether there is a node.
struct Asked {
  bool attributes = false;
  bool head = false;
};

// Of an input its type alone; of a call what its operator's match leaves open: attributes, if it has any. Of whatever else stands
// there, and of a call that may be another operator's, all.
Asked asked_by(const ScopeNode& node, const Pattern& pattern) {
  if (node.kind == ScopeNode::Kind::Input) {
    return {};
  }
  if (node.kind == ScopeNode::Kind::Call && pattern.kind == PatternKind::Call && pattern.op == node.op) {
    return {!op_def(node.op).attributes.empty() || !node.attributes.empty(), false};
  }
  return {true, true};
}

bool is_flat(const ScopeNode& node) {
  return !node.elements && !node.fill && node.every.empty() && !node.list_element && node.branch == ScopeNode::kNoBranch &&
         node.kind != ScopeNode::Kind::Choice && node.kind != ScopeNode::Kind::Instances;
}

}  // namespace

ScopeLooks::ScopeLooks(const std::vector<Scope>& scopes, const RulePlan& plan) {
  const Rule& rule = *plan.rule;
  std::vector<std::optional<Asked>> asked(rule.source_order.size());
  for (const Scope& scope : scopes) {
    for (const ScopeNode& node : scope.nodes) {
      flat_ = flat_ && is_flat(node) && node.position < asked.size();
      if (flat_) {
        Asked more = asked_by(node, rule.pattern(rule.source_order[node.position]));
        Asked before = asked[node.position].value_or(more);
        asked[node.position] = Asked{before.attributes || more.attributes, before.head || more.head};
      }
    }
  }
  for (std::uint32_t position = 0; flat_ && position < asked.size(); ++position) {
    PatternId id = rule.source_order[position];
    flat_ = plan.owner[id] == kNone && rule.pattern(id).kind != PatternKind::Variadic;
    Asked here = asked[position].value_or(Asked{true, true});
    looks_.add(id, Looks::What::Type);
    if (here.attributes) {
      looks_.add(id, Looks::What::Attributes);
    }
    if (here.head) {
      looks_.add(id, Looks::What::Head);
    }
  }
}

}  // namespace vouch
