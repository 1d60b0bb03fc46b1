// Numbers that are written for float attributes. ONNX's are of float32: what is written means the float32 nearest to it, wherever
// the rule is matched, proven, refuted or built. What is computed from a match is rounded where it is computed.
#pragma once

#include <optional>

#include "rule/ast.h"

namespace vouch {

// Does the expression read a float attribute of a call, or an item of one that is a list of floats?
bool is_float_attribute(const Rule& rule, AttrId attr);
// Is the operator's attribute of that name one float or several?
bool is_float_attribute(OpId op, Symbol name);

// The value of an expression of numbers alone, as float32 has it. Nothing for any other, for what float32 has as it is, and for
// what is out of its range: that is no value of a float attribute.
std::optional<AttrValue> written_float(const Rule& rule, AttrId attr);

}  // namespace vouch
