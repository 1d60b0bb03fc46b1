#include "driver/library_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/lower_graph.h"
#include "driver/library_page.h"
#include "driver/library_report.h"
#include "driver/manifest.h"
#include "graph/order.h"
#include "io/graph_json.h"
#include "io/onnx_import.h"
#include "optimize/gate.h"
#include "rule/parse.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::size_t calls_of(const Graph& graph) {
  std::vector<NodeId> order = reverse_post_order(graph);
  return static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](NodeId n) { return graph.kind(n) == NodeKind::Call; }));
}

// The steps again: what the trace says of verdicts is not believed.
bool rewritten(Graph& graph, const LibrarySources& sources, BuiltLibrary& out, Diagnostics& diagnostics,
               const LibraryWatch& watch) {
  auto rules = sources.rules.empty()
                   ? std::optional(std::vector<Rule>{})
                   : parse_rules(std::make_shared<Source>(std::string(kLibraryRules), sources.rules), diagnostics);
  auto trace =
      rules ? parse_trace(std::make_shared<Source>(std::string(kLibraryTrace), sources.trace), diagnostics) : std::nullopt;
  if (!trace) {
    return false;
  }
  if (trace->model_hash != content_hash(sources.model)) {
    diagnostics.error_at(std::string(kLibraryTrace), "this trace did not begin with this model");
    return false;
  }
  Gate gate(*rules, false);
  ReplayWatch shown{watch.on_fold, {}, {}};
  std::optional<ChainRecorder> chain;
  if (watch.steps) {
    chain.emplace(graph);
    shown.on_step = [&](const Graph& before, const Graph& after, const RewriteStep& step) {
      out.steps.add(before, after, step, (*rules)[step.rule].name);
    };
    shown.on_change = [&](const Graph& before, const Graph& after, const RewriteStep* step, Pass pass) {
      chain->on_change(before, after, step, pass, out.steps.rules().size() - 1);
    };
  }
  if (!replay(graph, *rules, trace->trace, gate.admissions(), out.trace, diagnostics, shown)) {
    return false;
  }
  if (chain) {
    out.chain = std::move(*chain).finish(graph);
  }
  for (const auto& step : out.trace.steps) {
    if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
      std::string& verdict = out.verdicts[rewrite->rule];
      verdict = std::max(verdict, rewrite->verdict);
    }
  }
  return true;
}

}  // namespace

std::string library_model_file(const LibraryRecipe& recipe) { return "source/" + recipe.model; }

std::optional<Graph> library_graph(const LibraryRecipe& recipe, const std::string& model, Diagnostics& diagnostics) {
  std::string name = library_model_file(recipe);
  std::optional<Graph> graph;
  if (recipe.model.ends_with(".json")) {
    graph = parse_graph(std::make_shared<Source>(name, model), "", diagnostics);
  } else {
    auto read = import_onnx_bytes(model, name, "", diagnostics, {.unfed_are_weights = true});
    graph = read ? std::optional(std::move(read->graph)) : std::nullopt;
  }
  return graph ? at_sizes(*graph, recipe.sizes, diagnostics) : std::nullopt;
}

std::optional<BuiltLibrary> build_library(const LibraryRecipe& recipe, const LibrarySources& sources, Diagnostics& diagnostics,
                                          const LibraryWatch& watch) {
  auto graph = library_graph(recipe, sources.model, diagnostics);
  BuiltLibrary out;
  out.nodes = graph ? calls_of(*graph) : 0;
  const Graph before = graph ? *graph : Graph();
  if (!graph || !rewritten(*graph, sources, out, diagnostics, watch)) {
    return std::nullopt;
  }
  out.nodes_left = calls_of(*graph);
  auto plan = lower_graph(
      *graph, recipe.name,
      {recipe.options.plain, recipe.options.fma, recipe.options.lanes, recipe.options.reorder, !recipe.options.targets.empty()},
      diagnostics);
  if (!plan) {
    return std::nullopt;
  }
  out.library = name_library(std::move(*plan), recipe.options);
  const std::vector<PlanKernel>& kernels = out.library.plan.kernels;
  for (const PlanKernel& kernel : kernels) {
    out.certificates.push_back(certify_kernel(kernel, recipe.name, recipe.options));
    if (watch.on_kernel) {
      watch.on_kernel(out.certificates.size(), kernels.size());
    }
  }
  out.files = library_files(out.library, out.certificates);
  out.files[library_model_file(recipe)] = sources.model;
  out.files[std::string(kLibraryTrace)] = sources.trace;
  if (!sources.rules.empty()) {
    out.files[std::string(kLibraryRules)] = sources.rules;
  }
  out.files["report.txt"] = library_report(out);
  out.files["report.html"] = library_page(out, before, *graph);
  out.files[std::string(kManifest)] = print_library_manifest(recipe, out);
  return out;
}

}  // namespace vouch
