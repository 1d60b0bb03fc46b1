// What operators do alike for types and ranks: the element types that they take, from the rows of ops/operand_types.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/op_table.h"
#include "tensor/type_set.h"

namespace vouch {

// How finely a definition looks at the element types that its operands may have. Types that it does not tell apart may be
// exchanged for each other in a call: then its kernel is the same but for their names, and so are its conditions and sizes.
enum class TypeSense : std::uint8_t {
  Moves,      // not at all: its operands of any type share one type, which is its results' (or these have one that is always the
              // same), and it computes nothing with their elements
  Kinds,      // floats, signed integers, unsigned integers, bool
  Widths,     // the same, and float16 and bfloat16, which are computed in float32, from wider floats
  Fractions,  // the same, and each integer type by itself: it is computed with fractions, which its elements lose
  Each,       // each type may mean something else
};

struct OperandTypes {
  TypeSense sense = TypeSense::Each;
  std::vector<TypeSet> operands;  // also of a tuple's items; the last one holds for all that follow
  // Operands are broadcast together; what is legal, and the sizes of the result, are decided along each axis (from the end) by
  // the sizes along it and by which operands have it. An element is a function of the elements at its place.
  bool axiswise = false;

  TypeSet of(std::size_t operand) const {
    return operands.empty() ? kAllTypes : operands[std::min(operand, operands.size() - 1)];
  }
};

const OperandTypes& operand_types(OpId op);
// The row of this operator; each has one.
const OperandTypes& operand_types_of(std::string_view op);

}  // namespace vouch
