// How a library's files come from a model: what `vouch build` was given, as data, and everything made anew from it. Its manifest
// holds the recipe; `vouch verify` goes by it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/library_files.h"
#include "build/library_sizes.h"
#include "driver/step_theorems.h"
#include "driver/trace_json.h"
#include "rewrite/chain.h"
#include "support/diagnostic.h"

namespace vouch {

struct LibraryRecipe {
  std::string name;   // of the library
  std::string model;  // `model.onnx` or `model.json`: which kind
  SizeChoices sizes;
  LibraryOptions options;
};

// The wish, as far as C has it free: names of the library's own begin with it and `_`, so it does not end in one, since C keeps
// `a__b` for itself.
std::string library_name(const std::string& wish);

// What the folder keeps to be made anew from.
struct LibrarySources {
  std::string model;                // bytes
  std::string rules;                // those that fired, as text
  std::vector<std::string> traces;  // of each plan every step (driver/trace_json.h), from the model at its sizes on
};

// What is made at one choice of sizes, beside its calls.
struct BuiltPlan {
  Trace trace;                 // every step, as it was done now
  StepRegions steps;           // of its rules, where they were asked for
  Chain chain;                 // from the model to what is lowered, likewise
  std::size_t nodes_left = 0;  // calls after rewriting
};

struct BuiltLibrary {
  Library library;
  std::vector<BuiltPlan> plans;                 // in the order of the library's
  std::vector<KernelCertificate> certificates;  // of all plans' kernels
  std::map<std::string, std::string> files;     // by path below the folder, the manifest too
  std::map<std::string, std::string> verdicts;  // of the rules that fired
  std::size_t nodes = 0;                        // calls of the model at its first sizes
};

// The model at each choice of its sizes, from its bytes; errors at several of them are said once.
std::optional<std::vector<Graph>> library_graphs(const LibraryRecipe& recipe, const std::string& model, Diagnostics& diagnostics);
// Does the steps of the trace again, each admitted by what is proven of its rule, and makes every file. Deterministic.
// `watch` is shown each fold of parameters, and how many kernels are certified, of how many.
struct LibraryWatch {
  FoldWatch on_fold = {};
  std::function<void(std::size_t, std::size_t)> on_kernel = {};
  bool steps = false;  // the regions of steps and their chain are wanted
};
std::optional<BuiltLibrary> build_library(const LibraryRecipe& recipe, const LibrarySources& sources, Diagnostics& diagnostics,
                                          const LibraryWatch& watch = {});

inline constexpr std::string_view kLibraryRules = "source/rules.gsl";
// In the order of the plans.
std::vector<std::string> library_trace_files(const LibraryRecipe& recipe);
std::string library_model_file(const LibraryRecipe& recipe);

// The manifest's text, and the recipe in one. Nothing, with errors at `path`, if it is no manifest of a library.
std::string print_library_manifest(const LibraryRecipe& recipe, const BuiltLibrary& built);
std::optional<LibraryRecipe> read_library_manifest(const std::string& path, const std::string& text, Diagnostics& diagnostics);
// Whether the text says that it is one.
bool is_library_manifest(const std::string& text);

}  // namespace vouch
