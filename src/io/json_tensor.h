// Tensors and numbers in JSON, as graph_json.h describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json_text.h"
#include "tensor/tensor.h"

namespace vouch {

// A number as the nearest double; reports those beyond the range of doubles.
std::optional<double> json_real(const JsonValue& value, Diagnostics& diagnostics);
// The element type that the object's member `type` names.
std::optional<DType> json_dtype(const JsonValue& object, Diagnostics& diagnostics);

// From the members type, dims, and data, hex or bytes (a range of `weights`); others are refused but for `other_members`.
std::optional<Tensor> json_tensor(const JsonValue& object, std::vector<std::string> other_members, const std::string& weights,
                                  Diagnostics& diagnostics);

}  // namespace vouch
