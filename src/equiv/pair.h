// Two models as one graph with shared inputs, so that both speak of the same tensors and the same sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/eval.h"
#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

// Something of the two interfaces that does not match.
struct Mismatch {
  std::string what;  // `input 'x'`
  std::string a;     // what the first model has; empty: nothing
  std::string b;
};

struct PairOptions {
  std::map<std::string, std::string> names;   // of the first model's inputs and outputs, as the second calls them
  std::map<std::string, std::int64_t> sizes;  // sizes of the first model that are given
  bool by_position = false;                   // names mean nothing
  ForeignMeaning foreign = {};                // what calls compute that the operator table does not have
};

struct PairedOutput {
  std::string a_name;
  std::string b_name;
  NodeId a = kNoNode;
  NodeId b = kNoNode;
};

struct ModelPair {
  Graph graph;                     // the first model's nodes, then the second's; parameters as each model has them
  NodeId first_of_b = 0;           // nodes from here on are the second model's
  std::vector<std::string> names;  // of each node, in its own model
  std::vector<PairedOutput> outputs;
  std::set<Symbol> sizes;          // of inputs that are left open
  std::vector<std::string> notes;  // how what has no common name was matched, and which sizes were fixed
  ForeignMeaning foreign;          // of calls that the operator table does not have

  bool of_b(NodeId node) const { return node >= first_of_b && graph.kind(node) != NodeKind::Input; }
};

struct Pairing {
  std::optional<ModelPair> pair;  // nothing: the mismatches say why
  std::vector<Mismatch> mismatches;
};

// How single calls of the pair are evaluated.
RunOptions evaluation(const ModelPair& pair);

// Inputs and outputs are matched by name, else by position and type. An input that its model does not use is no difference.
Pairing pair_models(const Graph& a, const Graph& b, const PairOptions& options);

}  // namespace vouch
