// Rules that alone never end: the source is laid over what the target writes, or the target keeps what the source matched.
#include <algorithm>

#include "rewrite/literal.h"
#include "rewrite/overlap.h"

namespace vouch {
namespace {

class Repeating {
 public:
  explicit Repeating(const Rule& rule) : rule_(rule) {}

  bool run() {
    if (rule_.source_outputs.size() != 1 || rule_.pattern(rule_.source_outputs[0]).kind != PatternKind::Call) {
      return false;
    }
    std::vector<PatternId> written = written_patterns();
    return std::any_of(written.begin(), written.end(), [&](PatternId at) {
      budget_ = kMostSteps;
      return lies({{at, rule_.source_outputs[0]}}, std::vector<PatternId>(rule_.patterns.size(), kNone));
    });
  }

 private:
  using Pair = std::pair<PatternId, PatternId>;
  static constexpr int kMostSteps = 10000;

  // Every pattern that stands in the rewritten graph for certain.
  std::vector<PatternId> written_patterns() const {
    std::vector<PatternId> pending = rule_.target_outputs;
    std::vector<PatternId> out;
    std::vector<bool> seen(rule_.patterns.size());
    while (!pending.empty()) {
      PatternId id = pending.back();
      pending.pop_back();
      if (id == kNone || seen[id]) {
        continue;
      }
      seen[id] = true;
      const Pattern& p = rule_.pattern(id);
      if (p.kind == PatternKind::Call) {
        out.push_back(id);
      }
      if (p.kind == PatternKind::Call || p.kind == PatternKind::Tuple || p.kind == PatternKind::Projection) {
        pending.insert(pending.end(), p.operands.begin(), p.operands.end());
      }
    }
    return out;
  }

  // Whether what stands at each first pattern matches the second one as which it is laid. Orders of operands are tried in turn.
  bool lies(std::vector<Pair> open, std::vector<PatternId> bound) {
    while (!open.empty()) {
      auto [p_id, q_id] = open.back();
      open.pop_back();
      if (--budget_ < 0 || (p_id == kNone) != (q_id == kNone)) {
        return false;
      }
      if (p_id == kNone || bound[q_id] == p_id) {
        continue;
      }
      if (bound[q_id] != kNone || !same_head(rule_.pattern(p_id), rule_.pattern(q_id))) {
        return false;
      }
      bound[q_id] = p_id;
      const Pattern& p = rule_.pattern(p_id);
      const Pattern& q = rule_.pattern(q_id);
      if (q.kind == PatternKind::Wildcard || q.kind == PatternKind::Variable || q.kind == PatternKind::Const) {
        continue;
      }
      if (may_commute(p) && may_commute(q)) {
        std::vector<Pair> swapped = open;
        swapped.emplace_back(p.operands[0], q.operands[1]);
        swapped.emplace_back(p.operands[1], q.operands[0]);
        if (lies(std::move(swapped), bound)) {
          return true;
        }
      }
      for (std::size_t k = 0; k < p.operands.size(); ++k) {
        open.emplace_back(p.operands[k], q.operands[k]);
      }
    }
    return true;
  }

  bool same_head(const Pattern& p, const Pattern& q) const {
    switch (q.kind) {
      case PatternKind::Wildcard: return true;
      case PatternKind::Variable:
      case PatternKind::Const: return p.kind == q.kind && literals_agree(rule_, p, rule_, q);
      case PatternKind::Call:
      case PatternKind::Tuple:
      case PatternKind::Projection:
        return p.kind == q.kind && p.op == q.op && p.op_variable == q.op_variable && p.operands.size() == q.operands.size() &&
               literals_agree(rule_, p, rule_, q);
      default: return false;
    }
  }

  const Rule& rule_;
  int budget_ = kMostSteps;
};

}  // namespace

std::vector<std::size_t> repeating_rules(const std::vector<Rule>& rules) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (Repeating(rules[k]).run()) {
      found.push_back(k);
    }
  }
  return found;
}

}  // namespace vouch
