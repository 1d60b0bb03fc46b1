// A graph in double precision, run on inputs of the pair that it was made of.
#pragma once

#include <string>

#include "equiv/fingerprint.h"
#include "equiv/widen.h"
#include "graph/eval.h"

namespace vouch {

// One that could not be widened, as it is.
WideGraph as_it_is(Graph graph);
// Does a call in it compute with fewer digits, for want of a float64 form?
bool computes_narrow(const WideGraph& wide);

using Outputs = std::optional<std::vector<Tensor>>;

// As the graph takes them.
std::vector<Tensor> fitting(const Graph& graph, const std::vector<Tensor>& inputs);
// `foreign`: what calls compute that the table does not have. `prints`: filled if it is there, by the nodes of the pair.
Outputs run_wide(const WideGraph& wide, const std::vector<Tensor>& inputs, const ForeignMeaning& foreign,
                 std::vector<Fingerprint>* prints, std::string& failure);

}  // namespace vouch
