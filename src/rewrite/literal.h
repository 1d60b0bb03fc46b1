// What the text of two patterns alone says about their attributes.
#pragma once

#include "rule/ast.h"

namespace vouch {

// False if both expressions are written out and differ; true where either has to be computed or matches anything.
bool may_equal(const Rule& a, AttrId p, const Rule& b, AttrId q);

// No attribute that both patterns give is written out differently.
bool literals_agree(const Rule& a, const Pattern& p, const Rule& b, const Pattern& q);

// A call whose two operands may change places; a call of an operator variable may be one.
bool may_commute(const Pattern& call);

}  // namespace vouch
