// ONNX nodes, values and types that the operator table and the element types do not cover: kept as they are spelt.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/foreign.h"
#include "io/onnx_proto.h"

namespace vouch {

// Element types that a tensor here cannot have: strings, complex numbers, floats of 8 bits, integers of 4, …
bool is_foreign_element(int data_type);

// What a model declares of a value: a tensor if element type and number of axes are said; sizes that are left open, negative
// or zero are unknown, named by `dim_param`, else by `value` and the axis.
Type declared_type(const onnx::TypeProto& declared, const std::string& value);
// What such a size is called where `dim_param` does not name it.
std::string open_size_name(const std::string& value, int axis);
// The declaration of a type, as it was read or as a tensor's is written.
void declare_type(Type type, onnx::TypeProto& out);

// The bytes of a foreign tensor's elements; nothing where they have no fixed width.
std::optional<std::uint64_t> foreign_byte_count(const onnx::TensorProto& tensor);

// The names that the node reads, in order: its own inputs that are there, then what each subgraph captures.
std::vector<std::string> names_of_operands(const onnx::NodeProto& node);

// Writes these names in the places that `names_of_operands` lists. What a subgraph defines itself takes the name that `claim`
// gives.
void rename_operands(onnx::NodeProto& node, const std::vector<std::string>& names,
                     const std::function<std::string(const std::string&)>& claim);

// What a node of ONNX's own domain means in a model of this opset, where its results follow from its operands: the same text for
// nodes that differ in names alone. Empty where that is not known: graphs within, random numbers.
std::string meaning_of_foreign(const onnx::NodeProto& node, std::int64_t opset);
// Of a constant value.
std::string meaning_of_foreign(const onnx::TensorProto& value);

// The operator of the node, or of one in a graph within, that means something else in models of the other opset.
std::optional<std::string> changed_operator(const onnx::NodeProto& node, std::int64_t opset, std::int64_t other);

}  // namespace vouch
