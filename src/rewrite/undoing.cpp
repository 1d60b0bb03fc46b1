// Pairs of rules that undo each other: the source of one is laid over the target of the other, and back.
#include <algorithm>
#include <optional>

#include "rewrite/literal.h"
#include "rewrite/overlap.h"

namespace vouch {
namespace {

class Undoing {
 public:
  Undoing(const Rule& first, const Rule& second)
      : first_(first), second_(second), bound_(second.patterns.size(), kNone), meeting_(first, second) {}

  bool run() {
    if (first_.target_outputs.size() != second_.source_outputs.size()) {
      return false;
    }
    return lay(first_.target_outputs, second_.source_outputs, &Undoing::matches) &&
           lay(first_.source_outputs, second_.target_outputs, &Undoing::restores);
  }

 private:
  using Step = bool (Undoing::*)(PatternId, PatternId);

  bool lay(const std::vector<PatternId>& ours, const std::vector<PatternId>& theirs, Step step) {
    open_.clear();
    for (std::size_t k = 0; k < ours.size(); ++k) {
      open_.emplace_back(ours[k], theirs[k]);
    }
    while (!open_.empty()) {
      auto [p, q] = open_.back();
      open_.pop_back();
      if ((p == kNone) != (q == kNone) || (p != kNone && !(this->*step)(p, q))) {
        return false;
      }
    }
    return true;
  }

  // Of one form; their operands are still to be compared.
  bool same_form(const Pattern& p, const Pattern& q) const {
    return p.kind == q.kind && p.op == q.op && p.op_variable == q.op_variable && p.operands.size() == q.operands.size() &&
           literals_agree(first_, p, second_, q);
  }

  void open_operands(const Pattern& p, const Pattern& q, bool swapped) {
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      open_.emplace_back(p.operands[k], q.operands[swapped ? p.operands.size() - 1 - k : k]);
    }
  }

  // What `first` writes at p, `second` matches as q.
  bool matches(PatternId p_id, PatternId q_id) {
    const Pattern& p = first_.pattern(p_id);
    const Pattern& q = second_.pattern(q_id);
    if (bound_[q_id] != kNone) {
      return bound_[q_id] == p_id;
    }
    bound_[q_id] = p_id;
    bool given = p.kind == PatternKind::Variable || p.kind == PatternKind::Const;
    if (q.kind == PatternKind::Wildcard) {
      return true;
    }
    if (q.kind == PatternKind::Variable || q.kind == PatternKind::Const) {
      return given && literals_agree(first_, p, second_, q);
    }
    if (!same_form(p, q)) {
      return false;
    }
    bool swapped = may_commute(p) && may_commute(q) &&
                   !(meeting_.may_meet(p.operands[0], q.operands[0]) && meeting_.may_meet(p.operands[1], q.operands[1]));
    open_operands(p, q, swapped);
    return true;
  }

  // What `first` has matched at p, `second` writes as q.
  bool restores(PatternId p_id, PatternId q_id) {
    const Pattern& p = first_.pattern(p_id);
    const Pattern& q = second_.pattern(q_id);
    if (bound_[q_id] != kNone) {
      return bound_[q_id] == p_id;
    }
    if (!same_form(p, q)) {
      return false;
    }
    bool swapped = may_commute(p) && may_commute(q) && misplaced(p, q, false) && !misplaced(p, q, true);
    open_operands(p, q, swapped);
    return true;
  }

  // An operand that is already known to be another one.
  bool misplaced(const Pattern& p, const Pattern& q, bool swapped) const {
    for (std::size_t k = 0; k < 2; ++k) {
      PatternId known = bound_[q.operands[swapped ? 1 - k : k]];
      if (known != kNone && known != p.operands[k]) {
        return true;
      }
    }
    return false;
  }

  const Rule& first_;
  const Rule& second_;
  std::vector<PatternId> bound_;  // per pattern of `second`: of `first`
  PatternMeeting meeting_;
  std::vector<std::pair<PatternId, PatternId>> open_;
};

}  // namespace

bool undoes(const Rule& second, const Rule& first) { return Undoing(first, second).run(); }

std::vector<UndoingPair> undoing_pairs(const std::vector<Rule>& rules, std::size_t most, ComparisonBudget* budget) {
  UndoingIndex index(rules);
  std::vector<UndoingPair> found;
  for (std::size_t a = 0; a < rules.size(); ++a) {
    for (std::size_t b : index.near(rules[a])) {
      if (budget != nullptr && !budget->spend()) {
        return found;
      }
      if (undoes(rules[b], rules[a]) && (a <= b || !undoes(rules[a], rules[b]))) {
        if (found.size() == most) {
          return found;
        }
        found.push_back({a, b});
      }
    }
  }
  return found;
}

}  // namespace vouch
