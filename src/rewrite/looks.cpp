#include "rewrite/looks.h"

#include <algorithm>

#include "rewrite/match.h"

namespace vouch {

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

namespace {

std::uint64_t first_type_word(const Graph& graph, NodeId node) {
  std::span<const NodeId> operands = graph.operands(node);
  return operands.empty() || operands[0] == kNoNode ? 0 : word_of(graph.type(operands[0]).id());
}

}  // namespace

inline std::uint64_t Looks::word(const Graph& graph, NodeId node, What what) {
  if (node == kNoNode) {
    return 0;
  }
  switch (what) {
    case What::Type: return word_of(graph.type(node).id());
    case What::Attributes: return graph.kind(node) == NodeKind::Call ? word_of(graph.attributes(node).id()) : 0;
    case What::Head: return head_word(graph, node);
    case What::FirstOperandType: return first_type_word(graph, node);
  }
  return 0;
}

bool Looks::same(const Graph& graph, const Match& match, const Words& words) const {
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

void Looks::read(const Graph& graph, const Match& match, Words& words) const {
  words.clear();
  for (const Look& look : looks_) {
    words.push_back(word(graph, match.nodes[look.pattern], look.what));
  }
  words.insert(words.end(), match.axis_numbers.begin(), match.axis_numbers.end());
}

namespace {

// Whether the expression itself asks nothing but what words tell of a node; its parts are asked about by themselves.
bool is_told_by_words(const Rule& rule, const RulePlan& plan, const AttrExpr& expr) {
  static const Symbol kValue("value");
  switch (expr.kind) {
    case AttrKind::Value:
    case AttrKind::Absent:
    case AttrKind::Symbol:
    case AttrKind::Unary:
    case AttrKind::Binary:
    case AttrKind::Tuple:
    case AttrKind::Project:
    case AttrKind::VarTuple:
    case AttrKind::Reduce:
    case AttrKind::Conditional: return true;
    case AttrKind::Access: {
      PatternKind kind = rule.pattern(expr.pattern).kind;
      return expr.name != kValue && plan.owner[expr.pattern] == kNone && kind != PatternKind::Variadic &&
             kind != PatternKind::Instance;
    }
    case AttrKind::Any:
    case AttrKind::Each:
    case AttrKind::Axes: break;
  }
  return false;
}

}  // namespace

std::optional<Looks> looks_of(const Rule& rule, const RulePlan& plan, const std::vector<AttrId>& conditions) {
  std::vector<bool> seen(rule.attrs.size());
  std::vector<bool> looked_at(rule.patterns.size());
  std::vector<AttrId> pending = conditions;
  Looks looks;
  while (!pending.empty()) {
    AttrId id = pending.back();
    pending.pop_back();
    if (seen[id]) {
      continue;
    }
    seen[id] = true;
    const AttrExpr& expr = rule.attr(id);
    if (!is_told_by_words(rule, plan, expr)) {
      return std::nullopt;
    }
    if (expr.kind == AttrKind::Access && !looked_at[expr.pattern]) {
      looked_at[expr.pattern] = true;
      for (auto what : {Looks::What::Type, Looks::What::Attributes, Looks::What::Head, Looks::What::FirstOperandType}) {
        looks.add(expr.pattern, what);
      }
    }
    pending.insert(pending.end(), expr.args.begin(), expr.args.end());
  }
  return looks;
}

}  // namespace vouch
