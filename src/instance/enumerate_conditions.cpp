// The conditions of a rule in its instances: each asked as soon as all that it speaks of is there, and assumed once all is.
#include <algorithm>

#include "facts/index_terms.h"
#include "instance/enumerate.h"
#include "rule/element_condition.h"

namespace vouch {

bool Enumerator::assume_block_conditions(const Task& task) {
  for (AttrId condition : rule_.pattern(task.pattern).conditions) {
    auto guard = symbolic_condition(rule_, condition, symbols_of(task), state_.access_with());
    if (!guard || is_false(*guard)) {
      reject("a condition of a branch does not hold");
      return false;
    }
    assume(*guard, "a condition of the rule on a branch");
  }
  return true;
}

void Enumerator::add_conjuncts(AttrId condition) {
  const AttrExpr& e = rule_.attr(condition);
  if (e.kind == AttrKind::Binary && e.binary == BinaryOp::And) {
    add_conjuncts(e.args[0]);
    add_conjuncts(e.args[1]);
  } else {
    conjuncts_.push_back({condition, spoken_of(condition), {}});
    unmet_.add(condition);
  }
}

bool Enumerator::conditions_may_hold(std::size_t at) {
  for (std::size_t k = 0; k < conjuncts_.size(); ++k) {
    if (!is_ready(conjuncts_[k], at)) {
      continue;
    }
    auto guard = symbolic_condition(rule_, conjuncts_[k].condition, {}, state_.access_with());
    bool may_hold = guard && !is_false(*guard);
    unmet_.note(k, may_hold);
    if (auto options = options_spoken_of(conjuncts_[k])) {
      conjuncts_[k].known.emplace(*options, may_hold);
    }
    if (!may_hold) {
      return false;
    }
    state_.stated.push_back(*guard);
  }
  return true;
}

std::vector<PatternId> Enumerator::spoken_of(AttrId condition) const {
  std::vector<PatternId> out;
  std::vector<AttrId> pending{condition};
  while (!pending.empty()) {
    const AttrExpr& e = rule_.attr(pending.back());
    pending.pop_back();
    pending.insert(pending.end(), e.args.begin(), e.args.end());
    if (e.kind == AttrKind::Access && std::find(out.begin(), out.end(), e.pattern) == out.end()) {
      out.push_back(e.pattern);
    }
  }
  return out;
}

bool Enumerator::waits_for(const Conjunct& conjunct, std::size_t at) const {
  const std::vector<PatternId>& of = conjunct.spoken_of;
  const PatternId here = tasks_[at].pattern;
  return std::find(of.begin(), of.end(), here) != of.end() && std::all_of(of.begin(), of.end(), [&](PatternId id) {
           return id == here || (rule_.pattern(id).kind != PatternKind::Instance && state_.node_of[id] != kNoInstanceNode);
         });
}

bool Enumerator::is_ready(const Conjunct& conjunct, std::size_t at) const {
  const PatternId here = tasks_[at].pattern;
  return rule_.pattern(here).kind != PatternKind::Instance && state_.node_of[here] != kNoInstanceNode && waits_for(conjunct, at);
}

std::optional<std::uint64_t> Enumerator::options_spoken_of(const Conjunct& conjunct) const {
  std::uint64_t options = 0;
  for (PatternId id : conjunct.spoken_of) {
    if (option_of_[id] == kNoOption || conjunct.spoken_of.size() > 2) {
      return std::nullopt;
    }
    options = options << 32U | option_of_[id];
  }
  return options;
}

void Enumerator::forget_options() {
  fixed_options_.clear();
  for (Conjunct& conjunct : conjuncts_) {
    conjunct.known.clear();
  }
}

bool Enumerator::is_ruled_out(std::size_t at) {
  for (std::size_t k = 0; k < conjuncts_.size(); ++k) {
    if (!waits_for(conjuncts_[k], at)) {
      continue;
    }
    auto options = options_spoken_of(conjuncts_[k]);
    auto known = options ? conjuncts_[k].known.find(*options) : conjuncts_[k].known.end();
    if (known == conjuncts_[k].known.end()) {
      return false;
    }
    unmet_.note(k, known->second);
    if (!known->second) {
      return true;
    }
  }
  return false;
}

bool Enumerator::assume_condition(Term guard) {
  if (guard.kind() == TermKind::And) {
    return std::all_of(guard.args().begin(), guard.args().end(), [&](Term part) { return assume_condition(part); });
  }
  std::optional<ElementCondition> of_elements;
  for (std::size_t k = 0; k < state_.instance.inputs.size(); ++k) {
    Symbol element = element_symbol(state_.instance.inputs[k].name.name());
    if (mentions(guard, element)) {
      if (of_elements) {
        return false;
      }
      of_elements = ElementCondition{k, element, guard};
    }
  }
  if (of_elements) {
    state_.instance.every.push_back(*of_elements);
  } else {
    assume(guard, "a condition of the rule");
  }
  return true;
}

// The same condition, or one of a number that says more: `1 <= n` asks for `0 <= n`, and `n <= 1` for `n <= 2`.
static bool asks_for(Term condition, Term supposed) {
  if (condition == supposed) {
    return true;
  }
  if (condition.kind() != TermKind::IntLe || supposed.kind() != TermKind::IntLe) {
    return false;
  }
  for (std::size_t bound : {0, 1}) {
    auto asked = const_int(condition.arg(bound));
    auto wanted = const_int(supposed.arg(bound));
    if (asked && wanted && condition.arg(1 - bound) == supposed.arg(1 - bound)) {
      return bound == 0 ? *asked >= *wanted : *asked <= *wanted;
    }
  }
  return false;
}

// What definitions suppose has to be among what the rule asks for, or there are matches that no instance stands for.
void Enumerator::note_supposed(std::size_t first_of_rule) {
  const std::vector<InstanceCondition>& all = state_.instance.assumptions;
  for (const OpContext::Condition& supposed : state_.taken_for_granted) {
    bool asked = std::any_of(all.begin() + static_cast<std::ptrdiff_t>(first_of_rule), all.end(),
                             [&](const InstanceCondition& condition) { return asks_for(condition.guard, supposed.guard); });
    if (!asked) {
      state_.note_not_covered(supposed.message);
    }
  }
}

}  // namespace vouch
