#include "io/onnx_attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vouch {
namespace {

using Attribute = onnx::AttributeProto;

// Files of early versions leave the type out.
Attribute::AttributeType kind_of(const Attribute& attribute) {
  if (attribute.type() != Attribute::UNDEFINED) {
    return attribute.type();
  }
  return attribute.has_f()              ? Attribute::FLOAT
         : attribute.has_i()            ? Attribute::INT
         : attribute.has_s()            ? Attribute::STRING
         : attribute.has_t()            ? Attribute::TENSOR
         : attribute.has_g()            ? Attribute::GRAPH
         : attribute.floats_size() > 0  ? Attribute::FLOATS
         : attribute.strings_size() > 0 ? Attribute::STRINGS
                                        : Attribute::INTS;
}

// Attributes are exact numbers: infinity, NaN and -0 are none of them.
bool has_form(float value) { return std::isfinite(value) && !(value == 0 && std::signbit(value)); }

std::optional<AttrValue> of_floats(const google::protobuf::RepeatedField<float>& values, const std::string& name,
                                   const std::string& place, Diagnostics& diagnostics) {
  AttrTuple items;
  for (float value : values) {
    if (!has_form(value)) {
      diagnostics.error_at(place, fmt::format("attribute '{}' holds {}: expected a finite number other than -0", name, value));
      return std::nullopt;
    }
    items.push_back(AttrValue::of_float(value));
  }
  return AttrValue(std::move(items));
}

std::optional<AttrValue> of_tensor(std::optional<Tensor> tensor) {
  return tensor ? std::optional(AttrValue(std::make_shared<const Tensor>(std::move(*tensor)))) : std::nullopt;
}

}  // namespace

bool has_attribute_form(const Attribute& attribute) {
  switch (kind_of(attribute)) {
    case Attribute::FLOAT: return has_form(attribute.f());
    case Attribute::FLOATS: return std::all_of(attribute.floats().begin(), attribute.floats().end(), has_form);
    case Attribute::TENSOR: return dtype_of_onnx(attribute.t().data_type()).has_value();
    case Attribute::SPARSE_TENSOR: return dtype_of_onnx(attribute.sparse_tensor().values().data_type()).has_value();
    case Attribute::INT:
    case Attribute::STRING:
    case Attribute::INTS:
    case Attribute::STRINGS:
    case Attribute::GRAPH: return true;
    case Attribute::UNDEFINED:
    case Attribute::TENSORS:
    case Attribute::GRAPHS:
    case Attribute::SPARSE_TENSORS:
    case Attribute::TYPE_PROTO:
    case Attribute::TYPE_PROTOS: break;
  }
  return false;
}

bool is_constant_form(const Attribute& attribute) {
  return attribute.name() != "value_string" && attribute.name() != "value_strings" &&
         (kind_of(attribute) == Attribute::FLOAT || kind_of(attribute) == Attribute::FLOATS || has_attribute_form(attribute));
}

bool is_element_name(const std::string& name) {
  onnx::TensorProto::DataType known = onnx::TensorProto::UNDEFINED;
  bool newer = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;  // a number that has no name here
  return newer || (onnx::TensorProto::DataType_Parse(name, &known) && known != onnx::TensorProto::UNDEFINED);
}

std::optional<AttrValue> attribute_of_onnx(const Attribute& attribute, const TensorSource& source,
                                           const ImportSubgraph& import_subgraph, Diagnostics& diagnostics) {
  const std::string& name = attribute.name();
  switch (kind_of(attribute)) {
    case Attribute::INT: return AttrValue(attribute.i());
    case Attribute::FLOAT: {
      google::protobuf::RepeatedField<float> one;
      one.Add(attribute.f());
      auto items = of_floats(one, name, source.place, diagnostics);
      return items ? std::optional((*items->tuple())[0]) : std::nullopt;
    }
    case Attribute::STRING: return AttrValue(attribute.s());
    case Attribute::INTS: return AttrValue::of_ints({attribute.ints().data(), static_cast<std::size_t>(attribute.ints_size())});
    case Attribute::FLOATS: return of_floats(attribute.floats(), name, source.place, diagnostics);
    case Attribute::STRINGS: return AttrValue(AttrTuple(attribute.strings().begin(), attribute.strings().end()));
    case Attribute::TENSOR: return of_tensor(tensor_of_proto(attribute.t(), source, diagnostics));
    case Attribute::SPARSE_TENSOR: return of_tensor(tensor_of_sparse(attribute.sparse_tensor(), source, diagnostics));
    case Attribute::GRAPH: {
      auto graph = import_subgraph(attribute.g());
      return graph ? std::optional(AttrValue(std::move(graph))) : std::nullopt;
    }
    case Attribute::UNDEFINED:
    case Attribute::TENSORS:
    case Attribute::GRAPHS:
    case Attribute::SPARSE_TENSORS:
    case Attribute::TYPE_PROTO:
    case Attribute::TYPE_PROTOS: break;
  }
  diagnostics.error_at(source.place, fmt::format("attribute '{}' is of kind {}, which is not supported", name,
                                                 Attribute::AttributeType_Name(kind_of(attribute))));
  return std::nullopt;
}

AttrValue fit_attribute(const AttrDef& declared, AttrValue value) {
  if (declared.type == AttrType::DType && value.int64()) {
    std::int64_t number = *value.int64();
    auto dtype = number >= 0 && number <= INT32_MAX ? dtype_of_onnx(static_cast<int>(number)) : std::nullopt;
    return dtype ? AttrValue(std::string(dtype_name(*dtype)))
                 : AttrValue(onnx_type_name(static_cast<int>(std::clamp<std::int64_t>(number, -1, INT32_MAX))));
  }
  return value;
}

namespace {

std::optional<float> float_of(const AttrValue& value) {
  if (!value.number() || !is_const(*value.number())) {
    return std::nullopt;
  }
  return static_cast<float>(double_of((*value.number())->value));
}

bool fill_ints(const AttrValue& value, Attribute& attribute) {
  attribute.set_type(Attribute::INTS);
  auto values = value.int64s();
  for (std::int64_t item : values.value_or(std::vector<std::int64_t>())) {
    attribute.add_ints(item);
  }
  return values.has_value();
}

bool fill_int(std::optional<std::int64_t> value, Attribute& attribute) {
  attribute.set_type(Attribute::INT);
  attribute.set_i(value.value_or(0));
  return value.has_value();
}

bool fill_floats(const AttrTuple& items, Attribute& attribute) {
  attribute.set_type(Attribute::FLOATS);
  for (const AttrValue& item : items) {
    auto number = float_of(item);
    if (!number) {
      return false;
    }
    attribute.add_floats(*number);
  }
  return true;
}

bool fill_strings(const AttrTuple& items, Attribute& attribute) {
  attribute.set_type(Attribute::STRINGS);
  for (const AttrValue& item : items) {
    if (!item.string()) {
      return false;
    }
    attribute.add_strings(*item.string());
  }
  return true;
}

}  // namespace

bool fill_attribute(const AttrDef& declared, const AttrValue& value, Attribute& attribute) {
  attribute.set_name(std::string(declared.name));
  switch (declared.type) {
    case AttrType::Int: return fill_int(value.int64(), attribute);
    case AttrType::Float: {
      auto number = float_of(value);
      attribute.set_type(Attribute::FLOAT);
      attribute.set_f(number.value_or(0));
      return number.has_value();
    }
    case AttrType::String:
      attribute.set_type(Attribute::STRING);
      attribute.set_s(value.string() ? *value.string() : std::string());
      return value.string() != nullptr;
    case AttrType::DType: {
      auto dtype = value.string() ? parse_dtype(*value.string()) : std::nullopt;
      return fill_int(dtype ? std::optional<std::int64_t>(onnx_of_dtype(*dtype)) : std::nullopt, attribute);
    }
    case AttrType::IntOrInts: return value.tuple() ? fill_ints(value, attribute) : fill_int(value.int64(), attribute);
    case AttrType::Ints: return fill_ints(value, attribute);
    case AttrType::Floats: return value.tuple() && fill_floats(*value.tuple(), attribute);
    case AttrType::Strings: return value.tuple() && fill_strings(*value.tuple(), attribute);
    case AttrType::Tensor:
      attribute.set_type(Attribute::TENSOR);
      if (value.tensor()) {
        fill_proto(*value.tensor(), {}, *attribute.mutable_t());
      }
      return value.tensor() != nullptr;
    case AttrType::Graph:
    case AttrType::Tuple: return false;
  }
  return false;
}

}  // namespace vouch
