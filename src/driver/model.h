// Models and rule files as the command line names them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/eval.h"
#include "graph/graph.h"
#include "io/onnx_export.h"
#include "io/onnx_import.h"
#include "io/tensor_file.h"
#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// By the ending of the file's name: `.onnx`, or `.json` (io/graph_json.h); of standard input (`-`) by its first character.
enum class ModelKind { Onnx, Json };
std::optional<ModelKind> model_kind(const std::string& path, Diagnostics& diagnostics);

std::optional<OnnxModel> load_model(const std::string& path, Diagnostics& diagnostics, const OnnxOptions& options = {});

// Of these bytes, which are the file's; what it keeps in other files is looked for beside it.
std::optional<OnnxModel> model_of_bytes(const std::string& path, std::string bytes, Diagnostics& diagnostics,
                                        const OnnxOptions& options = {});

using ModelLoader = std::function<std::optional<OnnxModel>(const std::string&, Diagnostics&, const OnnxOptions&)>;

// Two models that are compared. An input that need not be fed is a weight, unless the other model needs it; `names`: of the
// first model's inputs, as the second calls them, where it calls them otherwise.
struct ComparedModels {
  OnnxModel a;
  OnnxModel b;
};
std::optional<ComparedModels> load_compared(const std::string& a, const std::string& b,
                                            const std::map<std::string, std::string>& names, Diagnostics& diagnostics,
                                            const ModelLoader& load = load_model);

// The file of a model, whole or not at all; by the ending of the name as above, ONNX into devices and pipes, `-` among them.
bool save_model(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics,
                const OnnxWriteOptions& options = {});

// The rules of each `.gsl` file, and of every such file in each folder (not below it: folders are libraries), in the
// order of names.
std::optional<std::vector<Rule>> load_rules(const std::vector<std::string>& paths, Diagnostics& diagnostics);

// The same of those that have no error: what is wrong with the others is reported and hides nothing.
std::vector<Rule> load_good_rules(const std::vector<std::string>& paths, Diagnostics& diagnostics);
// Of a file of another kind, by its name: which subcommands take it, as a hint; empty for what is not known.
std::string takers_of(const std::string& path);

// The files that are meant by these paths.
std::vector<std::string> rule_files(const std::vector<std::string>& paths, Diagnostics& diagnostics);

// What a run is given: the tensors of the folder `io` (none if it is empty), and after its inputs those of `NAME=FILE` pairs.
std::optional<TensorFolder> read_given(const std::string& io, const std::vector<std::string>& pairs, Diagnostics& diagnostics);

// The model's inputs from a folder (`in_*`) and `NAME=FILE` pairs, in the order of the graph's inputs; `defaults` for those that
// are not given.
std::optional<std::vector<Tensor>> load_inputs(const Graph& graph, const std::vector<NamedTensor>& given,
                                               Diagnostics& diagnostics, const std::vector<NamedTensor>& defaults = {});

// For an evaluation that somebody waits for: as long as it takes, of all that ONNX gives a value, holding so many bytes; 0: as
// many as are held where nobody asks.
RunOptions run_options(std::uint64_t memory);

// A rule whose author says that it is wrong: it is left out, whatever is asked.
bool is_expected_wrong(const Rule& rule);

// The rule of that name, or null with the nearest name.
const Rule* find_rule(const std::vector<Rule>& rules, const std::string& name, Diagnostics& diagnostics);

}  // namespace vouch
