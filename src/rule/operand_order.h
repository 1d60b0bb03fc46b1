// Operands of commutative operators in an order in which the rule can be matched.
#pragma once

#include "rule/ast.h"

namespace vouch {

// Operands are matched from left to right, and an attribute may speak of what is matched before. Where it speaks of the other
// operand of a commutative operator, which means the same in either order, the two change places. The rule is finished.
void settle_operand_order(Rule& rule);

}  // namespace vouch
