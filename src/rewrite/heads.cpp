#include "rewrite/heads.h"

#include <algorithm>

namespace vouch {
namespace {

Head head_of(const Rule& rule, PatternId id) {
  if (id == kNone) {
    return {};
  }
  const Pattern& p = rule.pattern(id);
  return {p.kind, p.kind == PatternKind::Call ? p.op : std::nullopt, p.operands.size()};
}

bool is_input(const Head& head) {
  return head.kind == PatternKind::Wildcard || head.kind == PatternKind::Variable || head.kind == PatternKind::Const;
}

std::vector<std::size_t> in_order(std::vector<std::size_t> rules) {
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

}  // namespace

PatternId vertex_of(const Rule& rule, PatternId id) {
  while (rule.pattern(id).kind == PatternKind::Instance) {
    id = rule.pattern(id).operands[1];
  }
  return id;
}

PatternId output_vertex(const Rule& rule, PatternId id) {
  id = vertex_of(rule, id);
  while (rule.pattern(id).kind == PatternKind::Variadic) {
    id = vertex_of(rule, rule.pattern(id).operands[0]);
  }
  return id;
}

MeetingIndex::MeetingIndex(const std::vector<Rule>& rules) {
  for (std::size_t k = 0; k < rules.size(); ++k) {
    for (PatternId output : rules[k].source_outputs) {
      Head head = head_of(rules[k], output_vertex(rules[k], output));
      switch (head.kind) {
        case PatternKind::Call: calls_.add(head.operands, k); [[fallthrough]];
        case PatternKind::Projection: by_head_.add(head, k); break;
        case PatternKind::Wildcard:
        case PatternKind::Alternative:
        case PatternKind::Conditional:
        case PatternKind::Instance:
        case PatternKind::Variadic: any_.push_back(k); break;
        case PatternKind::Variable:
        case PatternKind::Const:
        case PatternKind::Tuple: break;  // neither a call nor a projection
      }
    }
  }
}

std::vector<std::size_t> MeetingIndex::near(const Pattern& at) const {
  std::vector<std::size_t> out = any_;
  if (at.kind == PatternKind::Call && !at.op) {
    calls_.append(at.operands.size(), out);
  } else {
    by_head_.append({at.kind, at.op, at.operands.size()}, out);
    if (at.kind == PatternKind::Call) {
      by_head_.append({at.kind, std::nullopt, at.operands.size()}, out);
    }
  }
  return in_order(std::move(out));
}

UndoingIndex::UndoingIndex(const std::vector<Rule>& rules) {
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const Rule& rule = rules[k];
    if (rule.source_outputs.empty() || rule.target_outputs.empty()) {
      continue;
    }
    PatternId written = rule.target_outputs[0];
    Head matched = head_of(rule, rule.source_outputs[0]);
    rules_.add({rule.source_outputs.size(), is_input(matched) ? std::nullopt : std::optional(matched),
                written != kNone && rule.in_source[written] ? std::nullopt : std::optional(head_of(rule, written))},
               k);
  }
}

std::vector<std::size_t> UndoingIndex::near(const Rule& rule) const {
  std::vector<std::size_t> out;
  if (rule.source_outputs.empty() || rule.target_outputs.empty()) {
    return out;
  }
  std::optional<Head> matched = head_of(rule, rule.source_outputs[0]);
  std::optional<Head> written = head_of(rule, rule.target_outputs[0]);
  std::size_t outputs = rule.target_outputs.size();
  for (const std::optional<Head>& theirs : {written, std::optional<Head>()}) {
    for (const std::optional<Head>& back : {matched, std::optional<Head>()}) {
      rules_.append({outputs, theirs, back}, out);
    }
  }
  return in_order(std::move(out));
}

}  // namespace vouch
