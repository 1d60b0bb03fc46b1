// Paths to one cell of a value, with index terms: through layouts, from a cell of the result to one of the argument.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "array/ast.h"
#include "term/term.h"

namespace vouch::array {

// Into arrays and pairs, as paths of coq/array/Semantics.v.
struct CellStep {
  enum class Kind : std::uint8_t { Element, First, Second };
  Kind kind = Kind::Element;
  Term index = 0;  // Element
  friend bool operator==(const CellStep&, const CellStep&) = default;
};
using CellPath = std::vector<CellStep>;

CellStep element_step(Term index);
CellPath behind(CellStep step, CellPath path);
// Without its first step.
CellPath rest_of(const CellPath& path);
bool begins_with_element(const CellPath& path);

// What sizes and positions are as terms.
struct PathTerms {
  std::function<Term(const Size&)> size;
  std::function<Term(const Index&)> index;
};

// `lay_path` of coq/array/Semantics.v; a remainder is a difference, `i - n * (i // n)`. Nothing for a path that does not reach
// into the layout, where a whole array is meant.
std::optional<CellPath> layout_path(const Layout& of, CellPath path, const PathTerms& terms);

// Where the arguments of an operation are in its argument tuple.
const std::vector<CellPath>& argument_paths(int arity);

}  // namespace vouch::array
