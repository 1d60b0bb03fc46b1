// run_models MODEL IO...: processor seconds that one process takes to run each model, which it has read, on the tensors of a
// folder, the least of several: what a session of another runtime is asked for. A line for each.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>

#include "driver/compare.h"
#include "driver/model.h"
#include "graph/eval.h"

namespace {

constexpr int kRuns = 5;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::optional<double> least(const std::string& path, const std::string& io, vouch::Diagnostics& diagnostics) {
  auto model = vouch::load_model(path, diagnostics);
  auto given = model ? vouch::read_given(io, {}, diagnostics) : std::nullopt;
  auto inputs = given ? vouch::load_inputs(model->graph, given->inputs, diagnostics, model->defaults) : std::nullopt;
  if (!inputs) {
    return std::nullopt;
  }
  vouch::GraphEvaluator evaluator;  // meanings of calls are found in the first run, as a session finds its kernels
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    double before = seconds();
    if (!evaluator.run(model->graph, *inputs, diagnostics)) {
      return std::nullopt;
    }
    best = std::min(best, seconds() - before);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  vouch::Diagnostics diagnostics;
  for (int k = 1; k + 1 < argc; k += 2) {
    auto best = least(argv[k], argv[k + 1], diagnostics);
    if (!best) {
      std::fprintf(stderr, "%s\n", diagnostics.text().c_str());
      return 1;
    }
    std::printf("%s %.6f\n", argv[k], *best);
  }
  return 0;
}
