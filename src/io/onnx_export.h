// Graphs as ONNX models.
//
// A graph that was read from a model is written back as that model: its opset (or the least above it in which every call has a
// form), its declarations, metadata, documentation and names; what stands in the place of a node takes its names. Other graphs
// are written in opset 17 where every call has a form in it. Parameters become initialisers, constants Constant nodes, new names
// are unique among all graphs of the model. Operators of rules (in lower case) are written as ONNX operators that mean the same;
// one without such a form is an error that names it. Equal graphs give equal bytes.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace vouch {

struct OnnxKept;

struct OnnxWriteOptions {
  const OnnxKept* kept = nullptr;     // of the model that the graph was read from
  std::optional<std::int64_t> opset;  // asked for; an error if a call has no form in it
  // Weights in a file beside the model, `NAME.data`, aligned to pages as ONNX recommends. So it is, whatever this says, of a
  // model that one protobuf message (2 GiB) cannot hold.
  bool external_data = false;
};

// `name` becomes the name of the ONNX graph, unless the model had one.
std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics,
                                       const OnnxWriteOptions& options = {});

// Writes `path` atomically, after the file of its weights; files that hold weights of the model that was read are left as they
// are.
bool write_onnx(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics,
                const OnnxWriteOptions& options = {});

}  // namespace vouch
