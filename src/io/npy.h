// Tensors as NumPy saves them: `.npy`, versions 1 to 3, little-endian numbers in C order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostic.h"
#include "tensor/tensor.h"

namespace vouch {

// The array in these bytes of the file `path`.
std::optional<Tensor> tensor_of_npy(std::string_view bytes, const std::string& path, Diagnostics& diagnostics);

}  // namespace vouch
