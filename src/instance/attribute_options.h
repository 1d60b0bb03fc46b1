// The values with which open attributes are tried.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "instance/axis_forms.h"

namespace vouch {

// Values that an attribute of a source call takes when the pattern leaves it open. An open number inside is the symbol
// that `symbol` makes from a suffix.
struct AttributeNeeds {
  const AttrDef* def = nullptr;
  std::size_t rank = 0;      // of the first tensor operand
  std::size_t max_rank = 4;  // of any operand
  std::size_t results = 4;   // the most axes that a result is tried with
  bool number = false;       // the operator wants numbers: no symbols
  bool must_exist = false;   // the pattern asks for it (`axis = any`)
  bool looked_at = false;    // the rule looks at it: a number, lists and absence are told apart
  AxisForm form = AxisForm::Full;
};

// What the values depend on besides the attribute's declaration.
enum class ChoicesFollowFrom : std::uint8_t { Nothing, LargestRank, FirstOperand, AllOperands };
ChoicesFollowFrom choices_follow_from(const AttributeNeeds& needs);

struct AttributeOptions {
  std::vector<std::optional<AttrValue>> options;
  std::string beyond;  // not empty: values that no option stands for
  std::string bound;   // not empty: there are more, as there are more ranks than are tried: `pieces to 4`
};
using MakeSymbol = std::function<Term(std::string suffix, Sort sort)>;
AttributeOptions attribute_options(const AttributeNeeds& needs, const MakeSymbol& symbol);

}  // namespace vouch
