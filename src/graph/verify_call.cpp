#include <fmt/format.h>

#include <algorithm>

#include "graph/op_table.h"

namespace vouch {
namespace {

bool all_numbers(const AttrValue& value, Sort sort) {
  return value.tuple() && std::all_of(value.tuple()->begin(), value.tuple()->end(), [&](const AttrValue& item) {
           return item.number() && (item.number()->sort() == sort || sort == Sort::Real);
         });
}

// A tensor of one element that a rule leaves open: element type and number.
bool is_open_element(const AttrDef& declared, const AttrValue& value) {
  const AttrTuple* both = value.tuple();
  return declared.domain == AttrDomain::OneElement && both && both->size() == 2 && (*both)[0].string() &&
         parse_dtype(*(*both)[0].string()) && (*both)[1].number();
}

bool fits(const AttrValue& value, AttrType type) {
  switch (type) {
    case AttrType::Int: return value.number() && value.number()->sort() == Sort::Int;
    case AttrType::Float: return value.number() != nullptr;
    case AttrType::String: return value.string() != nullptr;
    case AttrType::DType: return value.string() && parse_dtype(*value.string());
    case AttrType::Ints: return all_numbers(value, Sort::Int);
    case AttrType::IntOrInts: return fits(value, AttrType::Int) || fits(value, AttrType::Ints);
    case AttrType::Floats: return all_numbers(value, Sort::Real);
    case AttrType::Strings:
      return value.tuple() && std::all_of(value.tuple()->begin(), value.tuple()->end(),
                                          [](const AttrValue& item) { return item.string() != nullptr; });
    case AttrType::Tensor: return value.tensor() != nullptr;
    case AttrType::Graph: return value.graph() != nullptr;
    case AttrType::Tuple: return value.tuple() != nullptr;
  }
  return false;
}

std::string_view type_words(AttrType type) {
  switch (type) {
    case AttrType::Int: return "an integer";
    case AttrType::Float: return "a number";
    case AttrType::String: return "a string";
    case AttrType::DType: return "the name of an element type";
    case AttrType::Ints: return "a tuple of integers";
    case AttrType::IntOrInts: return "an integer or a tuple of integers";
    case AttrType::Floats: return "a tuple of numbers";
    case AttrType::Strings: return "a tuple of strings";
    case AttrType::Tensor: return "a tensor";
    case AttrType::Graph: return "a graph";
    case AttrType::Tuple: return "a tuple";
  }
  return "a value";
}

void report_unknown(const OpDef& def, Symbol name, const std::string& place, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const AttrDef& attr : def.attributes) {
    known.emplace_back(attr.name);
  }
  auto near = suggest(name.name(), known);
  diagnostics.error_at(
      place, fmt::format("{} has no attribute '{}'", def.name, name.name()),
      near ? fmt::format("did you mean '{}'?", *near)
           : fmt::format("its attributes: {}", known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

// Of what is a number by now.
bool is_flag_value(const AttrDef& declared, const AttrValue& value) {
  auto number = declared.domain == AttrDomain::Flag && value.number() ? const_int(*value.number()) : std::nullopt;
  return !number || *number == 0 || *number == 1;
}

bool is_choice(const AttrDef& declared, const AttrValue& value) {
  return declared.choices.empty() ||
         std::find(declared.choices.begin(), declared.choices.end(), *value.string()) != declared.choices.end();
}

void report_choice(const OpDef& def, const AttrDef& declared, const AttrValue& value, const std::string& place,
                   Diagnostics& diagnostics) {
  std::vector<std::string> known(declared.choices.begin(), declared.choices.end());
  auto near = suggest(*value.string(), known);
  diagnostics.error_at(place,
                       fmt::format("attribute '{}' of {} must be one of {}, found {}", declared.name, def.name,
                                   fmt::join(known, ", "), value.text()),
                       near ? fmt::format("did you mean '{}'?", *near) : std::string());
}

}  // namespace

bool verify_call_form(const OpDef& def, std::size_t operand_count, AttrDict attributes, const std::string& place,
                      Diagnostics& diagnostics) {
  std::size_t errors_before = diagnostics.error_count();
  auto needed = static_cast<std::size_t>(std::count_if(def.operands.begin(), def.operands.end(), [](const auto& o) {
    return o.kind == OperandKind::Required || o.kind == OperandKind::Tuple;
  }));
  if (operand_count < needed || operand_count > def.operands.size()) {
    std::string expected =
        needed == def.operands.size() ? std::to_string(needed) : fmt::format("{} to {}", needed, def.operands.size());
    diagnostics.error_at(place, fmt::format("{} takes {} operands, found {}", def.name, expected, operand_count));
  }
  for (const AttrDict::Entry& entry : attributes.entries()) {
    const auto& [name, value] = entry;
    auto declared = std::find_if(def.attributes.begin(), def.attributes.end(),
                                 [&](const AttrDef& attr) { return attr.name == entry.first.name(); });
    if (declared == def.attributes.end()) {
      report_unknown(def, name, place, diagnostics);
    } else if (!fits(value, declared->type) && !is_open_element(*declared, value)) {
      diagnostics.error_at(place, fmt::format("attribute '{}' of {} must be {}, found {}", name.name(), def.name,
                                              type_words(declared->type), value.text()));
    } else if (!is_flag_value(*declared, value)) {
      diagnostics.error_at(place,
                           fmt::format("attribute '{}' of {} must be 0 or 1, found {}", name.name(), def.name, value.text()));
    } else if (!is_choice(*declared, value)) {
      report_choice(def, *declared, value, place, diagnostics);
    }
  }
  for (const AttrDef& attr : def.attributes) {
    if (std::holds_alternative<Required>(attr.otherwise) && !attributes.find(attr.name)) {
      diagnostics.error_at(place, fmt::format("{} needs the attribute '{}' ({})", def.name, attr.name, type_words(attr.type)));
    }
  }
  return diagnostics.error_count() == errors_before;
}

}  // namespace vouch
