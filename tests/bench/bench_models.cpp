// bench_models [FLAGS] MODEL.onnx...: import of each model, and its rewriting by the rule of the chains.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "io/onnx_import.h"
#include "meter.h"
#include "rewrite/cleanup.h"
#include "rewrite/engine.h"
#include "workloads.h"

namespace vouch::bench {
namespace {

OnnxModel imported(const std::string& path) {
  Diagnostics diagnostics;
  auto model = import_onnx(path, diagnostics);
  if (!model) {
    std::fputs(diagnostics.text().c_str(), stderr);
    std::exit(1);
  }
  return std::move(*model);
}

void import_model(benchmark::State& state, const std::string& path) {
  Meter meter(state, 1);
  for (auto _ : state) {
    double start = thread_seconds();
    benchmark::DoNotOptimize(imported(path).graph.live_count());
    meter.add(thread_seconds() - start);
  }
}

// What a session of a peer does at most: common subexpressions, rewriting, dead nodes.
void optimize_model(benchmark::State& state, const std::string& path) {
  std::vector<Rule> rules = rules_of(kGemmRule);
  Graph original = imported(path).graph;
  Meter meter(state, 1);
  for (auto _ : state) {
    Graph graph = original;
    double start = thread_seconds();
    merge_common_subexpressions(graph);
    state.counters["rewrites"] = static_cast<double>(rewrite(graph, rules, {.admissions = all_unproven()}).steps);
    remove_dead_nodes(graph);
    meter.add(thread_seconds() - start);
  }
}

}  // namespace
}  // namespace vouch::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    std::string path = argv[k];
    benchmark::RegisterBenchmark(("import/" + path).c_str(), vouch::bench::import_model, path)->UseManualTime();
    benchmark::RegisterBenchmark(("optimize/" + path).c_str(), vouch::bench::optimize_model, path)->UseManualTime();
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
