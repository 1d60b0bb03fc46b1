// Deriving gradients: from text to the gradient kernel, for each class of subscripts.
#include <benchmark/benchmark.h>

#include "autodiff/gradient.h"
#include "notation/tk_parse.h"

namespace {

struct Derived {
  const char* name;
  const char* text;
};

const Derived kKernels[] = {
    {"convolution", "Y<32, 64, 56, 56>[n, k, p, q] = A<32, 64, 58, 58>[n, c, p + r, q + s] * W<64, 64, 3, 3>[k, c, r, s];"},
    {"two matrix products at once", "Y<16, 32>[i, j] = A<16, 32, 4>[i, k, l] * C<32, 32>[k, j] * D<4, 32>[l, j];"},
    {"fold by quotients and remainders", "Y<24>[i] = A<2, 3, 4>[i//12, i//4%3, i%4];"},
    {"convolution, stride 2", "Y<64, 28, 28>[c, p, q] = A<64, 57, 57>[c, 2*p + r, 2*q + s] * W<64, 3, 3>[c, r, s];"},
    {"3*i + 5*k", "Y<100>[i] = A<1000>[3*i + 5*k] * W<100>[k];"},
    {"nested folds", "Y<24>[i] = A<3, 2>[(i//4)//2, (i%6)//3];"},
    {"the same tensor three times", "Y<10, 10>[i, j] = A<10, 10>[i, k] * A<10, 10>[k, j] * A<10, 10>[j, i];"},
    {"three statements",
     "Q<5>[i] = A<5, 8>[i, k] * A<5, 8>[i, k] / 8; R<5>[i] = 1 / sqrt(Q<5>[i] + 1); Y<5, 8>[i, j] = A<5, 8>[i, j] * R<5>[i];"},
    {"strides, dilations and groups, six window axes",
     "Y<2, 8, 5, 5, 5>[n, k, o, p, q] = A<2, 8, 15, 15, 15>[n, k // 4 * 4 + c, 2*o + 3*r, 2*p + 3*s, 2*q + 3*t] * W<8, 4, 3, 3, "
     "3>[k, c, r, s, t];"},
};

void derive(benchmark::State& state) {
  const Derived& derived = kKernels[state.range(0)];
  auto source = std::make_shared<vouch::Source>("kernel", derived.text);
  for (auto _ : state) {
    vouch::Diagnostics diagnostics;
    auto kernel = vouch::parse_tk(source, {}, {}, diagnostics);
    auto gradient = kernel ? vouch::gradient(*kernel, {vouch::Symbol("A")}, diagnostics) : std::nullopt;
    if (!gradient) {
      state.SkipWithError(("no gradient: " + diagnostics.text()).c_str());
      return;
    }
    benchmark::DoNotOptimize(gradient);
  }
  state.SetLabel(derived.name);
}
BENCHMARK(derive)->DenseRange(0, std::size(kKernels) - 1)->Unit(benchmark::kMillisecond);

}  // namespace
