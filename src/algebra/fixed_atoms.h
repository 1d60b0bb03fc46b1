// Elements and scalars that a guard fixes: where x == 0 holds, exp(x) is exp(0).
//
// Over the reals alone: 0 has two signs elsewhere.
#pragma once

#include <optional>
#include <vector>

#include "algebra/normal_form.h"

namespace vouch {

// The summand with what these literals fix in place of it, inside of functions too; nothing where that is the same. None of the
// literals speaks of what the summand binds, unless it is a guard of it.
std::optional<NormalForm> with_fixed_atoms(FormBuilder& forms, const Summand& summand, const std::vector<Literal>& signs);

}  // namespace vouch
