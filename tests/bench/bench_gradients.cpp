// Deriving gradients: from text to the gradient kernel, for each class of subscripts.
#include <benchmark/benchmark.h>

#include "autodiff/gradient.h"
#include "kernel/tk_parse.h"

namespace {

const char* const kKernels[] = {
    "Y<32, 64, 56, 56>[n, k, p, q] = A<32, 64, 58, 58>[n, c, p + r, q + s] * W<64, 64, 3, 3>[k, c, r, s];",
    "Y<16, 32>[i, j] = A<16, 32, 4>[i, k, l] * C<32, 32>[k, j] * D<4, 32>[l, j];",
    "Y<24>[i] = A<2, 3, 4>[i//12, i//4%3, i%4];",
    "Y<64, 28, 28>[c, p, q] = A<64, 57, 57>[c, 2*p + r, 2*q + s] * W<64, 3, 3>[c, r, s];",
    "Y<100>[i] = A<1000>[3*i + 5*k] * W<100>[k];",
};

void derive(benchmark::State& state) {
  auto source = std::make_shared<vouch::Source>("kernel", kKernels[state.range(0)]);
  for (auto _ : state) {
    vouch::Diagnostics diagnostics;
    auto kernel = vouch::parse_tk(source, {}, {}, diagnostics);
    auto gradient = kernel ? vouch::gradient(*kernel, {vouch::Symbol("A")}, diagnostics) : std::nullopt;
    if (!gradient) {
      state.SkipWithError("no gradient");
      return;
    }
    benchmark::DoNotOptimize(gradient);
  }
}
BENCHMARK(derive)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace
