// The nodes of a target: calls with their attributes, tuples, projections, constants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rewrite/builder.h"
#include "rewrite/wild_numbers.h"
#include "rule/float_attribute.h"
#include "rule/print.h"
#include "tensor/element.h"
#include "term/infinity.h"

namespace vouch {
namespace {

// The element of floats that a computed number becomes. Nothing where that is infinite, or so small that more than half of the
// digits are lost: of those of the type, or of a wider one that is computed in.
std::optional<Rational> kept_float(DType dtype, const Rational& number, int digits) {
  auto nearest = nearest_element(dtype, number);
  Rational lost = nearest ? abs(*nearest - number) : Rational(0);
  bool kept = nearest && lost * Rational(std::int64_t{1} << ((digits + 1) / 2)) <= abs(number);
  return kept ? nearest : std::nullopt;
}

// The value of a float attribute, which is of float32, where floats of so many digits are computed with. Nothing where a number
// is not kept; what is no number stays.
std::optional<AttrValue> kept_float(const AttrValue& value, int digits) {
  if (const AttrTuple* items = value.tuple()) {
    AttrTuple out;
    for (const AttrValue& item : *items) {
      auto kept = kept_float(item, digits);
      if (!kept) {
        return std::nullopt;
      }
      out.push_back(std::move(*kept));
    }
    return AttrValue(std::move(out));
  }
  if (value.number() == nullptr || !is_const(*value.number())) {
    return value;
  }
  auto kept = kept_float(DType::Float32, (*value.number())->value, digits);
  return kept ? std::optional(AttrValue(real_const(*kept))) : std::nullopt;
}

// Of the widest floats among the operands, but at least of float32.
int digits_of(const Graph& graph, const std::vector<NodeId>& operands) {
  int digits = exact_bits(DType::Float32);
  for (NodeId operand : operands) {
    bool floats = operand != kNoNode && graph.type(operand).is_tensor() && is_float(graph.type(operand).dtype());
    digits = floats ? std::max(digits, exact_bits(graph.type(operand).dtype())) : digits;
  }
  return digits;
}

}  // namespace

NodeId TargetBuilder::make_call(PatternId id) {
  const Pattern& p = rule_->pattern(id);
  operands_.clear();
  for (PatternId operand : p.operands) {
    operands_.push_back(operand == kNone ? kNoNode : value_of(operand));
  }
  OpId op = p.op ? *p.op : match_->operators[plan_->op_variable[id]];
  if (op == kNoOperator) {
    fail(fmt::format("the operator {} was not matched", p.op_variable.name()));
    return kNoNode;
  }
  AttrDict attributes;
  if (!attributes_of(id, op, attributes)) {
    return kNoNode;
  }
  Diagnostics diagnostics;
  NodeId node = graph_.add_call(op, operands_, attributes, diagnostics);
  if (node == kNoNode) {
    fail(diagnostics.all()[0].message);
  }
  return node;
}

bool TargetBuilder::attributes_of(PatternId id, OpId op, AttrDict& out) {
  const Pattern& p = rule_->pattern(id);
  if (p.attributes.empty() && p.attributes_as == kNone) {
    return true;
  }
  if (const AttrDict* fixed = plan_->fixed_attributes(id)) {
    out = *fixed;
    return true;
  }
  std::vector<AttrDict::Entry> entries;
  for (const PatternAttr& attr : p.attributes) {
    if (stays_absent(p, attr)) {
      continue;
    }
    auto value = eval(attr.value);
    if (!value) {
      return fail(fmt::format("attribute {} has no value: {}", attr.name.name(), print_attr(*rule_, attr.value)));
    }
    if (is_float_attribute(op, attr.name)) {
      auto kept = kept_float(*value, digits_of(graph_, operands_));
      if (!kept) {
        return fail(fmt::format("attribute {} would be {}, which does not fit into float32", attr.name.name(), value->text()));
      }
      value = std::move(kept);
    }
    entries.emplace_back(attr.name, std::move(*value));
  }
  if (p.attributes_as != kNone) {
    add_attributes_of(p, entries);
  }
  out = AttrDict(std::move(entries));
  return true;
}

// `* as c`: what the other call gives and this pattern does not mention.
void TargetBuilder::add_attributes_of(const Pattern& p, std::vector<AttrDict::Entry>& entries) const {
  for (const AttrDict::Entry& entry : graph_.attributes(node_of(p.attributes_as)).entries()) {
    bool mentioned =
        std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& attr) { return attr.name == entry.first; });
    if (!mentioned) {
      entries.push_back(entry);
    }
  }
}

namespace {

const AttrDef* declared_attribute(OpId op, Symbol name) {
  const std::vector<AttrDef>& all = op_def(op).attributes;
  auto found = std::find_if(all.begin(), all.end(), [&](const AttrDef& def) { return name == Symbol(def.name); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

// `_`, or an attribute that is taken from a call which leaves it out, where leaving it out means the same here.
bool TargetBuilder::stays_absent(const Pattern& p, const PatternAttr& attr) const {
  const AttrExpr& wanted = rule_->attr(attr.value);
  if (!p.op || wanted.kind != AttrKind::Access || wanted.name != attr.name) {
    return wanted.kind == AttrKind::Absent;
  }
  NodeId from = node_of(wanted.pattern);
  if (from == kNoNode || graph_.kind(from) != NodeKind::Call || own_attribute(graph_, from, attr.name) != nullptr) {
    return false;
  }
  const AttrDef* here = declared_attribute(*p.op, attr.name);
  const AttrDef* there = declared_attribute(graph_.op(from), attr.name);
  return here != nullptr && there != nullptr && std::holds_alternative<Absent>(here->otherwise) &&
         here->each_if_absent == there->each_if_absent;
}

NodeId TargetBuilder::make_tuple(const Pattern& p) {
  operands_.clear();
  for (PatternId item : p.operands) {
    operands_.push_back(value_of(item));
  }
  return graph_.add_tuple(operands_);
}

NodeId TargetBuilder::make_projection(const Pattern& p) {
  NodeId tuple = value_of(p.operands[0]);
  auto value = eval(p.attributes[0].value);
  auto index = value ? value->int64() : std::nullopt;
  if (!index || !graph_.type(tuple).is_tuple() || *index < 0 ||
      *index >= static_cast<std::int64_t>(graph_.type(tuple).items().size())) {
    return kNoNode;
  }
  return graph_.add_projection(tuple, static_cast<std::uint32_t>(*index));
}

namespace {

// Whether an element of the type can be this number, or be rounded to it.
bool holds(DType dtype, const Rational& number) {
  return is_float(dtype) ? kept_float(dtype, number, exact_bits(dtype)).has_value() : has_number(dtype, number);
}

// One number fills a given shape. Nothing where the type has no such number.
std::optional<Tensor> constant_of(const AttrTuple& items, DType dtype, Extents extents) {
  auto count = element_count(extents);
  constexpr std::int64_t kMostElements = 1 << 26;
  bool fill = items.size() == 1;
  if (!count || *count > kMostElements || (!fill && *count != static_cast<std::int64_t>(items.size()))) {
    return std::nullopt;
  }
  Tensor tensor(dtype, std::move(extents));
  for (std::int64_t i = 0; i < *count; ++i) {
    const Term* number = items[fill ? 0 : static_cast<std::size_t>(i)].number();
    if (auto positive = number && is_float(dtype) ? infinite_sign(*number) : std::nullopt) {
      tensor.set_double(i, *positive ? INFINITY : -INFINITY);
      continue;
    }
    if (number == nullptr || !is_const(*number) || !holds(dtype, (*number)->value)) {
      return std::nullopt;
    }
    if (is_float(dtype)) {
      tensor.set_double(i, double_of((*number)->value));
    } else {
      Integer whole = numerator((*number)->value);
      tensor.set_int(i,
                     whole < 0 ? whole.convert_to<std::int64_t>() : static_cast<std::int64_t>(whole.convert_to<std::uint64_t>()));
    }
  }
  return tensor;
}

// A whole tensor has to be of the type and shape that are given.
std::optional<Tensor> whole_constant(const Tensor& whole, DType dtype, const std::optional<Extents>& shape) {
  bool fits = whole.dtype() == dtype && (!shape || whole.extents() == *shape);
  return fits ? std::optional(whole) : std::nullopt;
}

// `value` is a number, a tuple of numbers, or a whole tensor.
std::optional<Tensor> constant_of(const AttrValue& value, DType dtype, const std::optional<Extents>& shape) {
  if (const Tensor* whole = value.tensor()) {
    return whole_constant(*whole, dtype, shape);
  }
  AttrTuple items = value.tuple() ? *value.tuple() : AttrTuple{value};
  Extents own = value.tuple() ? Extents{static_cast<std::int64_t>(items.size())} : Extents{};
  return constant_of(items, dtype, shape ? *shape : own);
}

bool is_open(const AttrValue& value) {
  const AttrTuple* items = value.tuple();
  return items ? std::any_of(items->begin(), items->end(), is_open) : value.number() && !is_const(*value.number());
}

}  // namespace

NodeId TargetBuilder::make_constant(const Pattern& p) {
  std::optional<AttrValue> value;
  std::optional<AttrValue> dtype_given;
  std::optional<AttrValue> shape_given;
  for (const PatternAttr& attr : p.attributes) {
    auto found = eval(attr.value);
    if (!found) {
      fail(fmt::format("{} of a constant has no value: {}", attr.name.name(), print_attr(*rule_, attr.value)));
      return kNoNode;
    }
    (attr.name.name() == "dtype" ? dtype_given : attr.name.name() == "shape" ? shape_given : value) = std::move(found);
  }
  auto shape = shape_given ? shape_given->int64s() : std::nullopt;
  bool typed = dtype_given && dtype_given->string() && parse_dtype(*dtype_given->string()).has_value();
  if (!value || !typed || (shape_given && !shape)) {
    return kNoNode;
  }
  DType dtype = parse_dtype(*dtype_given->string()).value();
  auto tensor = constant_of(*value, dtype, shape);
  if (!tensor) {
    fail(is_open(*value) ? fmt::format("{} is no constant: it has sizes that the model leaves open", value->text())
                         : fmt::format("{} does not fit into a constant of {}", value->text(), dtype_name(dtype)));
  }
  return tensor ? graph_.add_constant(std::move(*tensor)) : kNoNode;
}

}  // namespace vouch
