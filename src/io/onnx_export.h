// Graphs as ONNX models.
//
// Opset 17 where every operator has a form in it, else 20. Parameters become initialisers, constants Constant nodes.
// Inputs, outputs and sizes keep their names; other values are named as their nodes. Operators of rules (in lower
// case) are written as ONNX operators that mean the same; one without such a form is an error that names it. Equal
// graphs give equal bytes.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace vouch {

// `name` becomes the name of the ONNX graph.
std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics);

// Writes `path` atomically.
bool write_onnx(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics);

}  // namespace vouch
