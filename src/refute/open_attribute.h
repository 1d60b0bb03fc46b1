// Why a rule that looks right is refuted: an attribute that is not mentioned is any in a source, and the default in a target.
#pragma once

#include <string>

#include "refute/refute.h"

namespace vouch {

// One line for each attribute that this counterexample gives another value than the target's default, where both sides call the
// operator and neither mentions it; each indented by two spaces.
std::string show_open_attributes(const Counterexample& counterexample, const Rule& rule);

}  // namespace vouch
