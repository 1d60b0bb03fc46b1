#include "rewrite/scope_terms.h"

#include <algorithm>
#include <cmath>

#include "rewrite/scope_match.h"
#include "tensor/element.h"
#include "term/infinity.h"
#include "term/substitute.h"

namespace vouch {

std::optional<std::vector<Term>> known_elements(const Graph& graph, NodeId node) {
  if (!graph.has_value(node)) {
    const std::vector<Term>* contents = graph.contents(node);
    return contents ? std::optional(*contents) : std::nullopt;
  }
  return known_elements(graph.value(node));
}

std::optional<std::vector<Term>> known_elements(const Tensor& value) {
  if (value.count() > kMostScopeElements) {
    return std::nullopt;
  }
  std::vector<Term> out;
  for (std::int64_t at = 0; at < value.count(); ++at) {
    if (!is_float(value.dtype())) {
      out.push_back(int_const(whole_element(value, at)));
      continue;
    }
    double element = value.double_at(at);
    if (std::isnan(element) || (element == 0 && std::signbit(element))) {
      return std::nullopt;
    }
    out.push_back(std::isinf(element) ? infinity(element > 0) : *AttrValue::of_float(element).number());
  }
  return out;
}

std::vector<Type> tensor_types(Type type) {
  if (!type || type.is_tensor()) {
    return type ? std::vector<Type>{type} : std::vector<Type>{};
  }
  std::vector<Type> out;
  for (Type item : type.items()) {
    std::vector<Type> inner = tensor_types(item);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

namespace {

// Sorted and made non-negative; nothing if they are no distinct axes.
std::optional<std::vector<std::int64_t>> normal(const std::vector<Term>& axes, std::int64_t rank) {
  std::vector<std::int64_t> out;
  for (Term axis : axes) {
    auto number = const_int(axis);
    if (!number || *number < -rank || *number >= rank) {
      return std::nullopt;
    }
    out.push_back(*number < 0 ? *number + rank : *number);
  }
  std::sort(out.begin(), out.end());
  bool distinct = std::adjacent_find(out.begin(), out.end()) == out.end();
  return distinct ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

bool same_axes(const std::vector<Term>& a, const std::vector<Term>& b, std::uint32_t rank) {
  auto x = normal(a, rank);
  auto y = normal(b, rank);
  return x && y && *x == *y;
}

bool same_numbers(const std::vector<Term>& a, const std::vector<Term>& b) {
  bool constants = std::all_of(a.begin(), a.end(), [](Term t) { return const_int(t).has_value(); });
  return constants && std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace vouch
