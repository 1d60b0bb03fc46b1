// Inputs with few elements that are not 0.
#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace vouch {

struct ShrinkOptions {
  std::int64_t runs = 200;                                // of `keeps`, at most
  std::function<bool(std::size_t input)> may_be_zero;     // its elements
  std::function<bool(const std::vector<Tensor>&)> keeps;  // do these inputs show what they should?
};

// Whole inputs, then halves of what is left, and so on, as long as they show it.
std::vector<Tensor> shrunk(std::vector<Tensor> inputs, const ShrinkOptions& options);

}  // namespace vouch
