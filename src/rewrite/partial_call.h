// Where one call has no value, by what is known of its operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rewrite/known_values.h"
#include "rewrite/partial_terms.h"
#include "rewrite/vanishing.h"

namespace vouch {

struct CallMeaning {
  std::shared_ptr<const Kernel> kernel;
  std::vector<PartialTerm> partial;
};

// A reason, with the operand, its value and the index: constants, or what is 0 whatever is fed, make the call undefined
// somewhere.
std::optional<std::string> undefined_call(const Graph& graph, NodeId call, const CallMeaning& meaning, KnownValues& values,
                                          Vanishing& vanishing);

}  // namespace vouch
