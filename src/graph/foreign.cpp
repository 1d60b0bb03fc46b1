#include "graph/foreign.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch {
namespace {

constexpr std::string_view kName = "foreign";

// A tensor as its element type and extents, anything else as its text and spelling.
AttrValue of_type(Type type) {
  if (!type.is_tensor()) {
    return AttrTuple{AttrValue(type.text()), AttrValue(foreign_spelling(type))};
  }
  AttrTuple extents(type.extents().begin(), type.extents().end());
  return AttrTuple{AttrValue(std::string(dtype_name(type.dtype()))), AttrValue(std::move(extents))};
}

Type type_said(const AttrValue& value) {
  const AttrTuple& both = *value.tuple();
  const AttrTuple* extents = both[1].tuple();
  if (extents == nullptr) {
    return foreign_type(*both[0].string(), *both[1].string());
  }
  std::vector<Term> terms;
  std::transform(extents->begin(), extents->end(), std::back_inserter(terms), [](const AttrValue& e) { return *e.number(); });
  return Type::tensor(*parse_dtype(*both[0].string()), std::move(terms));
}

bool is_type(const AttrValue& value) {
  const AttrTuple* both = value.tuple();
  if (both == nullptr || both->size() != 2 || (*both)[0].string() == nullptr) {
    return false;
  }
  const AttrTuple* extents = (*both)[1].tuple();
  if (extents == nullptr) {
    return (*both)[1].string() != nullptr && !(*both)[0].string()->empty();
  }
  return parse_dtype(*(*both)[0].string()) && std::all_of(extents->begin(), extents->end(), [](const AttrValue& e) {
           return e.number() != nullptr && (*e.number()).sort() == Sort::Int;
         });
}

}  // namespace

bool lists_types(const AttrValue& value) {
  return value.tuple() != nullptr && std::all_of(value.tuple()->begin(), value.tuple()->end(), is_type);
}

bool has_foreign(Type type) {
  return is_foreign(type) || (type.is_tuple() && std::any_of(type.items().begin(), type.items().end(), has_foreign));
}

OpId foreign_op() {
  static const OpId id = find_op(kName).value();
  return id;
}

AttrDict foreign_attributes(const ForeignCall& call) {
  AttrTuple results;
  std::transform(call.results.begin(), call.results.end(), std::back_inserter(results), of_type);
  return AttrDict({{Symbol("domain"), call.domain},
                   {Symbol("op"), call.op},
                   {Symbol("spelling"), call.spelling},
                   {Symbol("is_value"), call.is_value ? 1 : 0},
                   {Symbol("results"), std::move(results)},
                   {Symbol("opset"), call.opset},
                   {Symbol("meaning"), call.meaning}});
}

ForeignCall foreign_call(AttrDict attributes) {
  return {*attributes.find("domain")->string(),
          *attributes.find("op")->string(),
          *attributes.find("spelling")->string(),
          attributes.find("is_value")->int64() == 1,
          *listed_results(op_def(foreign_op()), attributes),
          attributes.find("opset")->int64().value_or(0),
          *attributes.find("meaning")->string()};
}

const std::string& foreign_meaning(AttrDict attributes) { return *attributes.find("meaning")->string(); }

std::string operator_text(const Graph& graph, NodeId call) {
  if (graph.op(call) != foreign_op()) {
    return std::string(op_def(graph.op(call)).name);
  }
  ForeignCall foreign = foreign_call(graph.attributes(call));
  return foreign.domain.empty() ? foreign.op : fmt::format("{}.{}", foreign.domain, foreign.op);
}

std::optional<std::vector<Type>> listed_results(const OpDef& def, AttrDict attributes) {
  if (def.name != kName) {
    return std::nullopt;
  }
  const AttrValue* listed = attributes.find("results");
  ensure(listed != nullptr && lists_types(*listed), "a foreign call says what it gives");
  std::vector<Type> out;
  std::transform(listed->tuple()->begin(), listed->tuple()->end(), std::back_inserter(out), type_said);
  return out;
}

}  // namespace vouch
