// The scope of an instance: every choice that its enumeration made, by pattern position (rule/scope.h).
#pragma once

#include "instance/instance_state.h"
#include "rule/scope.h"

namespace vouch {

// Of an instance whose source is finished. Nothing if a choice has no form that a site can be compared with: then what is
// proven of the instance lets nothing fire.
std::optional<Scope> scope_of(const InstanceState& state);

}  // namespace vouch
