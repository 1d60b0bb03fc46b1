// A region of two computations as an instance of the prover: calls with their own attributes, cut where both sides read the
// same tensors. Sizes are numbers, or terms over the sizes of a model's inputs; nothing is enumerated, and what is proven holds
// for exactly this region, at all sizes that it leaves open.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "instance/instance.h"

namespace vouch {

// A tensor that both sides read.
struct RegionInput {
  Type type;
  // Its elements, if the proof may look at them. Only what a term says exactly is used: no NaN, no infinity, no -0.
  std::optional<Tensor> value;
  // Its elements as terms over sizes, if these are known instead.
  std::optional<std::vector<Term>> contents;
};

struct Region {
  const Graph* graph = nullptr;  // holds both sides
  NodeId source = kNoNode;       // tensors
  NodeId target = kNoNode;
  std::vector<RegionInput> inputs;
  std::unordered_map<NodeId, std::uint32_t> source_cut;  // the input that stands for a node, when the source reads it
  std::unordered_map<NodeId, std::uint32_t> target_cut;
  std::set<Symbol> sizes;  // known to be at least 1: those of the model's inputs
};

// What has no form there (a node that no cut is under, an operator without kernel) is said in `unsupported`.
Instance region_instance(const Region& region);

// Every element, as terms; one term if all are that. Nothing if a term does not say them exactly.
std::optional<std::vector<Term>> exact_contents(const Tensor& value);
std::optional<Term> exact_fill(const Tensor& value);

}  // namespace vouch
