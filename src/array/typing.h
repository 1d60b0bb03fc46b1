// Typing for all sizes at once. Mirrors coq/array/Check.v, decision by decision: what is well typed here is well typed
// there, which the certificate checks again.
#pragma once

#include <optional>
#include <vector>

#include "array/ast.h"

namespace vouch::array {

// Facts that are assumed of sizes, and the bound of each index variable (number 0 first).
struct IndexContext {
  std::vector<SizeFact> facts;
  std::vector<Size> bounds;
};

// Safe to evaluate: no subtraction below zero, no division by zero.
bool index_safe(const IndexContext& context, const Index& index);
bool index_below(const IndexContext& context, const Index& index, const Size& bound);
bool guard_safe(const IndexContext& context, const Guard& guard);

// The type that a layout gives for an argument of type `source`; nothing if it does not apply.
std::optional<Type> layout_result(const IndexContext& context, const Layout& layout, const Type& source);

Type op_argument(Op op);

// The type of a term; `variables` gives each data variable, number 0 first.
std::optional<Type> infer_type(const IndexContext& context, const std::vector<Type>& variables, const Exp& exp);

}  // namespace vouch::array
