#include "rewrite/plan.h"

#include <algorithm>
#include <atomic>

#include "rewrite/route.h"
#include "rule/axes.h"

namespace vouch {
namespace {

void find_owners(const Rule& rule, RulePlan& plan) {
  std::size_t count = rule.patterns.size();
  plan.owner.assign(count, kNone);
  plan.place.assign(count, 0);
  plan.enclosing.assign(count, kNone);
  // Variadics that enclose others come later: going backwards, the innermost has the last word.
  for (auto v = static_cast<PatternId>(count); v-- > 0;) {
    const Pattern& variadic = rule.pattern(v);
    if (variadic.kind != PatternKind::Variadic || !rule.in_source[v]) {
      continue;
    }
    plan.enclosing[v] = plan.owner[v];
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      plan.owner[variadic.templates[k]] = v;
      plan.place[variadic.templates[k]] = static_cast<std::uint32_t>(k);
    }
  }
}

std::uint32_t saturating_sum(std::uint32_t a, std::uint32_t b) { return a > RulePlan::kAnyUses - b ? RulePlan::kAnyUses : a + b; }

// How many edges of the source leave a pattern; those to an alternative count as many as leave that.
void count_uses(const Rule& rule, RulePlan& plan) {
  plan.most_uses.assign(rule.patterns.size(), 0);
  for (PatternId output : rule.source_outputs) {
    plan.most_uses[output] = RulePlan::kAnyUses;
  }
  for (std::size_t k = rule.source_order.size(); k-- > 0;) {
    PatternId user = rule.source_order[k];
    const Pattern& p = rule.pattern(user);
    if (p.kind == PatternKind::Variadic) {
      for (const auto& parts : {p.first, p.operands}) {
        for (PatternId part : parts) {
          if (part == kNone) {
            continue;
          }
          plan.most_uses[part] = RulePlan::kAnyUses;
        }
      }
      continue;
    }
    bool passes = p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional;
    std::uint32_t edges = passes ? plan.most_uses[user] : 1;
    for (PatternId used : direct_subpatterns(rule, user)) {
      // Branches may share what stands outside of them any number of times.
      bool shared = plan.owner[user] != kNone && plan.owner[used] != plan.owner[user];
      plan.most_uses[used] =
          shared || p.kind == PatternKind::Instance ? RulePlan::kAnyUses : saturating_sum(plan.most_uses[used], edges);
    }
  }
}

// Templates used through `branch[i].w` are used more often than their block shows.
void count_instance_uses(const Rule& rule, RulePlan& plan) {
  for (PatternId id : rule.source_order) {
    if (rule.pattern(id).kind == PatternKind::Instance) {
      plan.most_uses[rule.pattern(id).operands[1]] = RulePlan::kAnyUses;
    }
  }
}

void number_op_variables(const Rule& rule, RulePlan& plan) {
  plan.op_variable.assign(rule.patterns.size(), kNone);
  std::vector<Symbol> names;
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    const Pattern& p = rule.pattern(id);
    if (p.kind == PatternKind::Call && !p.op) {
      auto at = std::find(names.begin(), names.end(), p.op_variable);
      plan.op_variable[id] = static_cast<std::uint32_t>(at - names.begin());
      if (at == names.end()) {
        names.push_back(p.op_variable);
      }
    }
  }
  plan.op_variables = static_cast<std::uint32_t>(names.size());
}

void find_plain(const Rule& rule, RulePlan& plan) {
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    const Pattern& p = rule.pattern(id);
    plan.input.push_back(p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const);
    bool of_a_kind = p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const ||
                     p.kind == PatternKind::Tuple || (p.kind == PatternKind::Call && p.op);
    plan.plain.push_back(of_a_kind && layout_of(rule, id) == nullptr && p.attributes.empty() && p.conditions.empty() &&
                         p.attributes_as == kNone);
    plan.from_source.push_back(rule.in_source[id] && p.kind != PatternKind::Instance);
  }
}

// Each condition goes with the first output after which all that it speaks of is matched.
void place_conditions(const Rule& rule, RulePlan& plan, const std::vector<std::uint32_t>& matched_by) {
  for (AttrId condition : rule.constraints) {
    std::uint32_t after = 0;
    for (PatternId used : accessed_patterns(rule, condition)) {
      after = std::max(after, matched_by[used] == kNone ? static_cast<std::uint32_t>(plan.outputs.size() - 1) : matched_by[used]);
    }
    plan.outputs[after].conditions.push_back(condition);
  }
  for (OutputPlan& output : plan.outputs) {
    output.asked = looks_of(rule, plan, output.conditions);
  }
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void fix_attributes(const Rule& rule, RulePlan& plan) {
  plan.fixed.assign(rule.patterns.size(), false);
  plan.dictionaries.resize(rule.patterns.size());
  for (PatternId id : rule.target_order) {
    const Pattern& p = rule.pattern(id);
    bool literal = p.kind == PatternKind::Call && p.attributes_as == kNone &&
                   std::all_of(p.attributes.begin(), p.attributes.end(),
                               [&](const PatternAttr& a) { return rule.attr(a.value).kind == AttrKind::Value; });
    if (!literal) {
      continue;
    }
    std::vector<AttrDict::Entry> entries;
    for (const PatternAttr& attr : p.attributes) {
      entries.emplace_back(attr.name, rule.attr(attr.value).value);
    }
    plan.fixed[id] = true;
    plan.dictionaries[id] = AttrDict(std::move(entries));
  }
}

}  // namespace

RulePlan plan_rule(const Rule& rule) {
  RulePlan plan;
  plan.rule = &rule;
  plan.number = next_number();
  find_plain(rule, plan);
  find_owners(rule, plan);
  count_uses(rule, plan);
  count_instance_uses(rule, plan);
  number_op_variables(rule, plan);
  fix_attributes(rule, plan);
  Matched matched{std::vector<std::uint32_t>(rule.patterns.size(), kNone), std::vector<bool>(rule.patterns.size())};
  for (std::size_t k = 0; k < rule.source_outputs.size(); ++k) {
    plan.outputs.push_back(plan_output(plan, static_cast<std::uint32_t>(k), matched));
  }
  place_conditions(rule, plan, matched.by);
  plan.simple = simple_steps(plan);
  return plan;
}

}  // namespace vouch
