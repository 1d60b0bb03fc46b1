// The attributes of a call: as the rule demands them, or what the operator may have.
#include <fmt/format.h>

#include <algorithm>

#include "instance/enumerate.h"

namespace vouch {

bool Enumerator::attribute_choices(const Task& task, OpId op, const std::vector<InstanceNodeId>& operands,
                                   std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  const OpDef& def = op_def(op);
  const Pattern& p = rule_.pattern(task.pattern);
  for (std::size_t k = 0; k < def.attributes.size(); ++k) {
    const AttrDef& attr = def.attributes[k];
    auto given =
        std::find_if(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name.name() == attr.name; });
    AttributeNeeds needs{&attr,
                         first_rank(operands),
                         attr.type == AttrType::Int ? rank_to_choose_by(task, operands) : largest_rank(operands),
                         most_rank_,
                         numbers_.contains({op, k}),
                         given != p.attributes.end(),
                         state_.looked_at.contains({task.pattern, Symbol(attr.name)}),
                         form_of_attribute(rule_, state_.looked_at, task.pattern, Symbol(attr.name))};
    auto symbol = [&](const std::string& suffix, Sort sort) {
      return new_symbol_of(task, Symbol(fmt::format("{}.{}{}", name_of(task), attr.name, suffix)),
                           sort == Sort::Real ? SymbolKind::Real : SymbolKind::Attribute);
    };
    if (given == p.attributes.end() && p.attributes_as != kNone) {
      choices.push_back({same_attribute(p.attributes_as, attr.name)});
      continue;
    }
    if (given == p.attributes.end() && is_any_cut(task, op, attr)) {
      choices.push_back(cut_options(task));
    } else if (given == p.attributes.end()) {
      add_options(needs, symbol, choices);
    } else if (!demanded_attribute(task, *given, needs, symbol, choices)) {
      return false;
    }
    if (choices.back().empty()) {
      choices.back().emplace_back(std::nullopt);
      if (std::holds_alternative<Required>(attr.otherwise)) {
        reject(fmt::format("{} needs {}", def.name, attr.name));
        return false;
      }
    }
  }
  return true;
}

bool Enumerator::is_any_cut(const Task& task, OpId op, const AttrDef& attr) const {
  return options_.symbolic_length && task.variadic == kNone && op_def(op).traits.along == Along::CutAtPoints &&
         attr.domain == AttrDomain::Count;
}

ListFamily Enumerator::any_sizes(const std::string& name) {
  Symbol index(name + ".k");
  Symbol sizes(name + ".sizes");
  Term length = new_symbol(Symbol(name + ".length"), SymbolKind::Attribute, 1);
  state_.book.declare_item(sizes, 0);
  Symbol every(name + ".k#");
  state_.book.add_range(every, length, 0);
  // Of what is legal: pieces have sizes, and sizes are not negative.
  for (Term guard : {in_range(int_var(every), length), ge(family_item(sizes, int_var(every)), 0)}) {
    state_.instance.assumptions.push_back({guard, "the sizes of the pieces", InstanceCondition::Origin::Legality});
  }
  return {index, length, AttrValue(family_item(sizes, int_var(index)))};
}

std::vector<std::optional<AttrValue>> Enumerator::cut_options(const Task& task) {
  ListFamily sizes = any_sizes(name_of(task));
  Term points = *state_.book.prefix_sum(sizes.index, *sizes.item.number(), int_var(sizes.index) + 1);
  AttrValue list = state_.book.list({sizes.index, sizes.length - 1, AttrValue(points)});
  return {list, AttrValue(new_symbol(Symbol(name_of(task) + ".sections"), SymbolKind::Attribute, 1))};
}

std::optional<AttrValue> Enumerator::same_attribute(PatternId call, std::string_view name) const {
  InstanceNodeId node = operand_node(call);
  const AttrValue* value = node == kNoInstanceNode ? nullptr : state_.instance.nodes[node].attributes.find(name);
  return value ? std::optional(*value) : std::nullopt;
}

void Enumerator::add_options(const AttributeNeeds& needs, const NewSymbol& symbol,
                             std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  AttributeOptions all = attribute_options(needs, symbol);
  if (!all.beyond.empty()) {
    state_.note_not_covered(all.beyond);
  }
  if (!all.bound.empty()) {
    result_.bounds.insert(all.bound);
  }
  choices.push_back(std::move(all.options));
}

bool Enumerator::any_tuple(const Task& task, const AttrExpr& demand, const AttributeNeeds& needs, const NewSymbol& symbol,
                           std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  add_options(needs, symbol, choices);
  std::vector<std::optional<AttrValue>> kept;
  for (const auto& option : choices.back()) {
    const AttrTuple* items = option ? option->tuple() : nullptr;
    auto tuple = items ? with_items(task, demand, *items) : std::nullopt;
    if (tuple && std::find(kept.begin(), kept.end(), std::optional(*tuple)) == kept.end()) {
      kept.push_back(std::move(tuple));
    }
  }
  choices.back() = std::move(kept);
  if (choices.back().empty()) {
    reject(fmt::format("no tuple is legal as {} here", needs.def->name));
  }
  return !choices.back().empty();
}

// The option if its items can be what the demand says of each; an open item becomes that.
std::optional<AttrValue> Enumerator::with_items(const Task& task, const AttrExpr& demand, const AttrTuple& items) {
  AttrTuple out;
  for (std::size_t k = 0; k < items.size(); ++k) {
    SymbolTerms symbols = symbols_of(task);
    symbols.emplace_back(demand.name, Term(static_cast<std::int64_t>(k)));
    auto wanted = eval_symbolic(rule_, demand.args[0], symbols, state_.access_with());
    if (!wanted) {
      return std::nullopt;
    }
    bool open = items[k].number() != nullptr && !is_const(*items[k].number());
    if (!is_any(*wanted) && !open && is_false(values_equal(*wanted, items[k]))) {
      return std::nullopt;
    }
    out.push_back(is_any(*wanted) ? items[k] : *wanted);
  }
  return AttrValue(std::move(out));
}

bool Enumerator::demanded_attribute(const Task& task, const PatternAttr& given, const AttributeNeeds& needs,
                                    const NewSymbol& symbol, std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  const AttrExpr& demand = rule_.attr(given.value);
  if (demand.kind == AttrKind::Absent) {
    choices.push_back({std::nullopt});
    return true;
  }
  if (demand.kind == AttrKind::VarTuple && demand.args.size() == 1) {
    return any_tuple(task, demand, needs, symbol, choices);
  }
  // The thesis' AM-Var lets such a pattern match a tuple of any length, matching here one of the written length: what is said of
  // a rule has to be true of both.
  if (demand.kind == AttrKind::VarTuple && needs.def->length == AttrLength::Any) {
    state_.note_not_covered(
        "a tuple of a written number of steps, where tuples of any length are legal: leave the number out, or write the items");
  }
  auto value = eval_symbolic(rule_, given.value, symbols_of(task), state_.access_with());
  if (!value) {
    if (demand.kind == AttrKind::Access && std::holds_alternative<Absent>(needs.def->otherwise)) {
      choices.push_back({std::nullopt});  // absent there, absent here
      return true;
    }
    reject(fmt::format("attribute {} of {} has no value", given.name.name(), name_of(task)));
    return false;
  }
  if (is_any(*value)) {
    add_options(needs, symbol, choices);
  } else {
    choices.push_back({filled(std::move(*value), symbol, "")});
  }
  return true;
}

AttrValue Enumerator::filled(AttrValue value, const NewSymbol& symbol, const std::string& suffix) {
  if (const Term* number = value.number(); number && number->sort() == Sort::Bool) {
    return AttrValue(int_select(*number, 1, 0));
  }
  if (is_any(value)) {
    return AttrValue(symbol(suffix, Sort::Int));
  }
  if (!value.tuple()) {
    return value;
  }
  AttrTuple items;
  for (std::size_t k = 0; k < value.tuple()->size(); ++k) {
    items.push_back(filled((*value.tuple())[k], symbol, fmt::format("{}[{}]", suffix, k)));
  }
  return AttrValue(std::move(items));
}

}  // namespace vouch
