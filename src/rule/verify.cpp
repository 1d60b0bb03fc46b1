#include "rule/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rule/print.h"

namespace vouch {
namespace {

class Verifier {
 public:
  Verifier(const Rule& original, Diagnostics& diagnostics) : rule_(original), diagnostics_(diagnostics) {
    finish_rule(rule_);
  }

  bool run() {
    std::size_t errors = diagnostics_.error_count();
    check_outputs();
    for (const Pattern& pattern : rule_.patterns) {
      if (pattern.kind == PatternKind::Call && pattern.op) {
        check_call(pattern);
      }
    }
    check_variadics();
    check_target_inputs();
    check_access_order();
    check_connected();
    return diagnostics_.error_count() == errors;
  }

 private:
  void error(Span span, std::string message, std::string hint = {}) {
    diagnostics_.error(rule_.source, span, std::move(message), std::move(hint));
  }

  void check_outputs() {
    std::size_t source = rule_.source_outputs.size();
    std::size_t target = rule_.target_outputs.size();
    if (source != target) {
      error(rule_.pattern(rule_.target_outputs[0]).span,
            fmt::format("the source has {} outputs, the target {}", source, target),
            "outputs correspond one to one, in order");
    }
    for (PatternId output : rule_.source_outputs) {
      if (rule_.is_input(output)) {
        error(rule_.pattern(output).span, "a source output is an input: there is nothing to replace");
      }
    }
  }

  void check_call(const Pattern& pattern) {
    const OpDef& def = op_def(*pattern.op);
    auto needed = static_cast<std::size_t>(std::count_if(def.operands.begin(), def.operands.end(), [](const auto& o) {
      return o.kind != OperandKind::Optional;
    }));
    std::size_t found = pattern.operands.size();
    if (found < needed || found > def.operands.size()) {
      std::string expected = needed == def.operands.size() ? std::to_string(needed)
                                                           : fmt::format("{} to {}", needed, def.operands.size());
      error(pattern.span, fmt::format("{} takes {} operands, found {}", def.name, expected, found));
    }
    std::vector<std::string> known;
    for (const AttrDef& attr : def.attributes) {
      known.emplace_back(attr.name);
    }
    for (const PatternAttr& attr : pattern.attributes) {
      if (std::find(known.begin(), known.end(), attr.name.name()) == known.end()) {
        auto near = suggest(attr.name.name(), known);
        error(attr.span, fmt::format("{} has no attribute '{}'", def.name, attr.name.name()),
              near ? fmt::format("did you mean '{}'?", *near)
                   : fmt::format("its attributes: {}", known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
      }
    }
  }

  void check_variadics() {
    for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
      const Pattern& p = rule_.pattern(id);
      if (p.kind != PatternKind::Variadic) {
        continue;
      }
      if (!p.first.empty() && p.first.size() != p.templates.size()) {
        error(p.span, fmt::format("the variadic has {} templates but {} first instances", p.templates.size(), p.first.size()),
              "`from` names one pattern for the yielded pattern, then one for each other pattern of the block");
      }
      if (rule_.in_source[id] && p.length != kNone) {
        error(p.span, "a variadic of the source takes its length from the match");
      }
      bool in_target = std::find(rule_.target_order.begin(), rule_.target_order.end(), id) != rule_.target_order.end();
      if (in_target && p.length == kNone) {
        error(p.span, "a variadic of the target needs a length", "write `variadic[i < n] { … }`");
      }
      check_templates_reached(p);
    }
  }

  void check_templates_reached(const Pattern& variadic) {
    std::vector<bool> reached(rule_.patterns.size());
    std::vector<PatternId> pending{variadic.operands[0]};
    while (!pending.empty()) {
      PatternId next = pending.back();
      pending.pop_back();
      if (!reached[next]) {
        reached[next] = true;
        std::vector<PatternId> below = direct_subpatterns(rule_, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
    }
    for (PatternId id : variadic.templates) {
      if (!reached[id]) {
        error(rule_.pattern(id).span, "this template is not part of what its variadic yields",
              "remove it, or use it in the yielded pattern");
      }
    }
  }

  void check_target_inputs() {
    for (PatternId id : rule_.target_order) {
      PatternKind kind = rule_.pattern(id).kind;
      if (kind == PatternKind::Wildcard || kind == PatternKind::Variable) {
        error(rule_.pattern(id).span, "the target creates an input that the source does not have",
              "use a pattern of the source");
      } else if (kind == PatternKind::Const && (rule_.pattern(id).attributes.empty())) {
        error(rule_.pattern(id).span, "a constant of the target needs a value", "write `const {value = …}`");
      }
    }
  }

  // Walks in matching order; an expression may use the patterns that stand before the one that it belongs to, and that one
  // itself (`rank`, `shape`) once its operands are matched.
  void check_access_order() {
    std::vector<bool> matched(rule_.patterns.size());
    for (PatternId id : rule_.source_order) {
      // Expressions inside a variadic's block may use its other templates; they stand before it in the order.
      for (const PatternAttr& attr : rule_.pattern(id).attributes) {
        check_uses(attr.value, matched);
      }
      matched[id] = true;
    }
    for (AttrId condition : rule_.constraints) {
      check_uses(condition, matched);
    }
    for (PatternId id : rule_.target_order) {
      for (const PatternAttr& attr : rule_.pattern(id).attributes) {
        check_uses(attr.value, matched);
      }
      if (rule_.pattern(id).length != kNone) {
        check_uses(rule_.pattern(id).length, matched);
      }
      matched[id] = true;
    }
  }

  void check_uses(AttrId root, const std::vector<bool>& matched) {
    std::vector<AttrId> pending{root};
    while (!pending.empty()) {
      const AttrExpr& expr = rule_.attr(pending.back());
      pending.pop_back();
      pending.insert(pending.end(), expr.args.begin(), expr.args.end());
      if (expr.kind != AttrKind::Access) {
        continue;
      }
      const Pattern& used = rule_.pattern(expr.pattern);
      PatternId needed = used.kind == PatternKind::Instance ? used.operands[0] : expr.pattern;
      if (!matched[needed] && !inside_unfinished_variadic(needed, matched)) {
        error(expr.span, fmt::format("the pattern of '{}' is not matched before this value is needed", print_attr(rule_, root)),
              "matching follows operands before users, from left to right: state the equation at the later pattern");
      }
    }
  }

  // `branch.length` or an earlier instance within the variadic that is being matched.
  bool inside_unfinished_variadic(PatternId pattern, const std::vector<bool>& matched) const {
    return rule_.pattern(pattern).kind == PatternKind::Variadic && !rule_.pattern(pattern).first.empty() &&
           matched[rule_.pattern(pattern).first[0]];
  }

  // For each output after the first: what it reaches meets what the outputs before it reach.
  void check_connected() {
    std::vector<bool> before(rule_.patterns.size());
    for (std::size_t k = 0; k < rule_.source_outputs.size(); ++k) {
      std::vector<bool> here(rule_.patterns.size());
      std::vector<PatternId> pending{rule_.source_outputs[k]};
      bool meets = k == 0;
      while (!pending.empty()) {
        PatternId next = pending.back();
        pending.pop_back();
        if (here[next]) {
          continue;
        }
        here[next] = true;
        meets = meets || before[next];
        std::vector<PatternId> below = direct_subpatterns(rule_, next);
        pending.insert(pending.end(), below.begin(), below.end());
      }
      if (!meets) {
        error(rule_.pattern(rule_.source_outputs[k]).span,
              "this output shares nothing with the outputs before it: the source is not connected",
              "outputs of one rule meet in a common operand");
      }
      for (std::size_t id = 0; id < here.size(); ++id) {
        before[id] = before[id] || here[id];
      }
    }
  }

  Rule rule_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool verify_rule(const Rule& rule, Diagnostics& diagnostics) { return Verifier(rule, diagnostics).run(); }

}  // namespace vouch
