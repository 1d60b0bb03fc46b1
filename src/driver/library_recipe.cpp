#include "driver/library_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/concrete.h"
#include "build/lower_graph.h"
#include "certify/index_names.h"
#include "driver/library_page.h"
#include "driver/library_report.h"
#include "driver/manifest.h"
#include "graph/order.h"
#include "io/graph_json.h"
#include "io/onnx_import.h"
#include "optimize/gate.h"
#include "rule/parse.h"
#include "support/fault.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::size_t calls_of(const Graph& graph) {
  std::vector<NodeId> order = reverse_post_order(graph);
  return static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](NodeId n) { return graph.kind(n) == NodeKind::Call; }));
}

void add_verdicts(const Trace& trace, std::map<std::string, std::string>& verdicts) {
  for (const auto& step : trace.steps) {
    if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
      std::string& verdict = verdicts[rewrite->rule];
      verdict = std::max(verdict, rewrite->verdict);
    }
  }
}

// The steps of each plan again: what a trace says of verdicts is not believed.
class Replays {
 public:
  Replays(const LibrarySources& sources, Diagnostics& diagnostics, const LibraryWatch& watch)
      : model_hash_(content_hash(sources.model)), diagnostics_(diagnostics), watch_(watch) {
    auto rules = sources.rules.empty()
                     ? std::optional(std::vector<Rule>{})
                     : parse_rules(std::make_shared<Source>(std::string(kLibraryRules), sources.rules), diagnostics);
    if (rules) {
      rules_ = std::move(*rules);
      gate_.emplace(rules_, false);
    }
  }

  std::optional<BuiltPlan> rewritten(Graph& graph, const std::string& file, const std::string& text) {
    auto trace = gate_ ? parse_trace(std::make_shared<Source>(file, text), diagnostics_) : std::nullopt;
    if (!trace) {
      return std::nullopt;
    }
    if (trace->model_hash != model_hash_) {
      diagnostics_.error_at(file, "this trace did not begin with this model");
      return std::nullopt;
    }
    BuiltPlan out;
    ReplayWatch shown{watch_.on_fold, {}, {}};
    std::optional<ChainRecorder> chain;
    if (watch_.steps) {
      chain.emplace(graph);
      shown.on_step = [&](const Graph& before, const Graph& after, const RewriteStep& step) {
        out.steps.add(before, after, step, rules_[step.rule].name);
      };
      shown.on_change = [&](const Graph& before, const Graph& after, const RewriteStep* step, Pass pass) {
        chain->on_change(before, after, step, pass, out.steps.rules().size() - 1);
      };
    }
    if (!replay(graph, rules_, trace->trace, gate_->admissions(), out.trace, diagnostics_, shown)) {
      return std::nullopt;
    }
    if (chain) {
      out.chain = std::move(*chain).finish(graph);
    }
    out.nodes_left = calls_of(graph);
    return out;
  }

 private:
  std::string model_hash_;
  std::vector<Rule> rules_;
  std::optional<Gate> gate_;
  Diagnostics& diagnostics_;
  const LibraryWatch& watch_;
};

// What was wrong is wrong at these sizes: of the errors that are there, each says so.
class AtSizes {
 public:
  AtSizes(Diagnostics& diagnostics, std::string choice) : diagnostics_(diagnostics), choice_(std::move(choice)) {}
  ~AtSizes() {
    for (Diagnostic one : here.all()) {
      one.message += choice_.empty() || one.place == "--size" ? "" : fmt::format(", with {}", choice_);
      diagnostics_.add(std::move(one));
    }
  }
  AtSizes(const AtSizes&) = delete;
  AtSizes& operator=(const AtSizes&) = delete;

  Diagnostics here;

 private:
  Diagnostics& diagnostics_;
  std::string choice_;
};

// The model with names for its sizes.
std::optional<Graph> model_graph(const LibraryRecipe& recipe, const std::string& model, Diagnostics& diagnostics) {
  std::string name = library_model_file(recipe);
  if (recipe.model.ends_with(".json")) {
    return parse_graph(std::make_shared<Source>(name, model), "", diagnostics);
  }
  auto read = import_onnx_bytes(model, name, "", diagnostics, {.unfed_are_weights = true});
  return read ? std::optional(std::move(read->graph)) : std::nullopt;
}

std::string plan_name(const LibraryRecipe& recipe, const std::vector<LibrarySize>& sizes, const std::vector<std::int64_t>& at) {
  return sizes.empty() ? recipe.name
                       : usable_c_name(fmt::format("{}_{}", recipe.name, choice_name(sizes, at)), {}, CNameUse::Function);
}

// Versions are cut from the tiles of the longest vectors.
TileTarget tiles_of(const LibraryOptions& options) {
  return options.targets.empty() ? tiles_for(options.target, options.fma) : kTileTargets[0];
}

// Every graph as calls.
std::optional<Library> lowered(const LibraryRecipe& recipe, const std::vector<Graph>& graphs, Diagnostics& diagnostics) {
  const LibraryOptions& options = recipe.options;
  KernelPool pool(recipe.name, options.fma, options.lanes);
  std::vector<LibrarySize> sizes = library_sizes(recipe.name, recipe.sizes);
  std::vector<std::vector<std::int64_t>> choices = choices_of(sizes);
  std::vector<CallPlan> plans;
  TileTarget target = tiles_of(options);
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    AtSizes said(diagnostics, choice_text(sizes, choices[k]));
    auto plan = lower_graph(graphs[k], plan_name(recipe, sizes, choices[k]),
                            {options.plain, options.fma, options.reorder, target}, pool, said.here);
    if (!plan) {
      return std::nullopt;
    }
    plans.push_back(std::move(*plan));
  }
  return sizes.empty() ? name_library(std::move(plans[0]), options)
                       : join_plans(recipe.name, std::move(plans), pool.kernels(), std::move(sizes), options);
}

void certify(const LibraryRecipe& recipe, const LibraryWatch& watch, BuiltLibrary& out) {
  const std::vector<PlanKernel>& kernels = out.library.plan.kernels;
  for (const PlanKernel& kernel : kernels) {
    out.certificates.push_back(certify_kernel(kernel, recipe.name, recipe.options));
    if (watch.on_kernel) {
      watch.on_kernel(out.certificates.size(), kernels.size());
    }
  }
}

}  // namespace

std::string library_name(const std::string& wish) {
  std::string name = c_identifier(wish);
  name.erase(name.find_last_not_of('_') + 1);
  name = usable_c_name(name, {}, CNameUse::Function);
  return name.ends_with('_') ? usable_c_name(name + "model", {}, CNameUse::Function) : name;
}

std::string library_model_file(const LibraryRecipe& recipe) { return "source/" + recipe.model; }

std::vector<std::string> library_trace_files(const LibraryRecipe& recipe) {
  std::vector<LibrarySize> sizes = library_sizes(recipe.name, recipe.sizes);
  std::vector<std::string> out;
  for (const auto& at : choices_of(sizes)) {
    out.push_back(sizes.empty() ? "source/trace.json" : fmt::format("source/trace_{}.json", choice_name(sizes, at)));
  }
  return out;
}

std::optional<std::vector<Graph>> library_graphs(const LibraryRecipe& recipe, const std::string& model,
                                                 Diagnostics& diagnostics) {
  auto graph = model_graph(recipe, model, diagnostics);
  std::vector<LibrarySize> sizes = library_sizes(recipe.name, recipe.sizes);
  std::vector<Graph> out;
  for (const auto& at : graph ? choices_of(sizes) : std::vector<std::vector<std::int64_t>>{}) {
    GraphSizes numbers;
    for (const auto& [name, values] : recipe.sizes) {
      numbers[name] = values[0];
    }
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      numbers[sizes[s].name] = at[s];
    }
    AtSizes said(diagnostics, choice_text(sizes, at));
    auto concrete = at_sizes(*graph, numbers, said.here);
    if (!concrete) {
      return std::nullopt;
    }
    out.push_back(std::move(*concrete));
  }
  return graph ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<BuiltLibrary> build_library(const LibraryRecipe& recipe, const LibrarySources& sources, Diagnostics& diagnostics,
                                          const LibraryWatch& watch) {
  auto graphs = library_graphs(recipe, sources.model, diagnostics);
  if (!graphs) {
    return std::nullopt;
  }
  BuiltLibrary out;
  out.nodes = calls_of(graphs->front());
  const std::vector<Graph> before = *graphs;
  std::vector<std::string> traces = library_trace_files(recipe);
  ensure(sources.traces.size() == traces.size(), "each choice of sizes has a trace");
  Replays replays(sources, diagnostics, watch);
  for (std::size_t k = 0; k < graphs->size(); ++k) {
    auto plan = replays.rewritten((*graphs)[k], traces[k], sources.traces[k]);
    if (!plan) {
      return std::nullopt;
    }
    add_verdicts(plan->trace, out.verdicts);
    out.plans.push_back(std::move(*plan));
    out.files[traces[k]] = sources.traces[k];
  }
  auto library = lowered(recipe, *graphs, diagnostics);
  if (!library) {
    return std::nullopt;
  }
  out.library = std::move(*library);
  certify(recipe, watch, out);
  out.files.merge(library_files(out.library, out.certificates));
  out.files[library_model_file(recipe)] = sources.model;
  if (!sources.rules.empty()) {
    out.files[std::string(kLibraryRules)] = sources.rules;
  }
  out.files["report.txt"] = library_report(out);
  out.files["report.html"] = library_page(out, before, *graphs);
  out.files[std::string(kManifest)] = print_library_manifest(recipe, out);
  return out;
}

}  // namespace vouch
