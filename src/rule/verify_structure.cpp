#include <fmt/format.h>

#include <algorithm>

#include "rule/verify_parts.h"

namespace vouch {
namespace {

class StructureCheck {
 public:
  StructureCheck(const Rule& rule, const Unreadable& unreadable, RuleReport& report)
      : rule_(rule), whole_(!unreadable.any), is_placeholder_(placeholders(rule, unreadable)), report_(report) {}

  void run() {
    if (rule_.source_outputs.empty() || rule_.target_outputs.empty()) {
      report_missing_side();
      return;
    }
    check_outputs();
    check_connected();
    check_variadics();
    check_created();
    check_ranks();
    if (whole_) {
      check_dropped();
      check_unused();
    }
  }

 private:
  const Pattern& at(PatternId id) const { return rule_.pattern(id); }
  bool is_variadic(PatternId id) const { return at(id).kind == PatternKind::Variadic; }

  void report_missing_side() {
    if (whole_) {
      report_.error(rule_.span,
                    fmt::format("the rule '{}' has no {}", rule_.name, rule_.source_outputs.empty() ? "source" : "target"),
                    "a rule ends in 'source p;' and 'target q;'");
    }
  }

  void check_outputs() {
    const auto& source = rule_.source_outputs;
    const auto& target = rule_.target_outputs;
    if (source.size() != target.size()) {
      report_.error(
          at(target[0]).span,
          fmt::format("the source has {} output{}, the target {}", source.size(), source.size() == 1 ? "" : "s", target.size()),
          "outputs correspond one to one, in order");
    }
    for (const auto* side : {&source, &target}) {
      for (PatternId output : *side) {
        if (is_variadic(output) && side->size() > 1) {
          report_.error(at(output).span, "a variadic among several outputs: how many outputs it stands for is not known",
                        "a variadic output is the only one");
        }
      }
    }
    if (whole_ && source.size() == 1 && target.size() == 1 && is_variadic(source[0]) != is_variadic(target[0])) {
      report_.error(at(target[0]).span, "one side has a variadic output, the other a single one",
                    "each branch of the source corresponds to one of the target: variadic[i] { … }");
    }
    check_source_outputs();
  }

  void check_source_outputs() {
    std::vector<bool> seen(rule_.patterns.size());
    for (PatternId output : rule_.source_outputs) {
      if (whole_ && rule_.is_input(output) && !is_placeholder_[output]) {
        report_.error(at(output).span, "this output of the source is an input: there is nothing to replace",
                      "a source begins with an operator");
      }
      if (seen[output]) {
        report_.error(at(output).span, fmt::format("{} is an output of the source twice", pattern_words(rule_, output)));
      }
      seen[output] = true;
    }
  }

  // eq:src_connect: for each output after the first, what it reaches meets what the outputs before it reach.
  void check_connected() {
    std::vector<bool> before(rule_.patterns.size());
    for (std::size_t k = 0; k < rule_.source_outputs.size(); ++k) {
      bool meets = k == 0;
      std::vector<PatternId> reached;
      std::vector<bool> here(rule_.patterns.size());
      std::vector<PatternId> pending{rule_.source_outputs[k]};
      while (!pending.empty()) {
        PatternId next = pending.back();
        pending.pop_back();
        meets = meets || before[next] || is_placeholder_[next];
        if (before[next] || here[next]) {
          continue;
        }
        here[next] = true;
        reached.push_back(next);
        std::vector<PatternId> below = direct_subpatterns(rule_, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
      if (!meets) {
        report_.error(at(rule_.source_outputs[k]).span,
                      "this output shares nothing with the outputs before it: the source is not connected",
                      "outputs of one rule meet in a common operand");
      }
      for (PatternId id : reached) {
        before[id] = true;
      }
    }
  }

  void check_variadics() {
    std::vector<bool> in_target(rule_.patterns.size());
    for (PatternId id : rule_.target_order) {
      in_target[id] = true;
    }
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      if (!is_variadic(id)) {
        continue;
      }
      if (rule_.in_source[id] && at(id).length != kNone) {
        report_.error(rule_.attr(at(id).length).span, "a variadic of the source takes its length from the match",
                      "state the length by 'where', or leave it out");
      }
      if (in_target[id] && at(id).length == kNone) {
        report_.error(at(id).span, "a variadic of the target needs a length", "write 'variadic[i < n] { … }'");
      }
      check_field(id);
      check_templates(id);
    }
    check_branches_share();
  }

  void check_field(PatternId variadic) {
    const Pattern& p = at(variadic);
    const Pattern& field = at(p.operands[0]);
    if (!p.first.empty() && (p.templates.empty() || p.templates[0] != p.operands[0] || p.first[0] == kNone)) {
      report_.error(p.span, "the yielded pattern has no first instance, but another template has",
                    "'from' names the first instance of the yielded pattern first");
    }
    bool checks =
        field.kind != PatternKind::Alternative && field.kind != PatternKind::Conditional && field.kind != PatternKind::Instance;
    if (!field.conditions.empty() && !checks) {
      report_.error(rule_.attr(field.conditions[0]).span, "a condition on a branch needs a branch that is one pattern",
                    "state the condition outside of the block, or yield an operator call");
    }
  }

  // Templates must be reached from the field through templates; what is not a template must not use one.
  void check_templates(PatternId variadic) {
    std::vector<bool> reached(rule_.patterns.size());
    std::vector<PatternId> pending{at(variadic).operands[0]};
    auto belongs = [&](PatternId id) {
      std::vector<PatternId> owners = enclosing_variadics(rule_, id);
      return std::find(owners.begin(), owners.end(), variadic) != owners.end();
    };
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (reached[next] || !belongs(next)) {
        continue;
      }
      reached[next] = true;
      std::vector<PatternId> below = direct_subpatterns(rule_, next);
      pending.insert(pending.end(), below.begin(), below.end());
    }
    for (PatternId item : at(variadic).templates) {
      if (at(item).owner != variadic) {
        report_.error(at(item).span, fmt::format("{} is a template of two variadics", pattern_words(rule_, item)));
      } else if (!reached[item] && whole_) {
        report_.error(at(item).span,
                      fmt::format("the template {} is no part of what its variadic yields", pattern_words(rule_, item)),
                      "use it in the yielded pattern, or remove it");
      }
    }
  }

  // The branches of a variadic output are found from what they share.
  void check_branches_share() {
    PatternId variadic = rule_.source_outputs[0];
    if (!is_variadic(variadic)) {
      return;
    }
    std::vector<PatternId> pending{at(variadic).operands[0]};
    std::vector<bool> seen(rule_.patterns.size());
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (at(next).owner == kNone) {
        return;
      }
      if (!seen[next]) {
        seen[next] = true;
        std::vector<PatternId> below = direct_subpatterns(rule_, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
    }
    report_.error(at(variadic).span, "the branches of this variadic output share nothing: the source is not connected",
                  "use a pattern from outside of the block in the yielded pattern");
  }

  void check_created() {
    for (PatternId id : rule_.target_order) {
      if (is_placeholder_[id]) {
        continue;
      }
      PatternKind kind = at(id).kind;
      if (kind == PatternKind::Wildcard || kind == PatternKind::Variable) {
        if (!whole_ && !at(id).name.empty()) {
          continue;  // it may be part of what was not read
        }
        report_.error(at(id).span,
                      fmt::format("the target creates an input: {} is not part of the source", pattern_words(rule_, id)),
                      "use a pattern of the source, or a constant with a value");
      } else if (kind == PatternKind::Const && !has_attribute(id, "value")) {
        report_.error(at(id).span, "a constant that the target creates needs a value", "write 'const {value = …}'");
      } else if (kind == PatternKind::Const && !has_attribute(id, "dtype") && whole_) {
        report_.error(at(id).span, "what this constant is made of does not say its element type",
                      "say it: const {value = …, dtype = float32}, or another tensor's: dtype = x.dtype");
      } else if (kind == PatternKind::Alternative) {
        report_.error(at(id).span, "the target cannot leave open which alternative it creates",
                      "choose by a condition: if (…) p else q");
      }
    }
  }

  bool has_attribute(PatternId id, std::string_view name) const {
    return std::any_of(at(id).attributes.begin(), at(id).attributes.end(),
                       [&](const PatternAttr& attr) { return attr.name.name() == name; });
  }

  // What the target's value depends on. An instance of a template uses that template alone, and its first instance.
  std::vector<bool> used_by_target() const {
    std::vector<bool> used(rule_.patterns.size());
    std::vector<PatternId> pending = rule_.target_outputs;
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (used[next]) {
        continue;
      }
      used[next] = true;
      if (at(next).kind == PatternKind::Instance) {
        pending.push_back(at(next).operands[1]);
      } else {
        std::vector<PatternId> below = direct_subpatterns(rule_, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
      push_first_instance(next, pending);
    }
    return used;
  }

  void push_first_instance(PatternId id, std::vector<PatternId>& pending) const {
    if (at(id).owner == kNone) {
      return;
    }
    const Pattern& variadic = at(at(id).owner);
    auto place = std::find(variadic.templates.begin(), variadic.templates.end(), id) - variadic.templates.begin();
    if (static_cast<std::size_t>(place) < variadic.first.size() && variadic.first[static_cast<std::size_t>(place)] != kNone) {
      pending.push_back(variadic.first[static_cast<std::size_t>(place)]);
    }
  }

  // Definition subst_rule: the same inputs on both sides, but for those that the rule says it drops.
  void check_dropped() {
    std::vector<bool> used = used_by_target();
    std::vector<bool> dropped(rule_.patterns.size());
    for (PatternId id : rule_.dropped) {
      dropped[id] = true;
      if (!rule_.is_input(id) || at(id).kind == PatternKind::Const) {
        report_.error(at(id).span, fmt::format("only inputs are dropped, and {} is none", pattern_words(rule_, id)),
                      "inputs are the wildcards and variables of the source");
      } else if (used[id]) {
        report_.error(at(id).span, fmt::format("{} is dropped, but the target uses it", pattern_words(rule_, id)));
      }
    }
    for (PatternId id : rule_.source_order) {
      if (!rule_.is_input(id) || at(id).kind == PatternKind::Const || used[id] || dropped[id]) {
        continue;
      }
      const std::string& name = at(id).name.name();
      report_.error(
          at(id).span,
          name.empty() ? "the target does not use this input" : fmt::format("the target does not use the input '{}'", name),
          name.empty() ? "if this is meant, name it by 'let' and drop it by 'drop'"
                       : fmt::format("if its value does not matter, write 'drop {};'", name));
    }
  }

  void check_unused() {
    std::vector<bool> part = rule_.in_source;
    for (PatternId id : rule_.target_order) {
      part[id] = true;
    }
    for (AttrId attr = 0; attr < rule_.attrs.size(); ++attr) {
      if (rule_.attr(attr).kind == AttrKind::Access) {
        part[rule_.attr(attr).pattern] = true;  // whether it may is checked elsewhere
      }
    }
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      if (!part[id] && at(id).owner == kNone && !at(id).name.empty()) {
        report_.error(at(id).span, fmt::format("{} is part of neither source nor target", pattern_words(rule_, id)),
                      "use it, or remove it");
      }
    }
  }

  void check_ranks() {
    for (const RankClaim& claim : rule_.ranks) {
      if (is_placeholder_[claim.input]) {
        continue;
      }
      if (!rule_.is_input(claim.input)) {
        report_.error(claim.span, fmt::format("ranks are claimed of inputs, and {} is none", pattern_words(rule_, claim.input)),
                      "inputs are the wildcards, variables and constants of the source");
      }
      if (claim.from > claim.to) {
        report_.error(claim.span, fmt::format("no rank lies between {} and {}", claim.from, claim.to),
                      fmt::format("write {}..{}", claim.to, claim.from));
      } else if (claim.to > kMaxRank) {
        report_.error(claim.span, fmt::format("a tensor has 0 to {} axes, found {}", kMaxRank, claim.to));
      }
    }
  }

  const Rule& rule_;
  bool whole_;  // every part of the rule was read
  std::vector<bool> is_placeholder_;
  RuleReport& report_;
};

}  // namespace

void verify_structure(const Rule& rule, const Unreadable& unreadable, RuleReport& report) {
  StructureCheck(rule, unreadable, report).run();
}

}  // namespace vouch
