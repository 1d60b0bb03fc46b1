// What of operators and attributes is mistaken for what: asked by whoever makes wrong neighbours of a rule, or mends a wrong one.
#pragma once

#include <vector>

#include "graph/op_def.h"
#include "graph/op_table.h"

namespace vouch {

// What an attribute says, as far as its declaration tells.
enum class AttrRole : std::uint8_t {
  Axis,     // which axis or axes
  Step,     // strides and dilations: integers that are 1 where they are not given
  Padding,  // amounts that are 0 where they are not given
  Group,    // a number of parts, 1 where it is not given
  Flag,
  Other,
};
AttrRole role_of(const AttrDef& attribute);

// Operators with operands and attributes of the same meaning, which do something else with the elements.
std::vector<OpId> kin_of(OpId op);

}  // namespace vouch
