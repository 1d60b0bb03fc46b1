#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "rule/verify_parts.h"
#include "term/infinity.h"

namespace vouch {
namespace {

// One pass over both sides in the order in which they run, with what is known at each moment (the thesis' "fake context").
class ReferenceCheck {
 public:
  ReferenceCheck(const Rule& rule, const Unreadable& unreadable, RuleReport& report)
      : rule_(rule), whole_(!unreadable.any), is_placeholder_(placeholders(rule, unreadable)), report_(report) {
    for (PatternId id : rule.target_order) {
      in_target_.insert(id);
    }
    find_certain();
  }

  void run() {
    check_source();
    for (AttrId condition : rule_.constraints) {
      check_attr(condition, kNone, Place::Condition);
    }
    check_target();
    for (PatternId output : rule_.target_outputs) {
      check_certain(kNone, output);
    }
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      check_operands(id);
      check_instance(id);
    }
  }

 private:
  enum class Place : std::uint8_t { Matched, Condition, Target };

  const Pattern& at(PatternId id) const { return rule_.pattern(id); }

  // --- what is certainly matched: all but what only an alternative or a conditional reaches

  void find_certain() {
    for (const auto* order : {&rule_.source_order, &rule_.target_order}) {
      for (PatternId id : *order) {
        if (at(id).kind == PatternKind::Alternative || at(id).kind == PatternKind::Conditional) {
          common_.emplace(id, common_parts(at(id).operands));
        }
      }
    }
    certain_ = certain_parts(rule_.source_outputs, std::vector<bool>(rule_.patterns.size()));
    certain_source_ = certain_;
    certain_ = certain_parts(rule_.target_outputs, std::move(certain_));
  }

  // What is matched whenever the given patterns are.
  std::vector<bool> certain_parts(std::vector<PatternId> pending, std::vector<bool> certain) const {
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (certain[next]) {
        continue;
      }
      certain[next] = true;
      auto common = common_.find(next);
      std::vector<PatternId> below = common == common_.end() ? direct_subpatterns(rule_, next) : common->second;
      pending.insert(pending.end(), below.begin(), below.end());
    }
    return certain;
  }

  // What every one of the choices contains.
  std::vector<PatternId> common_parts(const std::vector<PatternId>& choices) const {
    std::vector<bool> common(rule_.patterns.size(), true);
    for (PatternId choice : choices) {
      std::vector<bool> parts = certain_parts({choice}, std::vector<bool>(rule_.patterns.size()));
      for (std::size_t k = 0; k < parts.size(); ++k) {
        common[k] = common[k] && parts[k];
      }
    }
    std::vector<PatternId> found;
    for (PatternId id = 0; id < common.size(); ++id) {
      if (common[id]) {
        found.push_back(id);
      }
    }
    return found;
  }

  // --- order

  // Where the search enters each source pattern: nothing that only it reaches is matched by then.
  std::vector<std::size_t> entry_positions() const {
    std::vector<std::size_t> position(rule_.patterns.size());
    for (std::size_t k = 0; k < rule_.source_order.size(); ++k) {
      position[rule_.source_order[k]] = k;
    }
    std::vector<std::size_t> entry = position;
    std::vector<bool> done(rule_.patterns.size());
    for (PatternId id : rule_.source_order) {
      // Of the operands, those that come first with this user were not there before it was entered.
      for (PatternId below : direct_subpatterns(rule_, id)) {
        if (!done[below]) {
          done[below] = true;
          entry[id] = std::min(entry[id], entry[below]);
        }
      }
    }
    return entry;
  }

  void check_source() {
    std::vector<std::size_t> entry = entry_positions();
    for (std::size_t k = 0; k < rule_.source_order.size(); ++k) {
      PatternId id = rule_.source_order[k];
      const Pattern& p = at(id);
      for (const PatternAttr& attr : p.attributes) {
        check_attr(attr.value, id, Place::Matched);
      }
      if (p.attributes_as != kNone) {
        check_copied(id);
      }
      if (p.kind == PatternKind::Conditional) {
        // The condition decides which branch is matched, so it is evaluated before both.
        entered_ = entry[id];
        check_attr(p.selector, id, Place::Condition);
        entered_ = kAll;
      } else if (p.selector != kNone) {
        check_attr(p.selector, id, Place::Condition);
      }
      position_.emplace(id, k);
      for (AttrId condition : p.conditions) {
        check_attr(condition, id, Place::Condition);
      }
    }
  }

  void check_target() {
    for (PatternId id : rule_.target_order) {
      for (AttrId attr : held_attributes(at(id))) {
        check_attr(attr, id, Place::Target);
      }
    }
  }

  // --- attribute expressions

  struct Visit {
    AttrId attr;
    bool matched;  // `any` may stand here
    bool guarded;  // only evaluated if some condition holds
    std::vector<Symbol> bound;
    bool whole = false;   // all of what is said of an attribute
    bool joined = false;  // a condition, or joined to one by `and`
  };

  void check_attr(AttrId root, PatternId holder, Place place) {
    std::vector<Symbol> symbols;
    for (PatternId variadic : scope_of(holder)) {
      symbols.push_back(at(variadic).index);
    }
    bool guarded = holder != kNone && !certain_[holder];
    std::vector<Visit> stack{{root, place == Place::Matched, guarded, std::move(symbols), true, true}};
    std::unordered_set<AttrId> seen;
    while (!stack.empty()) {
      Visit visit = std::move(stack.back());
      stack.pop_back();
      const AttrExpr& expr = rule_.attr(visit.attr);
      // A shared part is checked once; only its first place counts for `any` and symbols, which a text gives one anyway.
      if (!seen.insert(visit.attr).second) {
        continue;
      }
      check_node(expr, visit, holder, place);
      push_parts(expr, visit, stack);
    }
  }

  void check_node(const AttrExpr& expr, const Visit& visit, PatternId holder, Place place) {
    bool unread = !whole_ && expr.span == Span{};
    if (expr.kind == AttrKind::Any && !visit.matched && !unread) {
      report_.error(
          expr.span,
          place == Place::Target ? "the target has to say what this attribute is, not 'any'"
                                 : "'any' has no value to compute with",
          place == Place::Target
              ? "name the call of the source and take its attribute: let s = Softmax(x); … target Softmax(y) {axis = s.axis}; "
                "or all of them: {* as s}"
              : "'any' stands for a whole attribute of the source, or an item of a tuple there");
    } else if (expr.kind == AttrKind::Value && expr.value.number() && infinite_sign(*expr.value.number()) &&
               (!visit.whole || place == Place::Condition || holder == kNone || at(holder).kind != PatternKind::Const)) {
      report_.error(expr.span, "there is no arithmetic of infinity, and no attribute is infinite",
                    "it stands where all elements of a constant are infinite: Max((x, -inf)), const {value = inf, shape = …}");
    } else if (expr.kind == AttrKind::Absent && (!visit.whole || place == Place::Condition)) {
      report_.error(expr.span, "'_' has no value to compute with", "'_' stands for a whole attribute that a call does not give");
    } else if (expr.kind == AttrKind::Symbol &&
               std::find(visit.bound.begin(), visit.bound.end(), expr.name) == visit.bound.end()) {
      report_.error(expr.span, fmt::format("the index '{}' is used outside of its binder", expr.name.name()));
    } else if (expr.kind == AttrKind::Access || expr.kind == AttrKind::Axes) {
      check_access(expr, visit, holder, place);
    } else if (expr.kind == AttrKind::Each && (!visit.joined || place != Place::Condition || holder != kNone)) {
      report_.error(expr.span, "a condition on every element stands alone in a 'where', or joined to others by 'and'",
                    "what holds of some elements only, or of none, cannot be asked");
    } else if (expr.kind == AttrKind::Each && whole_ && !is_shared_constant(rule_.attr(expr.args[1]).pattern)) {
      report_.error(expr.span, "'in' is followed by a constant of the source, outside of variadics",
                    "let c = const; … where all[v in c](v > 0);");
    } else if (binds(expr) && std::find(visit.bound.begin(), visit.bound.end(), expr.name) != visit.bound.end()) {
      report_.error(expr.span, fmt::format("the index '{}' is bound twice", expr.name.name()));
    } else if (expr.kind == AttrKind::VarTuple && expr.args.size() == 1 && !visit.matched) {
      report_.error(expr.span, "this tuple needs a length here", "write tuple[i < n](…)");
    }
  }

  bool is_shared_constant(PatternId id) const {
    return at(id).kind == PatternKind::Const && rule_.in_source[id] && at(id).owner == kNone;
  }

  static bool binds(const AttrExpr& expr) {
    return expr.kind == AttrKind::VarTuple || expr.kind == AttrKind::Reduce || expr.kind == AttrKind::Each;
  }

  static void push_parts(const AttrExpr& expr, const Visit& visit, std::vector<Visit>& stack) {
    for (std::size_t k = expr.args.size(); k-- > 0;) {
      Visit part{expr.args[k], false, visit.guarded, visit.bound, false, false};
      bool joins = expr.kind == AttrKind::Binary && expr.binary == BinaryOp::Concat;
      part.matched = visit.matched && (expr.kind == AttrKind::Tuple || joins || (expr.kind == AttrKind::VarTuple && k == 0) ||
                                       (expr.kind == AttrKind::Conditional && k > 0));
      part.guarded = visit.guarded || (expr.kind == AttrKind::Conditional && k > 0);
      part.joined = visit.joined && expr.kind == AttrKind::Binary && expr.binary == BinaryOp::And;
      if (binds(expr) && k == 0) {
        part.bound.push_back(expr.name);
      }
      stack.push_back(std::move(part));
    }
  }

  void check_access(const AttrExpr& expr, const Visit& visit, PatternId holder, Place place) {
    PatternId base = expr.pattern;
    std::vector<PatternId> scope = scope_of(holder);
    check_visible(base, scope, expr.span);
    while (at(base).kind == PatternKind::Instance) {
      // The instance's own number is evaluated here and now.
      if (at(base).owner == kNone && selectors_.insert(at(base).selector).second) {
        check_selector(at(base).selector, visit, holder, place);
      }
      base = at(base).operands[0];
    }
    if (!whole_ || is_placeholder_[base] || is_placeholder_[denoted_variadic(rule_, expr.pattern)]) {
      return;
    }
    if (place == Place::Target && in_target_.contains(base)) {
      return;  // made before: target_order sees to that
    }
    auto position = position_.find(base);
    if (!rule_.in_source[base]) {
      report_.error(expr.span,
                    place == Place::Target || !in_target_.contains(base)
                        ? fmt::format("{} is part of neither source nor target", pattern_words(rule_, base))
                        : fmt::format("{} is made by the target: the source cannot depend on it", pattern_words(rule_, base)),
                    "access a pattern that the source matches");
    } else if (position == position_.end() || position->second >= entered_) {
      report_.error(expr.span, fmt::format("{} is not matched before this value is needed", pattern_words(rule_, base)),
                    "operands are matched before their user, from left to right: state the equation at the later pattern");
    } else if (!certain_source_[base] && !visit.guarded) {
      report_.error(expr.span, fmt::format("{} is matched in some cases only", pattern_words(rule_, base)),
                    "it is one of several alternatives: access a pattern outside of them");
    }
  }

  // `* as c`: every attribute of the other call.
  void check_copied(PatternId holder) {
    AttrExpr all;
    all.kind = AttrKind::Access;
    all.pattern = at(holder).attributes_as;
    all.span = at(holder).span;
    check_access(all, Visit{kNone, true, !certain_[holder], {}}, holder, Place::Matched);
  }

  void check_selector(AttrId selector, const Visit& visit, PatternId holder, Place place) {
    std::vector<Visit> stack{{selector, false, visit.guarded, visit.bound}};
    while (!stack.empty()) {
      Visit part = std::move(stack.back());
      stack.pop_back();
      check_node(rule_.attr(part.attr), part, holder, place);
      push_parts(rule_.attr(part.attr), part, stack);
    }
  }

  // --- scopes of templates

  // The variadics whose branches an expression held by `holder` stands in.
  std::vector<PatternId> scope_of(PatternId holder) const {
    return holder == kNone ? std::vector<PatternId>() : enclosing_variadics(rule_, holder);
  }

  // A template is named from inside its variadic, or through an instance.
  void check_visible(PatternId id, const std::vector<PatternId>& scope, Span span) {
    PatternId base = id;
    while (at(base).kind == PatternKind::Instance && at(base).owner == kNone) {
      base = at(base).operands[0];
    }
    for (PatternId variadic : enclosing_variadics(rule_, base)) {
      if (std::find(scope.begin(), scope.end(), variadic) == scope.end()) {
        const std::string& name = at(variadic).name.name();
        report_.error(span, fmt::format("{} is a template, which is used outside of its variadic", pattern_words(rule_, base)),
                      fmt::format("name the branch: {}[i].{}", name.empty() ? "v" : name,
                                  at(base).name.empty() ? "p" : at(base).name.name()));
        return;
      }
    }
  }

  void check_operands(PatternId id) {
    const Pattern& p = at(id);
    std::vector<PatternId> scope = enclosing_variadics(rule_, id);
    for (PatternId first : p.first) {
      if (first != kNone) {
        check_visible(first, scope, p.span);
      }
    }
    if (p.kind == PatternKind::Variadic) {
      if (std::any_of(scope.begin(), scope.end(), [&](PatternId v) { return at(v).index == p.index; })) {
        report_.error(p.span, fmt::format("the index '{}' is bound twice", p.index.name()));
      }
      scope.push_back(id);
    }
    std::size_t named = p.kind == PatternKind::Instance ? 1 : p.operands.size();
    for (std::size_t k = 0; k < named; ++k) {
      if (p.operands[k] != kNone && (rule_.in_source[id] || in_target_.contains(id))) {
        check_visible(p.operands[k], scope, at(p.operands[k]).span);
        check_certain(id, p.operands[k]);
      }
    }
  }

  void check_certain(PatternId user, PatternId used) {
    bool sure = user == kNone || (in_target_.contains(user) && certain_[user] && !common_.contains(user));
    if (sure && rule_.in_source[used] && !certain_source_[used]) {
      report_.error(at(used).span,
                    fmt::format("the target uses {}, which is matched in some cases only", pattern_words(rule_, used)),
                    "it is one of several alternatives: use a pattern outside of them");
    }
  }

  void check_instance(PatternId id) {
    const Pattern& p = at(id);
    if (p.kind != PatternKind::Instance || is_placeholder_[p.operands[0]]) {
      return;
    }
    PatternId variadic = denoted_variadic(rule_, p.operands[0]);
    if (at(variadic).kind != PatternKind::Variadic) {
      report_.error(p.span, fmt::format("{} is no variadic, so it has no branches", pattern_words(rule_, variadic)));
      return;
    }
    if (at(p.operands[1]).owner != variadic) {
      report_.error(
          p.span,
          fmt::format("{} is no template of the variadic: all its branches share it", pattern_words(rule_, p.operands[1])),
          "use it directly");
    }
    auto number = rule_.attr(p.selector).kind == AttrKind::Value ? rule_.attr(p.selector).value.int64() : std::nullopt;
    auto least = static_cast<std::int64_t>(at(variadic).min_length);
    if (number && (*number < 0 || *number >= least)) {
      report_.error(rule_.attr(p.selector).span,
                    fmt::format("there may be no branch {}: the variadic has at least {}, counted from 0", *number, least),
                    *number < 0 ? "the last branch is v.length - 1" : fmt::format("ask for more: min {}", *number + 1));
    }
  }

  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

  const Rule& rule_;
  bool whole_;  // every part of the rule was read
  std::vector<bool> is_placeholder_;
  RuleReport& report_;
  std::unordered_set<PatternId> in_target_;
  std::unordered_map<PatternId, std::vector<PatternId>> common_;  // of alternatives and conditionals
  std::vector<bool> certain_source_;                              // matched in every match
  std::vector<bool> certain_;                                     // or made in every rewrite
  std::unordered_map<PatternId, std::size_t> position_;           // of what is matched by now, in source_order
  std::size_t entered_ = kAll;                                    // only what was matched before this position counts
  std::unordered_set<AttrId> selectors_;
};

}  // namespace

void verify_references(const Rule& rule, const Unreadable& unreadable, RuleReport& report) {
  ReferenceCheck(rule, unreadable, report).run();
}

}  // namespace vouch
