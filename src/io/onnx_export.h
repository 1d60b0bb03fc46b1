// Graphs as ONNX models.
//
// Opset 17 where it suffices, 20 where an operator needs it (Gelu, a split into equal parts). Values keep the names of the
// graph's nodes; inputs, outputs and symbolic sizes keep theirs. Parameters and constants become initialisers. The bytes are
// the same for equal graphs in every run.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace vouch {

// Reports, by node, what has no ONNX form: operators for rules alone (lower case), symbolic attributes, subgraphs.
std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics);

}  // namespace vouch
