// What has to be believed of one library, beyond what has to be believed of every certificate (driver/trust.h).
#pragma once

#include <string>

namespace vouch {

// Prints it, from the folder's sources and what they give: operators by their definitions, rules that fired and how each is
// known, numbers that were folded, what is made anew and not proved, functions of the C library, compiler flags, versions.
// Nothing where the folder is no library, or gives none: `verify` has said why.
void print_library_trust(const std::string& folder);

}  // namespace vouch
