// What has to be believed, as `vouch verify --trust` prints it: asked of the build, not written down.
#pragma once

#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

struct TrustQuestion {
  std::vector<std::string> folders;  // that are verified
  std::string store;                 // where Coq's answers are kept; empty: the user's own folder
  bool again = false;                // asks Coq whatever is kept
};

// Coq is run on the headline theorems of the library. Undecided if there is no Coq or no library, Refuted if one of the
// theorems rests on an axiom other than those of the standard library's real numbers, which are named.
ExitCode print_trust(const TrustQuestion& asked);

}  // namespace vouch
