// Weights in a file beside the model (ONNX's external data).
#pragma once

#include <set>
#include <string>

#include "io/onnx_proto.h"

namespace vouch {

// Moves the elements of all large initialisers into a new file in the folder of `path`: `NAME.data`, or `NAME.1.data`, … if that
// is one of the files in `others`. False, reported, if it cannot be written.
bool move_weights(onnx::ModelProto& model, const std::string& path, const std::set<std::string>& others,
                  Diagnostics& diagnostics);

}  // namespace vouch
