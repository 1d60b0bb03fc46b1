// Tuples, projections, variadics and alternatives of an instance.
#include <fmt/format.h>

#include <algorithm>

#include "instance/enumerate.h"

namespace vouch {

void Enumerator::step_tuple(const Task& task, std::size_t at) {
  std::vector<InstanceNodeId> items;
  for (PatternId item : rule_.pattern(task.pattern).operands) {
    items.push_back(operand_node(item));
  }
  Mark here = mark();
  bind(task, state_.add_tuple(std::move(items), false), at);
  advance(at);
  undo(here);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::step_projection(const Task& task, std::size_t at) {
  const Pattern& p = rule_.pattern(task.pattern);
  InstanceNodeId tuple = operand_node(p.operands[0]);
  Type type = state_.instance.nodes[tuple].type;
  if (!type.is_tuple()) {
    return reject("a projection of what is no tuple");
  }
  auto demanded_index = p.attributes.empty()
                            ? std::optional(any_value())
                            : eval_symbolic(rule_, p.attributes[0].value, symbols_of(task), state_.access_with());
  std::int64_t from = 0;
  std::int64_t to = static_cast<std::int64_t>(type.items().size()) - 1;
  InstanceNode::Kind kind = state_.instance.nodes[tuple].kind;
  if (kind == InstanceNode::Kind::Family || kind == InstanceNode::Kind::Cut) {
    return step_piece(task, tuple, demanded_index, at);
  }
  if (demanded_index && demanded_index->number() && !demanded_index->int64()) {
    return not_covered("an item of a tuple whose number depends on sizes");
  }
  if (!demanded_index || (!is_any(*demanded_index) && !demanded_index->int64())) {
    return reject("the index of a projection has no value");
  }
  if (!is_any(*demanded_index)) {
    from = std::max<std::int64_t>(*demanded_index->int64(), 0);
    to = std::min(to, *demanded_index->int64());
  }
  Mark here = mark();
  for (std::int64_t item = from; item <= to; ++item) {
    bind(task, *state_.add_projection(tuple, static_cast<std::uint32_t>(item), false), at);
    advance(at);
    undo(here);
    state_.node_of[task.pattern] = kNoInstanceNode;
    if (!more(at)) {
      return;
    }
  }
}

void Enumerator::step_piece(const Task& task, InstanceNodeId tuple, const std::optional<AttrValue>& number, std::size_t at) {
  if (!number || !number->number() || number->number()->sort() != Sort::Int) {
    return not_covered("any item of a tuple of symbolic length");
  }
  Mark here = mark();
  auto piece = state_.family_piece(tuple, *number->number(), false, state_.instance.assumptions);
  if (auto* error = std::get_if<CallError>(&piece)) {
    undo(here);
    return not_covered(error->text);
  }
  bind(task, std::get<InstanceNodeId>(piece), at);
  advance(at);
  undo(here);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::step_variadic(const Task& task, std::size_t at) {
  if (opened_.contains(task.pattern)) {
    return close_variadic(task, at);
  }
  const Pattern& p = rule_.pattern(task.pattern);
  if (task.variadic != kNone) {
    return not_covered("a variadic inside of a variadic");
  }
  if (options_.symbolic_length) {
    return open_family(task, at);
  }
  result_.lengths = true;
  opened_.insert(task.pattern);
  std::vector<Task> before = tasks_;
  for (std::uint32_t length : options_.lengths) {
    if (length < std::max<std::uint32_t>(p.min_length, 1)) {
      continue;
    }
    state_.branches[task.pattern].assign(length, BranchNodes(p.templates.size(), kNoInstanceNode));
    std::vector<Task> inner = templates_of(task.pattern, length);
    tasks_ = before;
    tasks_.insert(tasks_.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
    state_.label.push_back(fmt::format("{}.length = {}", own_names_[task.pattern], length));
    step(at);
    state_.label.pop_back();
    tasks_ = before;
    if (!more(at)) {
      break;
    }
  }
  state_.branches.erase(task.pattern);
  opened_.erase(task.pattern);
}

void Enumerator::open_family(const Task& task, std::size_t at) {
  const Pattern& p = rule_.pattern(task.pattern);
  const std::string& name = own_names_[task.pattern];
  bool has_first = !p.first.empty();
  auto least = std::max<std::int64_t>(p.min_length, has_first ? 2 : 1);
  Mark here = mark();
  FamilyOf family{Symbol(name + "#"), Symbol(name + "##"), new_symbol(Symbol(name + ".length"), SymbolKind::Branches, least),
                  has_first};
  for (Symbol index : {family.index, family.other}) {
    assume(le(has_first ? 1 : 0, int_var(index)), "the number of a branch");
    assume(lt(int_var(index), family.length), "the number of a branch");
  }
  state_.book.add_range(family.index, family.length, has_first ? 1 : 0);
  state_.families.emplace(task.pattern, family);
  state_.branches[task.pattern].assign(2, BranchNodes(p.templates.size(), kNoInstanceNode));
  opened_.insert(task.pattern);
  std::vector<Task> before = tasks_;
  std::vector<Task> inner;
  for (std::int64_t branch : {kEveryBranch, kOtherBranch}) {
    for (PatternId id : rule_.source_order) {
      if (state_.owner[id] == task.pattern) {
        inner.push_back({id, task.pattern, branch});
      }
    }
  }
  tasks_.insert(tasks_.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
  state_.label.push_back(fmt::format("{}.length = n", own_names_[task.pattern]));
  step(at);
  tasks_ = before;
  state_.branches.erase(task.pattern);
  state_.families.erase(task.pattern);
  opened_.erase(task.pattern);
  undo(here);
}

std::vector<Enumerator::Task> Enumerator::templates_of(PatternId variadic, std::uint32_t length) {
  const Pattern& p = rule_.pattern(variadic);
  std::vector<Task> inner;
  for (std::int64_t branch = 0; branch < length; ++branch) {
    if (branch == 0 && !p.first.empty()) {
      for (std::size_t k = 0; k < p.first.size(); ++k) {
        if (p.first[k] != kNone) {  // else it has no part in branch 0
          state_.branches[variadic][0][k] = state_.node_of[p.first[k]];
        }
      }
      continue;
    }
    for (PatternId id : rule_.source_order) {
      if (state_.owner[id] == variadic) {
        inner.push_back({id, variadic, branch});
      }
    }
  }
  return inner;
}

void Enumerator::close_variadic(const Task& task, std::size_t at) {
  std::vector<InstanceNodeId> items;
  for (const BranchNodes& branch : state_.branches[task.pattern]) {
    items.push_back(branch[0]);
  }
  Mark here = mark();
  auto family = state_.families.find(task.pattern);
  bound_at_[task.pattern] = at;
  state_.node_of[task.pattern] = family == state_.families.end()
                                     ? state_.add_tuple(std::move(items), false)
                                     : state_.add_family(items[0], family->second.index, family->second.length, false);
  if (family != state_.families.end()) {
    state_.instance.nodes[state_.node_of[task.pattern]].operands.push_back(items[1]);
  }
  advance(at);
  undo(here);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::step_instance(const Task& task, std::size_t at) {
  auto node = state_.matched_instance(task.pattern, symbols_of(task));
  if (!node) {
    return reject("an instance that does not exist");
  }
  bound_at_[task.pattern] = at;
  state_.node_of[task.pattern] = *node;
  advance(at);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::step_alternative(const Task& task, std::size_t at) {
  auto option = chosen(task.pattern, task.branch);
  InstanceNodeId node = option ? operand_node(rule_.pattern(task.pattern).operands[*option]) : kNoInstanceNode;
  if (node == kNoInstanceNode) {
    return reject("an option that is not matched");
  }
  bind(task, node, at);
  advance(at);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

void Enumerator::step_conditional(const Task& task, std::size_t at) {
  const Pattern& p = rule_.pattern(task.pattern);
  auto option = chosen(task.pattern, task.branch);
  InstanceNodeId node = option ? operand_node(p.operands[*option]) : kNoInstanceNode;
  if (node == kNoInstanceNode) {
    return reject("an option that is not matched");
  }
  bool value = *option == 0;
  auto guard = symbolic_condition(rule_, p.selector, symbols_of(task), state_.access_with());
  if (!guard) {  // then matching takes neither option
    return reject("the condition of an alternative has no value");
  }
  Term taken = value ? *guard : negate(*guard);
  if (is_false(taken)) {
    return reject("the condition of an alternative does not hold");
  }
  Mark here = mark();
  assume(taken, "the condition of an alternative");
  bind(task, node, at);
  advance(at);
  undo(here);
  state_.node_of[task.pattern] = kNoInstanceNode;
}

}  // namespace vouch
