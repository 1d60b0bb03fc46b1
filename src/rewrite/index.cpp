#include "rewrite/index.h"

#include <algorithm>
#include <array>

namespace vouch {
namespace {

bool is_commutative(const Pattern& p) {
  return p.kind == PatternKind::Call && p.op && p.operands.size() == 2 && op_def(*p.op).traits.commutative;
}

bool has_fixed_operands(const Pattern& p) {
  return p.kind == PatternKind::Call || p.kind == PatternKind::Tuple || p.kind == PatternKind::Projection;
}

}  // namespace

RuleIndex::RuleIndex(const std::vector<Rule>& rules) : states_(1), edges_(64), roots_(kFirstOperator + op_count(), kNone) {
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (Demands& demands : demands_of(rules[r], rules[r].source_outputs[0])) {
      add(demands, static_cast<std::uint32_t>(r));
    }
  }
  for (std::uint32_t kind = 0; kind < roots_.size(); ++kind) {
    roots_[kind] = follow(edge(0, 0, kind));
  }
}

// What a pattern asks of the kind of its node, or 0.
RuleIndex::Kind RuleIndex::kind_wanted(const Pattern& pattern) {
  switch (pattern.kind) {
    case PatternKind::Call: return pattern.op ? kFirstOperator + *pattern.op : 0;
    case PatternKind::Const: return kValue;
    case PatternKind::Tuple:
    case PatternKind::Variadic: return 1 + static_cast<Kind>(NodeKind::Tuple);
    case PatternKind::Projection: return 1 + static_cast<Kind>(NodeKind::Projection);
    case PatternKind::Wildcard:
    case PatternKind::Variable:
    case PatternKind::Instance:
    case PatternKind::Alternative:
    case PatternKind::Conditional: break;
  }
  return 0;
}

// All that a root may be asked for: one set of demands, or one for each option and each order of commutative operands.
std::vector<RuleIndex::Demands> RuleIndex::demands_of(const Rule& rule, PatternId root) {
  const Pattern* p = &rule.pattern(root);
  if (p->kind == PatternKind::Variadic) {  // an output: its first branch
    p = &rule.pattern(p->first.empty() ? p->operands[0] : p->first[0]);
  }
  if (p->kind != PatternKind::Alternative && p->kind != PatternKind::Conditional) {
    return demands_below(rule, *p);
  }
  constexpr std::size_t kMostOptions = 16;
  std::vector<Demands> all;
  for (PatternId option : p->operands) {
    PatternKind kind = rule.pattern(option).kind;
    if (p->operands.size() > kMostOptions || kind == PatternKind::Alternative || kind == PatternKind::Conditional) {
      return {Demands()};
    }
    std::vector<Demands> more = demands_below(rule, rule.pattern(option));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<RuleIndex::Demands> RuleIndex::demands_below(const Rule& rule, const Pattern& root) {
  Demands base;
  if (Kind kind = kind_wanted(root)) {
    base.push_back({0, kind});
  }
  if (!has_fixed_operands(root)) {
    return {base};
  }
  bool may_swap = is_commutative(root) || (root.kind == PatternKind::Call && !root.op && root.operands.size() == 2);
  std::vector<Demands> all;
  for (bool swapped : {false, true}) {
    // Bits: the operands of the first two operands swapped.
    for (std::uint32_t flips = 0; flips < 4 && (!swapped || may_swap); ++flips) {
      Demands demands = base;
      add_operands(rule, root, 1, demands, swapped);
      bool possible = true;
      for (std::uint32_t i = 0; i < kWidth; ++i) {
        bool flip = i < 2 && ((flips >> i) & 1) != 0;
        if (i >= root.operands.size()) {
          possible = possible && !flip;
          continue;
        }
        PatternId operand = root.operands[swapped ? 1 - i : i];
        if (operand == kNone) {
          possible = possible && !flip;
          continue;
        }
        const Pattern& part = rule.pattern(operand);
        possible = possible && (!flip || is_commutative(part));
        bool open = part.kind == PatternKind::Call && !part.op;
        if (possible && has_fixed_operands(part) && !open) {
          add_operands(rule, part, 1 + kWidth + kWidth * i, demands, flip);
        }
      }
      if (possible) {
        std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) { return a.position < b.position; });
        all.push_back(std::move(demands));
      }
    }
  }
  return all;
}

void RuleIndex::add_operands(const Rule& rule, const Pattern& p, std::uint32_t first_position, Demands& demands, bool swapped) {
  for (std::uint32_t i = 0; i < std::min<std::size_t>(p.operands.size(), kWidth); ++i) {
    PatternId operand = p.operands[swapped && i < 2 ? 1 - i : i];
    if (operand == kNone) {
      continue;
    }
    if (Kind kind = kind_wanted(rule.pattern(operand))) {
      demands.push_back({first_position + i, kind});
    }
  }
}

void RuleIndex::add(const Demands& demands, std::uint32_t rule) {
  std::uint32_t state = 0;
  for (const Demand& demand : demands) {
    state = next_state(state, demand);
  }
  std::vector<std::uint32_t>& rules = states_[state].rules;
  if (rules.empty() || rules.back() != rule) {
    rules.push_back(rule);
  }
}

std::uint32_t RuleIndex::next_state(std::uint32_t state, const Demand& demand) {
  std::uint64_t key = edge(state, demand.position, demand.kind);
  std::uint32_t found = follow(key);
  if (found != kNone) {
    return found;
  }
  auto fresh = static_cast<std::uint32_t>(states_.size());
  states_[state].positions |= 1U << demand.position;
  states_.emplace_back();
  if (++edge_count_ * 4 > edges_.size()) {
    std::vector<Edge> old(edges_.size() * 4);
    old.swap(edges_);
    for (const Edge& kept : old) {
      if (kept.key != kNoEdge) {
        insert(kept);
      }
    }
  }
  insert({key, fresh});
  return fresh;
}

void RuleIndex::insert(Edge added) {
  std::size_t at = slot_of(added.key);
  while (edges_[at].key != kNoEdge) {
    at = (at + 1) & (edges_.size() - 1);
  }
  edges_[at] = added;
}

RuleIndex::Kind RuleIndex::kind_at(const Graph& graph, std::span<const NodeId> operands, std::uint32_t position) {
  if (position <= kWidth) {
    return position <= operands.size() ? kind_of(graph, operands[position - 1]) : 0;
  }
  const std::uint32_t i = (position - 1 - kWidth) / kWidth;
  const std::uint32_t j = (position - 1 - kWidth) % kWidth;
  if (i >= operands.size() || operands[i] == kNoNode) {
    return 0;
  }
  std::span<const NodeId> inner = graph.operands(operands[i]);
  return j < inner.size() ? kind_of(graph, inner[j]) : 0;
}

void RuleIndex::find(const Graph& graph, NodeId node, std::vector<std::uint32_t>& rules, Scratch& scratch) const {
  rules.clear();
  std::array<Kind, kPositions> kinds;
  std::uint32_t seen = 0;  // bit set: the kind at that position is known
  const std::span<const NodeId> operands = graph.operands(node);
  std::vector<std::uint32_t>& pending = scratch.pending;
  pending.clear();
  auto visit = [&](std::uint32_t state) {
    if (!states_[state].rules.empty()) {
      rules.insert(rules.end(), states_[state].rules.begin(), states_[state].rules.end());
    }
    if (states_[state].positions > 1) {  // position 0 is done
      pending.push_back(state);
    }
  };
  if (std::uint32_t root = roots_[kind_of(graph, node)]; root != kNone) {
    visit(root);
  }
  visit(0);
  while (!pending.empty()) {
    const std::uint32_t state = pending.back();
    pending.pop_back();
    for (std::uint32_t left = states_[state].positions & ~1U; left != 0; left &= left - 1) {
      auto position = static_cast<std::uint32_t>(__builtin_ctz(left));
      if (((seen >> position) & 1) == 0) {
        kinds[position] = kind_at(graph, operands, position);
        seen |= 1U << position;
      }
      if (std::uint32_t next = follow(edge(state, position, kinds[position])); next != kNone) {
        visit(next);
      }
    }
  }
  if (rules.size() > 1) {
    std::sort(rules.begin(), rules.end());
    rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  }
}

}  // namespace vouch
