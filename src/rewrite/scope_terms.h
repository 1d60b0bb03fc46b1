// What scopes are compared with: elements, types and attributes of nodes as terms.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// The elements of a node, row-major, as far as they are known: of a constant or parameter of at most `kMostScopeElements`, of
// what sizes are computed by. Nothing where an element is no rational number (infinity, NaN, -0.0): no term stands for it.
inline constexpr std::int64_t kMostScopeElements = 4096;
std::optional<std::vector<Term>> known_elements(const Graph& graph, NodeId node);
std::optional<std::vector<Term>> known_elements(const Tensor& value);

// The tensors of a type, tuples flattened.
std::vector<Type> tensor_types(Type type);

// Are both the same axes of a tensor of this rank, in any order and from either end? False if one is no axis of it, or is named
// twice.
bool same_axes(const std::vector<Term>& a, const std::vector<Term>& b, std::uint32_t rank);

// Are both the same numbers, in any order?
bool same_numbers(const std::vector<Term>& a, const std::vector<Term>& b);

}  // namespace vouch
