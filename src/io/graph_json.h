// Graphs as JSON, version 1. Everything that a graph holds comes back: `parse_graph(print_graph(g))` has the same nodes in
// the same order, names, types, values, inputs and outputs.
//
//   {
//     "vouch": 1,                              the version
//     "inputs":  [{"name": "x", "type": "float32", "dims": [1, "batch", 3]}, …],   a name is a symbolic size
//     "nodes": [                               operands before their users; an operand is a name from above
//       {"name": "w", "kind": "parameter", "type": "float32", "dims": [2], "data": [0.5, -1]},
//       {"name": "c", "kind": "constant", "type": "int64", "dims": [1], "hex": "0300000000000000"},
//       {"name": "k", "kind": "parameter", "type": "float32", "dims": [64, 3], "bytes": [0, 768]},
//       {"name": "t", "kind": "tuple", "operands": ["x", "w"]},
//       {"name": "y", "op": "Concat", "operands": ["t"], "attributes": {"axis": 0}},
//       {"name": "p", "kind": "projection", "operands": ["s"], "index": 1}
//     ],
//     "outputs": [{"name": "result", "value": "y"}]
//   }
//
// `data` lists elements in row-major order (bool as 0 and 1); `hex` gives raw little-endian bytes, for floats that are not
// finite; `bytes` is a range [begin, end) of the file of weights, named beside the version as `"weights": "FILE.bin"`, in
// the folder of the JSON file. An absent operand is null. Attributes: integers; floats as {"float": 0.1} (exactly that
// double); rationals that are no doubles as {"ratio": "1/3"}; sizes as {"size": "n"}; strings; lists; {"tensor": {type,
// dims, data}}; {"graph": {…}} with inputs, nodes and outputs as above. Names are unique; those that the graph's nodes do
// not have are generated. Errors name file, line, column and JSON pointer.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"
#include "support/source.h"

namespace vouch {

// With `weights`, values of more than 64 elements go there instead of into the text, which names `weights_file`.
// Reports what has no JSON form: sizes of inputs that are neither numbers nor names.
std::optional<std::string> print_graph(const Graph& graph, Diagnostics& diagnostics, std::string* weights = nullptr,
                                       const std::string& weights_file = {});

// `folder`: where the file of weights lies; refused if empty.
std::optional<Graph> parse_graph(const SourceRef& source, const std::string& folder, Diagnostics& diagnostics);

std::optional<Graph> read_graph(const std::string& path, Diagnostics& diagnostics);
// Writes `path` and, for large values, `path` with the ending `.bin`; both atomically, the text last.
bool write_graph(const Graph& graph, const std::string& path, Diagnostics& diagnostics);

}  // namespace vouch
