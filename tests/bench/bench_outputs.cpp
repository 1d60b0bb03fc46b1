// Several and variadic outputs: the experiment that the thesis leaves open, on graphs of 10^3 to 10^6 nodes and patterns of 1 to
// 64 outputs, against O(|V| + |E| + outputs * (|Vp| + |Ep|)).
#include <benchmark/benchmark.h>

#include "meter.h"
#include "rewrite/engine.h"
#include "workloads.h"

namespace vouch::bench {
namespace {

std::size_t timed_rewrite(Meter& meter, Graph& graph, const std::vector<Rule>& rules) {
  double start = thread_seconds();
  std::size_t steps = rewrite(graph, rules, {.admissions = all_unproven()}).steps;
  meter.add(thread_seconds() - start);
  return steps;
}

// Groups of 64 products of one operand, matched and rewritten by a rule of so many outputs. Arguments: nodes, outputs.
void outputs(benchmark::State& state) {
  constexpr std::size_t kWidth = 64;
  auto nodes = static_cast<std::size_t>(state.range(0));
  auto outputs = static_cast<std::size_t>(state.range(1));
  std::size_t groups = nodes / (2 * kWidth);
  std::vector<Rule> rules = rules_of(rule_of_outputs(outputs));
  Meter meter(state, 0);
  for (auto _ : state) {
    Graph graph = groups_of_products(groups, kWidth);
    meter.set_items(graph.live_count());
    if (timed_rewrite(meter, graph, rules) != groups * (kWidth / outputs)) {
      state.SkipWithError("not every group was rewritten");
    }
  }
}

// The same by the variadic rule: one match for each group. Arguments: nodes, branches.
void variadic(benchmark::State& state) {
  auto width = static_cast<std::size_t>(state.range(1));
  std::size_t groups = static_cast<std::size_t>(state.range(0)) / (2 * width);
  std::vector<Rule> rules = rules_of(kVariadicRule);
  Meter meter(state, 0);
  for (auto _ : state) {
    Graph graph = groups_of_products(groups, width);
    meter.set_items(graph.live_count());
    if (timed_rewrite(meter, graph, rules) != groups) {
      state.SkipWithError("not every group was rewritten");
    }
  }
}

// The cost of one match and its rewrite, by the variadic rule, in graphs of about 10^5 nodes. Argument: branches.
void branches(benchmark::State& state) {
  auto width = static_cast<std::size_t>(state.range(0));
  std::size_t groups = 50'000 / width;
  std::vector<Rule> rules = rules_of(kVariadicRule);
  Meter meter(state, groups);
  for (auto _ : state) {
    Graph graph = groups_of_products(groups, width);
    if (timed_rewrite(meter, graph, rules) != groups) {
      state.SkipWithError("not every group was rewritten");
    }
  }
}

// One producer with so many users, rewritten two by two. Argument: users.
void sharers_match(benchmark::State& state) {
  auto count = static_cast<std::size_t>(state.range(0));
  std::vector<Rule> rules = rules_of(rule_of_outputs(2));
  Meter meter(state, count);
  for (auto _ : state) {
    Graph graph = shared_producer(count);
    if (timed_rewrite(meter, graph, rules) != count / 2) {
      state.SkipWithError("not every pair was rewritten");
    }
  }
}

// The second output's operator stands nowhere (0), or everywhere but with another shape (1). Arguments: users, which.
void sharers_no_match(benchmark::State& state) {
  auto count = static_cast<std::size_t>(state.range(0));
  std::vector<Rule> rules =
      rules_of(state.range(1) == 0 ? "rule none { let x = *; let a = *; let b = *; source MatMul(x, a), Div(x, b); "
                                     "target x * a, x + b; }"
                                   : "rule none { let x = *; let a = *; let b = variable { shape = (3, 3) }; "
                                     "source MatMul(x, a), MatMul(x, b); target x * a, x + b; }");
  Graph graph = shared_producer(count);
  Meter meter(state, count);
  for (auto _ : state) {
    if (timed_rewrite(meter, graph, rules) != 0) {
      state.SkipWithError("a match where there is none");
    }
  }
}

BENCHMARK(outputs)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {1, 2, 4, 8, 16, 32, 64}})->UseManualTime();
BENCHMARK(variadic)->ArgsProduct({{1000, 10'000, 100'000, 1'000'000}, {4, 64}})->UseManualTime();
BENCHMARK(branches)->RangeMultiplier(2)->Range(2, 64)->UseManualTime();
BENCHMARK(sharers_match)->RangeMultiplier(10)->Range(1000, 100'000)->UseManualTime();
BENCHMARK(sharers_no_match)->ArgsProduct({{1000, 10'000, 100'000}, {0, 1}})->UseManualTime();

}  // namespace
}  // namespace vouch::bench
