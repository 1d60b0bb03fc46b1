#include "equiv/bodies.h"

#include <algorithm>

#include "equiv/classes.h"

namespace vouch {
namespace {

constexpr std::size_t kMostNested = 8;

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
    EquivOptions inner;
    inner.pairing.by_position = true;
    inner.exact = options.exact;
    inner.fold_tolerance = options.fold_tolerance;
    inner.verdicts = options.verdicts;
    inner.nesting = options.nesting + 1;
    EquivResult result = compare_models(*value.graph(), *other.graph(), inner);
    comparable = result.verdict == EquivVerdict::EqualExact || result.verdict == EquivVerdict::EqualReal;
    out.exact = out.exact && result.verdict == EquivVerdict::EqualExact;
    out.bound = std::max(out.bound, result.fold_bound);
  }
  return comparable ? std::optional(out) : std::nullopt;
}

}  // namespace vouch
