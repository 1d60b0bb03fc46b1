// The calls of an instance: operators, the choice of attributes, and where to go back when none is legal.
#include <fmt/format.h>

#include <algorithm>

#include "instance/enumerate.h"

namespace vouch {

void Enumerator::step_call(const Task& task, std::size_t at) {
  const Pattern& p = rule_.pattern(task.pattern);
  auto known = p.op ? std::optional(*p.op) : operator_of(p);
  if (known) {
    return step_operator(task, *known, at);
  }
  for (std::size_t op = 0; op < op_count(); ++op) {
    const OpDef& def = op_def(static_cast<OpId>(op));
    bool fits = !def.opaque && (p.trait != OpTrait::Elementwise || def.traits.elementwise) &&
                (p.trait != OpTrait::Commutative || def.traits.commutative) && takes(def, p.operands.size());
    if (!fits) {
      continue;
    }
    state_.operators[p.op_variable] = static_cast<OpId>(op);
    state_.label.push_back(fmt::format("{} = {}", p.op_variable.name(), def.name));
    step_operator(task, static_cast<OpId>(op), at);
    state_.label.pop_back();
    state_.operators.erase(p.op_variable);
    if (!more(at)) {
      return;
    }
  }
}

std::optional<OpId> Enumerator::operator_of(const Pattern& p) const {
  auto found = state_.operators.find(p.op_variable);
  return found == state_.operators.end() ? std::nullopt : std::optional(found->second);
}

bool Enumerator::takes(const OpDef& def, std::size_t count) {
  auto needed = static_cast<std::size_t>(std::count_if(def.operands.begin(), def.operands.end(), [](const auto& o) {
    return o.kind == OperandKind::Required || o.kind == OperandKind::Tuple;
  }));
  return count >= needed && count <= def.operands.size();
}

void Enumerator::step_operator(const Task& task, OpId op, std::size_t at) {
  std::vector<InstanceNodeId> operands;
  for (PatternId operand : rule_.pattern(task.pattern).operands) {
    operands.push_back(operand == kNone ? kNoInstanceNode : operand_node(operand));
    if (operand != kNone && operands.back() == kNoInstanceNode) {
      return reject("an operand is not matched");
    }
  }
  for (int attempt = 0; attempt < 8; ++attempt) {
    Mark here = mark();
    std::vector<std::vector<std::optional<AttrValue>>> choices;
    if (!attribute_choices(task, op, operands, choices)) {
      undo(here);
      return;
    }
    wants_number_.reset();
    culprit_ = culprit_of_choices(task, op, operands, at);
    std::vector<AttrDict::Entry> entries;
    choose_attributes(task, op, operands, choices, entries, 0, at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
    // An attribute that was left open turned out to be wanted as a number: once more, with numbers.
    if (!wants_number_ || !numbers_.insert({op, *wants_number_}).second) {
      jump_ = wants_number_ || jump_ ? jump_ : std::exchange(culprit_, {});
      return;
    }
  }
}

std::optional<std::size_t> Enumerator::culprit_of_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                                                          std::size_t at) const {
  Blame blame{0, true};
  for (std::size_t k = 0; k < op_def(op).attributes.size(); ++k) {
    AttributeNeeds needs{&op_def(op).attributes[k],
                         first_rank(operands),
                         most_rank_,
                         most_rank_,
                         numbers_.contains({op, k}),
                         false,
                         false,
                         AxisForm::Full};
    switch (choices_follow_from(needs)) {
      case ChoicesFollowFrom::Nothing: break;
      case ChoicesFollowFrom::FirstOperand: blame.operands |= 1; break;
      case ChoicesFollowFrom::LargestRank:
        if (!of_plain_inputs(task)) {
          return std::nullopt;
        }
        break;
      case ChoicesFollowFrom::AllOperands: return std::nullopt;
    }
  }
  return latest(task, blame, at, spoken_of(rule_.pattern(task.pattern)));
}

std::size_t Enumerator::spoken_of(const Pattern& p) const {
  std::size_t last = p.attributes_as == kNone ? 0 : bound_at_[p.attributes_as];
  std::vector<AttrId> pending;
  for (const PatternAttr& attr : p.attributes) {
    pending.push_back(attr.value);
  }
  while (!pending.empty()) {
    const AttrExpr& e = rule_.attr(pending.back());
    pending.pop_back();
    last = e.kind == AttrKind::Access ? std::max(last, bound_at_[e.pattern]) : last;
    pending.insert(pending.end(), e.args.begin(), e.args.end());
  }
  return last;
}

bool Enumerator::of_plain_inputs(const Task& task) const {
  const std::vector<PatternId>& operands = rule_.pattern(task.pattern).operands;
  return task.variadic == kNone && std::all_of(operands.begin(), operands.end(), [&](PatternId id) {
           if (id == kNone) {
             return true;
           }
           const Pattern& p = rule_.pattern(id);
           bool input = p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const;
           return input && p.attributes.empty();
         });
}

std::optional<std::size_t> Enumerator::latest(const Task& task, const Blame& blame, std::size_t at, std::size_t last) const {
  if (!rule_.pattern(task.pattern).op || blame.operands == Blame{}.operands) {
    return std::nullopt;  // another operator may do
  }
  const std::vector<PatternId>& operands = rule_.pattern(task.pattern).operands;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    bool asked = operands[k] != kNone && (blame.operands & Blame::bit(k)) != 0;
    last = asked ? std::max(last, latest_of(operands[k], blame)) : last;
  }
  return last + 1 >= at ? std::nullopt : std::optional(last);
}

std::size_t Enumerator::latest_of(PatternId operand, const Blame& blame) const {
  const Pattern& p = rule_.pattern(operand);
  if (p.kind != PatternKind::Tuple) {
    return bound_at_[operand];
  }
  std::size_t last = 0;
  for (std::size_t k = 0; k < p.operands.size(); ++k) {
    last = (blame.items & Blame::bit(k)) != 0 ? std::max(last, bound_at_[p.operands[k]]) : last;
  }
  return last;
}

std::size_t Enumerator::first_rank(const std::vector<InstanceNodeId>& operands) const {
  for (InstanceNodeId operand : operands) {
    std::vector<Type> types = flat_types(state_.type_of(operand));
    if (!types.empty()) {
      return types[0].rank();
    }
  }
  return options_.max_rank;
}

std::size_t Enumerator::largest_rank(const std::vector<InstanceNodeId>& operands) const {
  std::size_t most = 0;
  for (InstanceNodeId operand : operands) {
    for (Type type : flat_types(state_.type_of(operand))) {
      most = std::max(most, type.rank());
    }
  }
  return operands.empty() ? options_.max_rank : most;
}

std::size_t Enumerator::rank_to_choose_by(const Task& task, const std::vector<InstanceNodeId>& operands) const {
  return of_plain_inputs(task) ? most_rank_ : largest_rank(operands);
}

void Enumerator::choose_attributes(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                                   const std::vector<std::vector<std::optional<AttrValue>>>& choices,
                                   std::vector<AttrDict::Entry>& entries, std::size_t k, std::size_t at) {
  if (k == choices.size()) {
    return call_with(task, op, operands, entries, at);
  }
  const AttrDef& attr = op_def(op).attributes[k];
  for (const auto& option : choices[k]) {
    std::size_t labels = state_.label.size();
    if (option) {
      entries.emplace_back(Symbol(attr.name), *option);
      bool shown = choices[k].size() > 1;
      if (shown) {
        state_.label.push_back(fmt::format("{}.{} = {}", name_of(task), attr.name, option->text()));
      }
    }
    choose_attributes(task, op, operands, choices, entries, k + 1, at);
    if (option) {
      entries.pop_back();
    }
    state_.label.resize(labels);
    if (!more(at) || wants_number_) {
      return;
    }
  }
}

void Enumerator::call_with(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                           const std::vector<AttrDict::Entry>& entries, std::size_t at) {
  Mark here = mark();
  AttrDict attributes(entries);
  Diagnostics diagnostics;
  if (!verify_call_form(op_def(op), operands.size(), state_.without_lists(attributes), "call", diagnostics)) {
    return reject(diagnostics.all()[0].message);
  }
  auto made = state_.add_call(op, operands, attributes, false, state_.instance.assumptions);
  if (auto* error = std::get_if<CallError>(&made)) {
    undo(here);
    for (std::size_t k = 0; k < op_def(op).attributes.size(); ++k) {
      if (!numbers_.contains({op, k}) && error->number_wanted == op_def(op).attributes[k].name) {
        wants_number_ = k;
        return;
      }
    }
    if (error->undecided) {
      return not_covered(fmt::format("{}: {}", op_def(op).name, error->text));
    }
    std::optional<std::size_t> back_to = latest(task, error->blame, at);
    culprit_ = culprit_ && back_to ? std::optional(std::max(*culprit_, *back_to)) : std::nullopt;
    return reject_saying([&] { return fmt::format("{}: {}", op_def(op).name, error->text); },
                         error->blame.attributes ? std::nullopt : back_to);
  }
  bind(task, std::get<InstanceNodeId>(made), at);
  advance(at);
  undo(here);
  culprit_.reset();  // this choice was legal, whatever the tasks after it left here
  state_.node_of[task.pattern] = kNoInstanceNode;
}

}  // namespace vouch
