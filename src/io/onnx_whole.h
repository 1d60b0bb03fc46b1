// A model and the files beside it that hold its weights (ONNX's external data) as one text.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"

namespace vouch {

// The bytes of a model of the file `path`, with weights of other files taken in; the same bytes where there are none. `-`, which
// has no folder, is left as it is.
std::optional<std::string> whole_onnx(std::string bytes, const std::string& path, Diagnostics& diagnostics);

}  // namespace vouch
