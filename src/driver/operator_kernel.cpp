#include "driver/operator_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "graph/op_table.h"
#include "notation/tk_from_kernel.h"

namespace vouch {
namespace {

std::optional<std::vector<std::int64_t>> integers(std::string_view text) {
  std::vector<std::int64_t> out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    auto [next, problem] = std::from_chars(at, end, out.emplace_back());
    bool more = next != end && *next == ',' && next + 1 != end;
    if (problem != std::errc() || (next != end && !more)) {
      return std::nullopt;
    }
    at = more ? next + 1 : next;
  }
  return out;
}

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<AttrValue> attribute_value(AttrType type, const std::string& text) {
  auto whole = integers(text);
  auto real = decimal(text);
  switch (type) {
    case AttrType::Int: return whole && whole->size() == 1 ? std::optional<AttrValue>((*whole)[0]) : std::nullopt;
    case AttrType::Float: return real ? std::optional(AttrValue::of_float(*real)) : std::nullopt;
    case AttrType::String: return AttrValue(text);
    case AttrType::Ints:
    case AttrType::IntOrInts: return whole && !whole->empty() ? std::optional(AttrValue::of_ints(*whole)) : std::nullopt;
    case AttrType::Floats:
    case AttrType::Strings:
    case AttrType::Tensor:
    case AttrType::DType:
    case AttrType::Graph:
    case AttrType::Tuple: break;
  }
  return std::nullopt;
}

std::optional<AttrDict> attributes_of(const OpDef& def, const OperatorCall& call, Diagnostics& diagnostics) {
  std::vector<AttrDict::Entry> entries;
  for (const std::string& text : call.attributes) {
    std::size_t equals = std::min(text.find('='), text.size());
    std::string name = text.substr(0, equals);
    auto known = std::find_if(def.attributes.begin(), def.attributes.end(), [&](const AttrDef& a) { return a.name == name; });
    bool again = std::any_of(entries.begin(), entries.end(), [&](const AttrDict::Entry& e) { return e.first == Symbol(name); });
    auto value = known == def.attributes.end() || again
                     ? std::nullopt
                     : attribute_value(known->type, text.substr(std::min(equals + 1, text.size())));
    if (!value) {
      diagnostics.error_at("--attr",
                           fmt::format("expected NAME=VALUE of an attribute of {}, each once, found '{}'", def.name, text));
      return std::nullopt;
    }
    entries.emplace_back(Symbol(name), *value);
  }
  return AttrDict(std::move(entries));
}

std::optional<std::vector<Type>> operand_types(const OperatorCall& call, Diagnostics& diagnostics) {
  std::vector<Type> types;
  for (const std::string& text : call.operands) {
    auto extents = integers(text);
    bool good = extents && std::all_of(extents->begin(), extents->end(), [](std::int64_t n) { return n >= 1; });
    if (!good || !element_count(*extents)) {
      diagnostics.error_at("--operand", fmt::format("expected sizes of at least 1 such as 2,3,5, found '{}'", text));
      return std::nullopt;
    }
    types.push_back(Type::tensor(DType::Float32, *extents));
  }
  return types;
}

}  // namespace

std::optional<TkKernel> operator_kernel(const OperatorCall& call, Diagnostics& diagnostics) {
  auto op = find_op(call.op);
  if (!op) {
    auto near = suggest(call.op, op_names());
    diagnostics.error_at("--op",
                         fmt::format("unknown operator '{}'{}", call.op, near ? fmt::format("; did you mean '{}'?", *near) : ""));
    return std::nullopt;
  }
  const OpDef& def = op_def(*op);
  auto types = operand_types(call, diagnostics);
  auto attributes = types ? attributes_of(def, call, diagnostics) : std::nullopt;
  bool tuple = std::any_of(def.operands.begin(), def.operands.end(), [](const OperandDef& o) {
    return o.kind == OperandKind::Tuple || o.kind == OperandKind::OptionalTuple;
  });
  if (attributes && (tuple || def.opaque)) {
    diagnostics.error_at("--op", fmt::format("{} {}", call.op, tuple ? "takes a list of operands" : "has no kernel"));
  }
  if (!attributes || diagnostics.has_errors() || !verify_call_form(def, types->size(), *attributes, call.op, diagnostics)) {
    return std::nullopt;
  }
  KnownContents contents(types->size(), nullptr);
  auto typing = type_call(*op, *types, *attributes, contents);
  if (!typing->error.empty()) {
    diagnostics.error_at(call.op, typing->error);
    return std::nullopt;
  }
  Kernel meaning = call_meaning(*op, *types, *attributes, contents);
  if (meaning.outputs.empty()) {
    diagnostics.error_at(call.op, "has no one meaning on operands of which only the sizes are known");
    return std::nullopt;
  }
  auto kernel = tk_from_kernel(meaning, diagnostics);
  if (kernel) {
    kernel->grad_to = kernel->inputs;
  }
  return kernel;
}

}  // namespace vouch
