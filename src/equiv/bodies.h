// Calls that hold graphs (the branches of If, the body of Loop): equal if their graphs are the same function, input by input and
// output by output, at all sizes that these have.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "equiv/equiv.h"

namespace vouch {

bool has_bodies(const Graph& graph, NodeId call);

struct BodyProof {
  bool exact = true;
  double bound = 0;  // of parameters that were folded
};

// Each pair of graphs is compared once: by the graphs, what is asked of them, and how deep they stand.
class BodyProofs {
 public:
  using Question = std::tuple<const Graph*, const Graph*, bool, FoldTolerance, std::size_t>;
  std::map<Question, std::optional<BodyProof>> known;
};

// Two calls of one operator, whose operands are equal. Nothing: not shown.
std::optional<BodyProof> prove_bodies(const Graph& graph, NodeId a, NodeId b, const EquivOptions& options);

}  // namespace vouch
