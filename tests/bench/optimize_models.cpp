// optimize_models RULES OUT MODEL...: processor seconds that one process takes to read, optimise and write each model, the least
// of several, when rules and verdicts are there from a run before: what a session of another runtime is asked for. A line for
// each.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>

#include "api/vouch.h"

namespace {

constexpr int kRuns = 5;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double least(const vouch::api::Rules& rules, const std::string& model, const std::string& out) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    double before = seconds();
    vouch::api::Model::load(model).optimize(rules).model.save(out);
    best = std::min(best, seconds() - before);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto rules = vouch::api::Rules::load({argv[1]});
    for (int k = 3; k < argc; ++k) {
      std::printf("%s %.6f\n", argv[k], least(rules, argv[k], argv[2]));
    }
  } catch (const vouch::api::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
