// Attributes that say no more than their absence would.
#pragma once

#include "graph/op_def.h"

namespace vouch {

// Is it what the operator table says of a call that does not give the attribute?
bool is_default(const AttrDef& declared, const AttrValue& value);

// As `AttrDict::text`, of those attributes that are not.
std::string text_without_defaults(const OpDef& def, const AttrDict& attributes);

}  // namespace vouch
