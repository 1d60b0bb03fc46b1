// The element type of a constant that the target makes, where the rule says none: what its value is made of decides, by the
// rule's text alone, so that checker and rewriter cannot read it differently from the numbers that they find.
//  - sizes, ranks, integer attributes, integers and lists of them: int64;
//  - fractions and float attributes: float32, as ONNX's attributes are;
//  - elements of another constant: its type. If it is one that calls take as a list alone, int64.
#pragma once

#include "rule/ast.h"

namespace vouch {

// Is it an input that calls take as a list of sizes or axes, and as nothing else?
bool only_lists(const Rule& rule, PatternId id);

struct ConstantType {
  enum class Kind : std::uint8_t { Integers, Fractions, Elements, Unknown };
  Kind kind = Kind::Unknown;
  PatternId constant = kNone;  // Elements: of this one
};

// Of what the `value` of a constant is made.
ConstantType constant_type(const Rule& rule, AttrId value);

}  // namespace vouch
