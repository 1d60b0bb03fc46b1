// ONNX attributes as Vouch holds them.
#pragma once

#include <functional>
#include <optional>

#include "graph/op_def.h"
#include "io/onnx_proto.h"
#include "io/onnx_tensor.h"

namespace vouch {

using ImportSubgraph = std::function<std::shared_ptr<const Graph>(const onnx::GraphProto&)>;

// Whether the attribute has a form as AttrValue: kinds, element types and numbers that have none are left to foreign nodes.
bool has_attribute_form(const onnx::AttributeProto& attribute);
// Whether a Constant node whose one attribute this is gives a tensor of the element types here.
bool is_constant_form(const onnx::AttributeProto& attribute);
// Whether ONNX has an element type of this name.
bool is_element_name(const std::string& name);

// By the attribute's own ONNX type: integers and floats as constants, the rest likewise. Floats that are not finite
// and kinds that Vouch has not are reported.
std::optional<AttrValue> attribute_of_onnx(const onnx::AttributeProto& attribute, const TensorSource& source,
                                           const ImportSubgraph& import_subgraph, Diagnostics& diagnostics);

// The value as this declaration wants it: ONNX numbers element types that Vouch names.
AttrValue fit_attribute(const AttrDef& declared, AttrValue value);

// The ONNX form of a value under its declaration; false if it has none (a symbolic number). Graphs are the caller's.
bool fill_attribute(const AttrDef& declared, const AttrValue& value, onnx::AttributeProto& attribute);

}  // namespace vouch
