// ONNX models of opsets 1 to 26 as graphs.
//
// Initialisers become parameters, Constant nodes constants, `dim_param`s sizes of that name; sizes without a name get
// one. An initialiser that is an input as well (from IR version 4 on) is an input: whoever runs the model may feed another
// value. Nodes may come in any order. A call is named by its ONNX node if that name is free, else by its value. Older
// operator versions are adapted to the operator table's (onnx_adapt.h). Functions of the model are inlined.
//
// What the table does not define stays as it is, as a foreign call (graph/foreign.h) whose results have the types that the
// model declares. What a file claims is checked before memory is spent on it; every error names the model and the node.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "io/tensor_file.h"

namespace vouch {

struct OnnxOptions {
  // Graph inputs of these names become constants: models whose shapes depend on the *values* of inputs (axes that are
  // fed, say) can be typed for these values only.
  std::vector<NamedTensor> fixed_inputs = {};
  // Inputs that need not be fed are read as the weights that they then are, but for those of `still_fed`.
  bool unfed_are_weights = false;
  std::set<std::string> still_fed = {};
};

struct OnnxKept;

struct OnnxModel {
  Graph graph;
  std::string name;  // of the graph, as the model has it
  std::int64_t opset = 0;
  std::vector<NamedTensor> defaults = {};     // of inputs that need not be fed
  std::set<std::string> unfed = {};           // such inputs that were read as weights
  std::shared_ptr<const OnnxKept> kept = {};  // what the graph does not hold; null for models of other formats
};

// The files that hold weights of the model beside its own, by their real paths.
std::set<std::string> weight_files(const OnnxModel& model);

std::optional<OnnxModel> import_onnx(const std::string& path, Diagnostics& diagnostics, const OnnxOptions& options = {});
// `name` stands for the model in messages; external data is looked for in `folder`, refused if that is empty.
std::optional<OnnxModel> import_onnx_bytes(std::string_view bytes, const std::string& name, const std::string& folder,
                                           Diagnostics& diagnostics, const OnnxOptions& options = {});

}  // namespace vouch
