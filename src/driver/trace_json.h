// Traces as JSON, version 2:
//
//   {"vouch_trace": 2, "model": {"name": "m.onnx", "hash": "…"}, "steps": [
//     {"pass": "fold-parameters", "changes": 3},
//     {"rule": "conv_batch_norm", "hash": "…", "verdict": "sound (real)",
//      "outputs": [41], "output_counts": [1], "output_names": ["y"],
//      "match": [[0, 7], …],                                   pattern of the rule, node of the graph
//      "instances": [{"variadic": 4, "outer": 0, "templates": [9, null]}, …],
//      "operators": ["Relu"],
//      "new": [[50, "Conv {…} (7, 48, 49) : float32[1, 8, 4, 4]"], …],
//      "results": [50],
//      "body": [[12, "body"], …]}],                            of a step inside If or Loop: calls, from the outermost inwards
//    "end": "…"}                                              hash of the graph after the last step
//
// Nodes are ids in the order of creation, from the model as it is imported on.
#pragma once

#include <optional>
#include <string>

#include "rewrite/trace.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

struct TraceFile {
  std::string model;
  std::string model_hash;  // of the file's bytes
  Trace trace;
};

std::string print_trace(const TraceFile& file);
// Errors name line, column and JSON pointer.
std::optional<TraceFile> parse_trace(const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
