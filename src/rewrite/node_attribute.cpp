#include <cmath>

#include "rewrite/match.h"

namespace vouch {
namespace {

// The elements of a tensor as an attribute: a number for one element, a tuple for rank 1, else the tensor itself.
AttrValue tensor_attribute(const Tensor& value) {
  constexpr std::int64_t kLongestTuple = 4096;
  auto element = [&](std::int64_t at) {
    if (!is_float(value.dtype())) {
      return AttrValue(value.int_at(at));
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

std::optional<AttrValue> default_of(const OpDef& def, Symbol name) {
  for (const AttrDef& attr : def.attributes) {
    if (attr.name != name.name()) {
      continue;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&attr.otherwise)) {
      return AttrValue(*whole);
    }
    if (const auto* number = std::get_if<double>(&attr.otherwise)) {
      return AttrValue::of_float(*number);
    }
    if (const auto* text = std::get_if<std::string_view>(&attr.otherwise)) {
      return AttrValue(std::string(*text));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<AttrValue> node_attribute(const Graph& graph, NodeId node, Symbol name) {
  static const Symbol kShape("shape");
  static const Symbol kRank("rank");
  static const Symbol kDtype("dtype");
  static const Symbol kValue("value");
  static const Symbol kLength("length");
  static const Symbol kIndex("index");
  Type type = graph.type(node);
  // An operator's own attribute wins over the derived one of the same name.
  if (graph.kind(node) == NodeKind::Call) {
    if (const AttrValue* given = graph.attributes(node).find(name)) {
      return *given;
    }
    if (auto otherwise = default_of(op_def(graph.op(node)), name)) {
      return otherwise;
    }
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
