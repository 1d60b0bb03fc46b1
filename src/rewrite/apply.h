// Rewriting: building a rule's target over a match (the mapping semantics PE-* of the thesis, figure pat_map) and putting it
// in the place of the matched outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/admission.h"

namespace vouch {

struct Application {
  std::vector<NodeId> results;    // per matched output, what stands there now
  std::vector<NodeId> new_nodes;  // in order of creation
};

struct ApplyOptions {
  bool memoise = true;  // remember closed attribute expressions by identity (section 4.5)
};

// Applies matches to one graph; holds scratch space that is reused.
class Applier {
 public:
  Applier(Graph& graph, const ApplyOptions& options);
  ~Applier();
  Applier(Applier&&) noexcept;

  // Changes the graph, or leaves it as it was, says why in `error` and returns null: an attribute without value, an ill-typed
  // call, a result whose type differs from that of the output it would replace, a target that changes nothing.
  // New nodes refer to what was matched, also where an output stays a part of its replacement. Valid until the next call.
  const Application* apply(const AdmittedMatch& admitted, std::string& error);

 private:
  std::unique_ptr<class TargetBuilder> builder_;
};

}  // namespace vouch
