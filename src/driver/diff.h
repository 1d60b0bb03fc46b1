// How two models differ in structure: not in what they compute (`vouch equiv`), but in what stands there.
//
// Parts are paired first by equal form from the inputs on (operator, attributes, operands, contents of parameters), then by
// name, then from paired users to the operands in the same place if the operator is the same. What has no partner was removed
// or added; a pair whose own form differs was changed; one that only reads something that was changed is the same.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

struct ChangedNode {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  std::vector<std::string> differences;  // `alpha: 1 -> 2`, `operand 1: 'w' -> 'v'`
};

struct ModelDiff {
  std::map<NodeId, NodeId> pairs;    // of the first model: its partner
  std::vector<ChangedNode> changed;  // in the order of the second
  std::vector<NodeId> removed;       // of the first, in its order
  std::vector<NodeId> added;         // of the second, in its order
  std::vector<std::string> outputs;  // how the outputs by name differ
  bool none() const { return changed.empty() && removed.empty() && added.empty() && outputs.empty(); }
};

// `Conv`, `parameter`, …
std::string kind_text(const Graph& graph, NodeId node);
ModelDiff diff_models(const Graph& a, const Graph& b);

std::string diff_text(const ModelDiff& diff, const Graph& a, const Graph& b);
nlohmann::ordered_json diff_json(const ModelDiff& diff, const Graph& a, const Graph& b);
// Both in one picture: what was removed in red, added in green, changed in yellow.
// `scope_depth` as in PictureStyle.
std::string diff_picture(const ModelDiff& diff, const Graph& a, const Graph& b, std::size_t scope_depth);

}  // namespace vouch
