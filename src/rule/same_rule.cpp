#include <algorithm>
#include <unordered_map>

#include "rule/axes.h"
#include "rule/print.h"

namespace vouch {
namespace {

// Walks both rules side by side; the pairs met so far must be a one-to-one map.
class Comparison {
 public:
  Comparison(const Rule& a, const Rule& b) : a_(a), b_(b) {}

  bool run() {
    if (a_.name != b_.name || a_.doc != b_.doc || a_.expectation != b_.expectation || a_.phase != b_.phase ||
        a_.saves != b_.saves || !meet_all(a_.source_outputs, b_.source_outputs) ||
        !meet_all(a_.target_outputs, b_.target_outputs)) {
      return false;
    }
    // First instances and conditions may name what the outputs do not reach; then there is more to walk.
    while (next_ < pairs_.size()) {
      while (next_ < pairs_.size()) {
        auto [x, y] = pairs_[next_++];
        if (!same_pattern(x, y)) {
          return false;
        }
      }
      symbols_.clear();
      if (!same_conditions(a_.constraints, b_.constraints) || !same_all_templates()) {
        return false;
      }
    }
    return same_claims() && same_layouts() && same_dropped();
  }

 private:
  bool meet(PatternId x, PatternId y) {
    if (x == kNone || y == kNone) {
      return x == y;
    }
    auto [forward, is_new] = to_b_.emplace(x, y);
    auto [backward, is_new_back] = to_a_.emplace(y, x);
    if (is_new && is_new_back) {
      pairs_.emplace_back(x, y);
    }
    return forward->second == y && backward->second == x;
  }

  bool meet_all(const std::vector<PatternId>& x, const std::vector<PatternId>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](PatternId p, PatternId q) { return meet(p, q); });
  }

  bool enter_scopes(PatternId p, PatternId q) {
    std::vector<PatternId> outside_p = enclosing_variadics(a_, p);
    std::vector<PatternId> outside_q = enclosing_variadics(b_, q);
    symbols_.clear();
    for (std::size_t k = 0; k < outside_p.size() && k < outside_q.size(); ++k) {
      symbols_.emplace_back(a_.pattern(outside_p[k]).index, b_.pattern(outside_q[k]).index);
    }
    return outside_p.size() == outside_q.size();
  }

  bool same_pattern(PatternId p, PatternId q) {
    const Pattern& x = a_.pattern(p);
    const Pattern& y = b_.pattern(q);
    bool same_head = x.kind == y.kind && x.op == y.op && x.trait == y.trait && x.min_length == y.min_length &&
                     same_name(op_names_, op_names_back_, x.op_variable, y.op_variable);
    if (!same_head || !enter_scopes(p, q) || !meet_all(x.operands, y.operands) || !meet(x.attributes_as, y.attributes_as)) {
      return false;
    }
    return same_attributes(x, y) && same_attr_or_none(x.length, y.length) && same_attr_or_none(x.selector, y.selector) &&
           same_conditions(x.conditions, y.conditions);
  }

  using Names = std::unordered_map<Symbol, Symbol>;
  static bool same_name(Names& forward, Names& backward, Symbol x, Symbol y) {
    return forward.emplace(x, y).first->second == y && backward.emplace(y, x).first->second == x;
  }

  bool same_attributes(const Pattern& x, const Pattern& y) {
    return std::equal(
        x.attributes.begin(), x.attributes.end(), y.attributes.begin(), y.attributes.end(),
        [&](const PatternAttr& p, const PatternAttr& q) { return p.name == q.name && same_attr(p.value, q.value); });
  }

  // In any order: templates are a set.
  bool same_templates(const Pattern& x, const Pattern& y) {
    if (x.templates.size() != y.templates.size() || x.first.size() != y.first.size()) {
      return false;
    }
    for (std::size_t k = 0; k < x.templates.size(); ++k) {
      auto other = to_b_.find(x.templates[k]);
      auto place = other == to_b_.end() ? y.templates.end() : std::find(y.templates.begin(), y.templates.end(), other->second);
      if (place == y.templates.end()) {
        return false;
      }
      auto at = static_cast<std::size_t>(place - y.templates.begin());
      if (!x.first.empty() && !meet(x.first[k], y.first[at])) {
        return false;
      }
    }
    return true;
  }

  bool same_all_templates() {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      auto [x, y] = pairs_[k];
      if (!same_templates(a_.pattern(x), b_.pattern(y))) {
        return false;
      }
    }
    return true;
  }

  bool same_conditions(const std::vector<AttrId>& x, const std::vector<AttrId>& y) {
    return std::is_permutation(x.begin(), x.end(), y.begin(), y.end(), [&](AttrId p, AttrId q) { return same_attr(p, q); });
  }

  bool same_claims() {
    return std::is_permutation(a_.ranks.begin(), a_.ranks.end(), b_.ranks.begin(), b_.ranks.end(),
                               [&](const RankClaim& x, const RankClaim& y) {
                                 auto other = to_b_.find(x.input);
                                 return other != to_b_.end() && other->second == y.input && x.from == y.from && x.to == y.to;
                               });
  }

  bool same_axes(const AttrExpr& p, const AttrExpr& q) {
    const AxisLayout* x = layout_of(a_, p.pattern);
    const AxisLayout* y = layout_of(b_, q.pattern);
    return x != nullptr && y != nullptr && meet(p.pattern, q.pattern) && role_in(a_, *x, p.name) == role_in(b_, *y, q.name);
  }

  // Both rules have them in order (`order_axes`), so that equal roles have equal places; what they are called carries no meaning.
  bool same_layouts() {
    bool roles = std::equal(a_.roles.begin(), a_.roles.end(), b_.roles.begin(), b_.roles.end(),
                            [](const AxisRole& x, const AxisRole& y) { return x.from == y.from && x.to == y.to; });
    return roles && std::equal(a_.layouts.begin(), a_.layouts.end(), b_.layouts.begin(), b_.layouts.end(),
                               [&](const AxisLayout& x, const AxisLayout& y) {
                                 auto other = to_b_.find(x.pattern);
                                 return other != to_b_.end() && other->second == y.pattern && x.roles == y.roles;
                               });
  }

  bool same_dropped() {
    return std::is_permutation(a_.dropped.begin(), a_.dropped.end(), b_.dropped.begin(), b_.dropped.end(),
                               [&](PatternId x, PatternId y) {
                                 auto other = to_b_.find(x);
                                 return other != to_b_.end() && other->second == y;
                               });
  }

  bool same_attr_or_none(AttrId x, AttrId y) { return x == kNone || y == kNone ? x == y : same_attr(x, y); }

  bool same_attr(AttrId x, AttrId y) {
    const AttrExpr& p = a_.attr(x);
    const AttrExpr& q = b_.attr(y);
    if (p.kind != q.kind || p.args.size() != q.args.size()) {
      return false;
    }
    switch (p.kind) {
      case AttrKind::Value: return p.value == q.value;
      case AttrKind::Any:
      case AttrKind::Absent: return true;
      case AttrKind::Access: return p.name == q.name && meet(p.pattern, q.pattern);
      case AttrKind::Axes: return same_axes(p, q);
      case AttrKind::Symbol: return same_symbol(p.name, q.name);
      case AttrKind::VarTuple:
      case AttrKind::Reduce:
      case AttrKind::Each: return same_bound(p, q);
      case AttrKind::Unary:
      case AttrKind::Binary:
      case AttrKind::Tuple:
      case AttrKind::Project:
      case AttrKind::Conditional: break;
    }
    return p.unary == q.unary && p.binary == q.binary && same_args(p, q);
  }

  bool same_args(const AttrExpr& p, const AttrExpr& q) {
    return std::equal(p.args.begin(), p.args.end(), q.args.begin(), [&](AttrId x, AttrId y) { return same_attr(x, y); });
  }

  bool same_bound(const AttrExpr& p, const AttrExpr& q) {
    if (p.reduction != q.reduction || (p.args.size() > 1 && !same_attr(p.args[1], q.args[1]))) {
      return false;
    }
    symbols_.emplace_back(p.name, q.name);
    bool same = same_attr(p.args[0], q.args[0]);
    symbols_.pop_back();
    return same;
  }

  bool same_symbol(Symbol x, Symbol y) const {
    auto bound =
        std::find_if(symbols_.rbegin(), symbols_.rend(), [&](const auto& pair) { return pair.first == x || pair.second == y; });
    return bound == symbols_.rend() ? x == y : bound->first == x && bound->second == y;
  }

  const Rule& a_;
  const Rule& b_;
  std::vector<std::pair<PatternId, PatternId>> pairs_;
  std::size_t next_ = 0;
  std::unordered_map<PatternId, PatternId> to_b_;
  std::unordered_map<PatternId, PatternId> to_a_;
  std::vector<std::pair<Symbol, Symbol>> symbols_;
  Names op_names_;
  Names op_names_back_;
};

}  // namespace

bool same_rule(const Rule& a, const Rule& b) { return Comparison(a, b).run(); }

}  // namespace vouch
