// The steps from a model to what is lowered, for Coq (coq/build/Chain.v): numbers alone.
#pragma once

#include <string>

#include "rewrite/chain.h"

namespace vouch {

// The file proves `chained`: the outputs of the last graph have the values of those of the first, for any meaning of operators in
// which the claims of the steps hold, and any inputs.
std::string chain_certificate(const Chain& chain);

}  // namespace vouch
