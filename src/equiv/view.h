// Parameters that hold the same elements: one is the other reshaped, or with its axes in another order.
#pragma once

#include <optional>
#include <vector>

#include "kernel/tensor.h"
#include "term/term.h"

namespace vouch {

// What the elements of one tensor are in another: for each axis of that one, its index as a term over `indices`.
// tensor[indices] == of[result], bit for bit, wherever `indices` are in range. Nothing if no such view is found.
std::optional<std::vector<Term>> view_indices(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices);

}  // namespace vouch
