// What a reader of other notations (C, Python, ONNX, MLIR) may write in a rule, and how GSL says it: hints of messages.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// `&&`, `[`, `=>`, `when`, …: how it is written here; empty for what is not known.
std::string_view meant_by(std::string_view notation);

// `fp32`, `f32`, `float`, `FLOAT`: the element type that is meant, as a hint; empty for what is none.
std::string dtype_meant_by(std::string_view name);

}  // namespace vouch
