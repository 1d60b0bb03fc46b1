// Times of a benchmark's iterations as nanoseconds per item: the least of them, which others on the machine disturb least.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>

namespace vouch::bench {

class Meter {
 public:
  Meter(benchmark::State& state, std::size_t items) : state_(state), items_(items) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() { state_.counters["ns_per_item"] = least_ * 1e9 / static_cast<double>(items_); }
  void set_items(std::size_t items) { items_ = items; }
  void add(double seconds) {
    state_.SetIterationTime(seconds);
    least_ = std::min(least_, seconds);
  }

 private:
  benchmark::State& state_;
  std::size_t items_;
  double least_ = 1e30;
};

}  // namespace vouch::bench
