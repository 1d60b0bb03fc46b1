#include "rewrite/scope_looks.h"

#include <algorithm>
#include <optional>

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
    looks_.push_back({id, What::Type});
    if (here.attributes) {
      looks_.push_back({id, What::Attributes});
    }
    if (here.head) {
      looks_.push_back({id, What::Head});
    }
  }
}

std::uint64_t ScopeLooks::word(const Graph& graph, NodeId node, What what) {
  if (node == kNoNode) {
    return 0;
  }
  switch (what) {
    case What::Type: return word_of(graph.type(node).id());
    case What::Attributes: return graph.kind(node) == NodeKind::Call ? word_of(graph.attributes(node).id()) : 0;
    case What::Head: return head_word(graph, node);
  }
  return 0;
}

bool ScopeLooks::same(const Graph& graph, const Match& match, const Words& words) const {
  if (words.size() != looks_.size() + match.axis_numbers.size() ||
      !std::equal(match.axis_numbers.begin(), match.axis_numbers.end(),
                  words.begin() + static_cast<std::ptrdiff_t>(looks_.size()))) {
    return false;
  }
  for (std::size_t k = 0; k < looks_.size(); ++k) {
    if (word(graph, match.nodes[looks_[k].pattern], looks_[k].what) != words[k]) {
      return false;
    }
  }
  return true;
}

void ScopeLooks::read(const Graph& graph, const Match& match, Words& words) const {
  words.clear();
  for (const Look& look : looks_) {
    words.push_back(word(graph, match.nodes[look.pattern], look.what));
  }
  words.insert(words.end(), match.axis_numbers.begin(), match.axis_numbers.end());
}

std::uint64_t head_word(const Graph& graph, NodeId node) {
  auto kind = static_cast<std::uint64_t>(graph.kind(node)) + 1;
  switch (graph.kind(node)) {
    case NodeKind::Call: return kind | (std::uint64_t{graph.op(node)} << 8U);
    case NodeKind::Projection: return kind | (std::uint64_t{graph.projection_index(node)} << 8U);
    case NodeKind::Tuple: return kind | (std::uint64_t{graph.operands(node).size()} << 8U);
    case NodeKind::Erased:
    case NodeKind::Input:
    case NodeKind::Parameter:
    case NodeKind::Constant: break;
  }
  return kind;
}

}  // namespace vouch
