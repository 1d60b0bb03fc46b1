#include "equiv/bodies.h"

#include <algorithm>

#include "equiv/classes.h"

namespace vouch {
namespace {

constexpr std::size_t kMostNested = 8;

// Two graphs, input by input and output by output.
std::optional<BodyProof> prove_body(const Graph& a, const Graph& b, const EquivOptions& options) {
  BodyProofs::Question question{&a, &b, options.exact, options.fold_tolerance, options.nesting};
  if (options.bodies) {
    if (auto found = options.bodies->known.find(question); found != options.bodies->known.end()) {
      return found->second;
    }
  }
  EquivOptions inner;
  inner.pairing.by_position = true;
  inner.pairing.foreign = options.pairing.foreign;
  inner.exact = options.exact;
  inner.fold_tolerance = options.fold_tolerance;
  inner.verdicts = options.verdicts;
  inner.nesting = options.nesting + 1;
  inner.bodies = options.bodies;
  EquivResult result = compare_models(a, b, inner);
  bool equal = result.verdict == EquivVerdict::EqualExact || result.verdict == EquivVerdict::EqualReal;
  auto proof = equal ? std::optional(BodyProof{result.verdict == EquivVerdict::EqualExact, result.fold_bound}) : std::nullopt;
  if (options.bodies) {
    options.bodies->known.emplace(question, proof);
  }
  return proof;
}

}  // namespace

bool has_bodies(const Graph& graph, NodeId call) {
  auto entries = graph.attributes(call).entries();
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.second.graph() != nullptr; });
}

std::optional<BodyProof> prove_bodies(const Graph& graph, NodeId a, NodeId b, const EquivOptions& options) {
  AttrDict x = canonical_attributes(op_def(graph.op(a)), graph.attributes(a));
  AttrDict y = canonical_attributes(op_def(graph.op(b)), graph.attributes(b));
  bool comparable = graph.op(a) == graph.op(b) && is_function(graph, a) && is_function(graph, b) &&
                    x.entries().size() == y.entries().size() && options.nesting < kMostNested;
  BodyProof out;
  for (std::size_t k = 0; comparable && k < x.entries().size(); ++k) {
    const auto& [name, value] = x.entries()[k];
    const auto& [other_name, other] = y.entries()[k];
    if (name == other_name && value == other) {
      continue;
    }
    comparable = name == other_name && value.graph() != nullptr && other.graph() != nullptr;
    if (!comparable) {
      break;
    }
    auto proof = prove_body(*value.graph(), *other.graph(), options);
    comparable = proof.has_value();
    out.exact = out.exact && proof && proof->exact;
    out.bound = std::max(out.bound, proof ? proof->bound : 0);
  }
  return comparable ? std::optional(out) : std::nullopt;
}

}  // namespace vouch
