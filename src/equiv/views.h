// Parameters that hold the same elements: one is the other reshaped, or with its axes in another order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/region.h"
#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

// What the elements of one tensor are in another: for each axis of that one, its index as a term over `indices`.
// tensor[indices] == of[result], bit for bit, wherever `indices` are in range. Nothing if no such view is found.
std::optional<std::vector<Term>> view_indices(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices);

// A region's input that is a view of another one: where it is read, that one can be.
struct ParameterView {
  std::size_t input = 0;
  std::size_t of = 0;
  std::vector<Term> indices;  // of the other, over `@0`, `@1`, …, the indices of this one
};

// `values`: of each input; null where they are not known, or shown already.
std::vector<ParameterView> parameter_views(const std::vector<const Tensor*>& values);
std::string views_text(const std::vector<ParameterView>& views);
Instance viewed_instance(const Region& region, const std::vector<ParameterView>& views);

}  // namespace vouch
