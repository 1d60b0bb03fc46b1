// Shape arithmetic: elements of small tensors that are known as terms. They follow from the operators' own meanings
// by substituting what is known of the operands, so that Shape, Gather, Concat, … fold with no code of their own.
#pragma once

#include <optional>
#include <vector>

#include "graph/op_def.h"
#include "graph/op_table.h"

namespace vouch {

// Tensors with more elements are not followed.
inline constexpr std::int64_t kMostKnownElements = 256;

bool may_fold_contents(const OpDef& def, const std::vector<Type>& operands, const KnownContents& contents);

// Per result, its elements in row-major order if all are known. The context holds the call's meaning.
std::vector<std::optional<std::vector<Term>>> fold_contents(const OpDef& def, const OpContext& context,
                                                            const KnownContents& contents);

// The same of a graph, whose variables are sizes and so not negative: choices that this decides are made.
Term for_sizes(Term term);
// In every size of the type, so that a size is one term whether it was computed as a size or read as an element.
Type for_sizes(Type type);

// The elements of a small constant as terms: integers and bool as integer terms, floats as scalar constants.
std::optional<std::vector<Term>> contents_of(const Tensor& tensor);

}  // namespace vouch
