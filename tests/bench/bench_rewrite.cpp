// Scanning, rewriting, rule sets, memory. Times are per item: a node scanned, a rewrite done.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "check/check.h"
#include "meter.h"
#include "rewrite/engine.h"
#include "rewrite/index.h"
#include "warm_memory.h"
#include "workloads.h"

namespace vouch::bench {
namespace {

double seconds_of(auto&& work) {
  double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

std::vector<Rule> rules_with(std::int64_t others) {
  return rules_of(std::string(kGemmRule) + "\n" + many_rules(static_cast<std::size_t>(others)));
}

// Nothing matches: the rule's root operator stands everywhere. Arguments: nodes, further rules.
void scan(benchmark::State& state) {
  auto nodes = static_cast<std::size_t>(state.range(0));
  Graph graph = add_chain(nodes);
  std::vector<Rule> rules = rules_with(state.range(1));
  Meter meter(state, nodes);
  for (auto _ : state) {
    meter.add(seconds_of([&] { benchmark::DoNotOptimize(rewrite(graph, rules, {.admissions = all_unproven()}).steps); }));
  }
}

// Every pair is rewritten. Arguments: nodes, further rules.
void rewrite_chain(benchmark::State& state) {
  auto pairs = static_cast<std::size_t>(state.range(0)) / 2;
  std::vector<Rule> rules = rules_with(state.range(1));
  Meter meter(state, pairs);
  for (auto _ : state) {
    Graph graph = matmul_add_chain(pairs);
    std::size_t steps = 0;
    meter.add(seconds_of([&] { steps = rewrite(graph, rules, {.admissions = all_unproven()}).steps; }));
    if (steps != pairs) {
      state.SkipWithError("not every pair was rewritten");
    }
  }
}

// What admission costs: every pair is rewritten by a rule that is sound for it, as unproven (0) or where its proven scopes cover
// the match (1); proving is not timed. Arguments: nodes, which.
void rewrite_admitted(benchmark::State& state) {
  auto pairs = static_cast<std::size_t>(state.range(0)) / 2;
  std::vector<Rule> rules = rules_of(R"gsl(rule gemm {
    let x = *;
    let a = *;
    let b = *;
    where x.rank == 2 and a.rank == 2 and b.rank == 2;
    where b.shape[0] == x.shape[0] and b.shape[1] == a.shape[1];
    source MatMul(x, a) + b;
    target Gemm(x, a, b);
  })gsl");
  const auto scopes = std::make_shared<const std::vector<Scope>>(check_rule(rules.front(), {}).scopes);
  Meter meter(state, pairs);
  for (auto _ : state) {
    Graph graph = matmul_add_chain(pairs);
    Admission admission = state.range(1) != 0 ? Admission::by_scopes(scopes, "not proven") : Admission::unproven();
    RewriteOptions options;
    options.admissions = [&](std::size_t) -> Admission& { return admission; };
    std::size_t steps = 0;
    meter.add(seconds_of([&] { steps = rewrite(graph, rules, options).steps; }));
    if (steps != pairs) {
      state.SkipWithError("not every pair was rewritten");
    }
  }
}

// The index of a rule set: what an engine makes before it begins. Argument: rules.
void rule_set_ready(benchmark::State& state) {
  std::vector<Rule> rules = rules_with(state.range(0) - 1);
  Meter meter(state, rules.size());
  for (auto _ : state) {
    meter.add(seconds_of([&] { benchmark::DoNotOptimize(RuleIndex(rules)); }));
  }
}

// Bytes that the allocator has in use for a chain, per node.
void memory(benchmark::State& state) {
  auto nodes = static_cast<std::size_t>(state.range(0));
  double bytes = 0;
  for (auto _ : state) {
    std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    Graph graph = matmul_add_chain(nodes / 2);
    bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before);
    state.SetIterationTime(1e-9);
  }
  state.counters["bytes_per_node"] = bytes / static_cast<double>(nodes);
}

// One attribute expression, closed and large, that every branch of a variadic target asks for. Argument: remember it or not.
void memoisation(benchmark::State& state) {
  constexpr std::size_t kBranches = 256;
  std::vector<Rule> rules = rules_of(R"gsl(rule reshape_back {
    let x = *;
    let w1 = *;
    let first = MatMul(x, w1);
    variadic branch[i] from first, w1 min 2 {
      let w = *;
      drop w;
      yield MatMul(x, w);
    }
    drop x, w1;
    source branch;
    target variadic[i < branch.length] {
      ConstantOfShape(const { value = (sum[k < branch.length](branch[k].w.shape[0]) // branch.length,
                                       sum[k < branch.length](branch[k].w.shape[1]) // branch.length) })
    };
  })gsl");
  RewriteOptions options;
  options.apply.memoise = state.range(0) != 0;
  options.admissions = all_unproven();
  Meter meter(state, kBranches);
  for (auto _ : state) {
    Graph graph = shared_producer(kBranches);
    std::size_t steps = 0;
    meter.add(seconds_of([&] { steps = rewrite(graph, rules, options).steps; }));
    if (steps != 1) {
      state.SkipWithError("the branches were not rewritten");
    }
  }
}

BENCHMARK(scan)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {0}})->Args({100'000, 1000})->UseManualTime();
BENCHMARK(rewrite_chain)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {0}})->Args({100'000, 1000})->UseManualTime();
BENCHMARK(rewrite_admitted)->ArgsProduct({{10'000, 100'000}, {0, 1}})->UseManualTime();
BENCHMARK(rule_set_ready)->Arg(1)->Arg(100)->Arg(1000)->UseManualTime();
BENCHMARK(memory)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Iterations(1)->UseManualTime();
BENCHMARK(memoisation)->Arg(0)->Arg(1)->UseManualTime();

}  // namespace
}  // namespace vouch::bench

int main(int argc, char** argv) {
  vouch::bench::keep_memory_warm();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
