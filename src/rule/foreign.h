// What a reader of other notations (C, Python, ONNX, MLIR) may write in a rule, and how GSL says it: hints of messages.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// `&&`, `[`, `=>`, `when`, …: how it is written here; empty for what is not known.
std::string_view meant_by(std::string_view notation);

// The same of what begins no pattern (`any`, `float32`, `.`), of what cannot follow one (`>`, `as`), of what begins no item
// (`requires`, `const`), of a name that nothing has (`tensor`, `weight`), and of an attribute that no tensor has (`ndim`).
std::string_view pattern_meant_by(std::string_view notation);
std::string_view after_pattern_meant_by(std::string_view notation);
std::string_view item_meant_by(std::string_view notation);
std::string_view name_meant_by(std::string_view name);
std::string_view tensor_attribute_meant_by(std::string_view name);

// `fp32`, `f32`, `float`, `FLOAT`: the element type that is meant, as a hint; empty for what is none.
std::string dtype_meant_by(std::string_view name);

}  // namespace vouch
