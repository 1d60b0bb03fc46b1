// What an ONNX model holds beside its graph, kept so that it is written again: who made it, documentation, metadata, names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/onnx_proto.h"

namespace vouch {

// Of the node that gave a value.
struct OnnxNodeKept {
  std::string node;   // its name; may be empty
  std::string value;  // the value's name; of a call of several results none
  std::string op;
  std::string domain;
  std::string doc;
  std::string newer;                                            // bytes of fields that are newer than the library (onnx_newer.h)
  std::vector<std::string> results = {};                        // names of all that it gave; of one that was left out, none
  std::map<std::string, std::string, std::less<>> bodies = {};  // names of its graphs, by the attributes that hold them
};

struct OnnxKept {
  // The model without nodes and initialisers: versions, imports, producer, metadata, documentation, the declarations of inputs,
  // outputs and values, annotations, functions that are still called.
  onnx::ModelProto shell;
  std::int64_t opset = 0;
  // By the name that the node has in the graph, which is unique among all graphs of the model.
  std::unordered_map<std::string, OnnxNodeKept> nodes;
  // Every name of a value in the model, nested graphs included, and those that its outermost graph gives initialisers.
  std::unordered_set<std::string> values;
  std::unordered_set<std::string> initializers;
  // What is said of initialisers of the outermost graph, without elements, where anything is.
  std::unordered_map<std::string, onnx::TensorProto> told;
  // Inputs that have a value where none is fed.
  std::unordered_map<std::string, onnx::TensorProto> defaults;
  std::set<std::string> weight_files;  // real paths of the files that hold external data of the model

  const OnnxNodeKept* find(const std::string& graph_name) const {
    auto found = nodes.find(graph_name);
    return found == nodes.end() ? nullptr : &found->second;
  }
};

}  // namespace vouch
