// The attributes of a call: as the rule demands them, or what the operator may have.
#include <fmt/format.h>

#include <algorithm>

#include "check/enumerate.h"

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
                         numbers_.contains({op, k}),
                         given != p.attributes.end(),
                         forms_.contains({task.pattern, Symbol(attr.name)})};
    auto symbol = [&](const std::string& suffix, Sort sort) {
      return new_symbol_of(task, fmt::format("{}.{}{}", name_of(task), attr.name, suffix),
                           sort == Sort::Real ? SymbolKind::Real : SymbolKind::Attribute);
    };
    if (given == p.attributes.end() && p.attributes_as != kNone) {
      choices.push_back({same_attribute(p.attributes_as, attr.name)});
      continue;
    }
    if (given == p.attributes.end() && is_any_cut(task, op, attr)) {
      choices.push_back(cut_options(task));
    } else if (given == p.attributes.end()) {
      choices.push_back(attribute_options(needs, symbol));
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
  return options_.symbolic_length && task.variadic == kNone && op_def(op).name == "split" && attr.name == "indices_or_sections";
}

ListFamily Enumerator::any_sizes(const std::string& name) {
  Symbol index(name + ".k");
  Symbol sizes(name + ".sizes");
  Term length = new_symbol(name + ".length", SymbolKind::Attribute, 1);
  state_.book.declare_item(sizes, 0);
  Symbol every(name + ".k#");
  state_.book.add_range(every, length, 0);
  assume(in_range(int_var(every), length), "the number of a piece");
  assume(ge(family_item(sizes, int_var(every)), 0), "a size is not negative");
  return {index, length, AttrValue(family_item(sizes, int_var(index)))};
}

std::vector<std::optional<AttrValue>> Enumerator::cut_options(const Task& task) {
  ListFamily sizes = any_sizes(name_of(task));
  Term points = *state_.book.prefix_sum(sizes.index, *sizes.item.number(), int_var(sizes.index) + 1);
  AttrValue list = state_.book.list({sizes.index, sizes.length - 1, AttrValue(points)});
  return {list, AttrValue(new_symbol(name_of(task) + ".sections", SymbolKind::Attribute, 1))};
}

std::optional<AttrValue> Enumerator::same_attribute(PatternId call, std::string_view name) const {
  InstanceNodeId node = operand_node(call);
  const AttrValue* value = node == kNoInstanceNode ? nullptr : state_.instance.nodes[node].attributes.find(name);
  return value ? std::optional(*value) : std::nullopt;
}

bool Enumerator::any_tuple(const AttrExpr& demand, const AttributeNeeds& needs, const NewSymbol& symbol,
                           std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  if (rule_.attr(demand.args[0]).kind != AttrKind::Any) {
    not_covered("a tuple of any length whose items are restricted");
    return false;
  }
  choices.push_back(attribute_options(needs, symbol));
  std::erase_if(choices.back(), [](const auto& option) { return !option || option->tuple() == nullptr; });
  return true;
}

bool Enumerator::demanded_attribute(const Task& task, const PatternAttr& given, const AttributeNeeds& needs,
                                    const NewSymbol& symbol, std::vector<std::vector<std::optional<AttrValue>>>& choices) {
  const AttrExpr& demand = rule_.attr(given.value);
  if (demand.kind == AttrKind::VarTuple && demand.args.size() == 1) {
    return any_tuple(demand, needs, symbol, choices);
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
    choices.push_back(attribute_options(needs, symbol));
  } else {
    choices.push_back({filled(std::move(*value), symbol, "", needs)});
  }
  return true;
}

AttrValue Enumerator::filled(AttrValue value, const NewSymbol& symbol, const std::string& suffix, const AttributeNeeds& needs) {
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
    items.push_back(filled((*value.tuple())[k], symbol, fmt::format("{}[{}]", suffix, k), needs));
  }
  // A variable-length tuple takes its length from the value (rule AM-Var).
  if (needs.def->length == AttrLength::Rank && items.size() > needs.rank) {
    items.resize(needs.rank);
  }
  return AttrValue(std::move(items));
}

}  // namespace vouch
