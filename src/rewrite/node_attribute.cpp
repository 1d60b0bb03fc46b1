#include <algorithm>
#include <cmath>

#include "graph/declared_length.h"
#include "graph/default_attribute.h"
#include "rewrite/match.h"
#include "rewrite/scope_terms.h"
#include "tensor/element.h"
#include "term/infinity.h"

namespace vouch {
namespace {

// The elements of a tensor as an attribute: a number for one element, a tuple for rank 1, else the tensor itself.
AttrValue tensor_attribute(const Tensor& value) {
  constexpr std::int64_t kLongestTuple = 4096;
  auto element = [&](std::int64_t at) {
    if (!is_float(value.dtype())) {
      return AttrValue(int_const(whole_element(value, at)));
    }
    double number = value.double_at(at);
    return std::isfinite(number) ? AttrValue::of_float(number) : AttrValue(std::to_string(number));
  };
  if (value.rank() == 0) {
    return element(0);
  }
  if (value.rank() == 1 && value.count() <= kLongestTuple) {
    AttrTuple items;
    for (std::int64_t i = 0; i < value.count(); ++i) {
      items.push_back(element(i));
    }
    return AttrValue(std::move(items));
  }
  return AttrValue(std::make_shared<const Tensor>(value));
}

AttrTuple shape_tuple(Type type) {
  AttrTuple out;
  for (Term extent : type.extents()) {
    out.emplace_back(extent);
  }
  return out;
}

// Every default of the operator table as an attribute value, by operator.
using Defaults = std::vector<std::vector<std::pair<Symbol, AttrValue>>>;

Defaults all_defaults() {
  Defaults defaults(op_count());
  for (std::size_t op = 0; op < defaults.size(); ++op) {
    for (const AttrDef& attr : op_def(static_cast<OpId>(op)).attributes) {
      if (const auto* whole = std::get_if<std::int64_t>(&attr.otherwise)) {
        defaults[op].emplace_back(Symbol(attr.name), AttrValue(*whole));
      } else if (const auto* number = std::get_if<double>(&attr.otherwise)) {
        defaults[op].emplace_back(Symbol(attr.name), AttrValue::of_float(*number));
      } else if (const auto* text = std::get_if<std::string_view>(&attr.otherwise)) {
        defaults[op].emplace_back(Symbol(attr.name), AttrValue(std::string(*text)));
      }
    }
  }
  return defaults;
}

const AttrValue* default_of(OpId op, Symbol name) {
  static const auto* defaults = new Defaults(all_defaults());  // never freed: values outlive statics
  for (const auto& [attr, value] : (*defaults)[op]) {
    if (attr == name) {
      return &value;
    }
  }
  return nullptr;
}

// The element that a number of a rule means in a tensor of this type.
AttrValue as_element(DType dtype, const AttrValue& number) {
  Term term = *number.number();
  auto nearest = term.kind() == TermKind::RealConst ? nearest_element(dtype, term->value) : std::nullopt;
  return nearest && *nearest != term->value ? AttrValue(real_const(*nearest)) : number;
}

// The list that a call leaves out, where the operator table says what each of its items then is.
std::optional<AttrValue> list_left_out(const Graph& graph, NodeId node, Symbol name) {
  if (graph.kind(node) != NodeKind::Call || graph.operands(node).empty()) {
    return std::nullopt;
  }
  NodeId first = graph.operands(node)[0];
  for (const AttrDef& def : op_def(graph.op(node)).attributes) {
    if (def.each_if_absent && name == Symbol(def.name) && first != kNoNode && graph.type(first).is_tensor()) {
      auto length = declared_length(def.length, graph.type(first).rank());
      return length ? std::optional(AttrValue(AttrTuple(*length, AttrValue(*def.each_if_absent)))) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

const AttrValue* own_attribute(const Graph& graph, NodeId node, Symbol name) {
  if (graph.kind(node) != NodeKind::Call) {
    return nullptr;
  }
  const AttrValue* given = graph.attributes(node).find(name);
  return given != nullptr ? given : default_of(graph.op(node), name);
}

bool leaves_out(const Graph& graph, NodeId call, Symbol name) {
  const auto& declared = op_def(graph.op(call)).attributes;
  const AttrValue* given = graph.attributes(call).find(name);
  return given == nullptr || std::any_of(declared.begin(), declared.end(),
                                         [&](const AttrDef& def) { return name == Symbol(def.name) && is_default(def, *given); });
}

bool holds_only(const Tensor& value, const AttrValue& wanted) {
  if (value.rank() > 1 || value.count() == 0 || wanted.number() == nullptr) {
    return false;
  }
  const AttrValue number = as_element(value.dtype(), wanted);
  const std::optional<bool> infinite = infinite_sign(*wanted.number());
  auto same = [&](std::int64_t at) {
    if (!is_float(value.dtype())) {
      return same_value(AttrValue(int_const(whole_element(value, at))), number);
    }
    double element = value.double_at(at);
    if (infinite || std::isinf(element)) {
      return infinite && std::isinf(element) && *infinite == (element > 0);
    }
    return std::isfinite(element) && same_value(AttrValue::of_float(element), number);
  };
  if (!same(0)) {
    return false;
  }
  std::size_t width = value.bytes().size() / static_cast<std::size_t>(value.count());
  auto first = value.bytes().first(width);
  for (std::int64_t at = 1; at < value.count(); ++at) {
    auto element = value.bytes().subspan(static_cast<std::size_t>(at) * width, width);
    // Other bytes may still be the same number: -0 and 0.
    if (!std::equal(first.begin(), first.end(), element.begin()) && !same(at)) {
      return false;
    }
  }
  return true;
}

std::optional<AttrValue> node_attribute(const Graph& graph, NodeId node, Symbol name) {
  static const Symbol kShape("shape");
  static const Symbol kRank("rank");
  static const Symbol kDtype("dtype");
  static const Symbol kValue("value");
  static const Symbol kLength("length");
  static const Symbol kIndex("index");
  Type type = graph.type(node);
  // An operator's own attribute wins over the derived one of the same name.
  if (const AttrValue* own = own_attribute(graph, node, name)) {
    return *own;
  }
  if (auto list = list_left_out(graph, node, name)) {
    return list;
  }
  if (name == kShape && type.is_tensor()) {
    return AttrValue(shape_tuple(type));
  }
  if (name == kRank && type.is_tensor()) {
    return AttrValue(static_cast<std::int64_t>(type.rank()));
  }
  if (name == kDtype && type.is_tensor()) {
    return AttrValue(std::string(dtype_name(type.dtype())));
  }
  if (name == kLength && type.is_tuple()) {
    return AttrValue(static_cast<std::int64_t>(type.items().size()));
  }
  if (name == kIndex && graph.kind(node) == NodeKind::Projection) {
    return AttrValue(static_cast<std::int64_t>(graph.projection_index(node)));
  }
  if (name == kValue && graph.has_value(node)) {
    return tensor_attribute(graph.value(node));
  }
  return std::nullopt;
}

}  // namespace vouch
