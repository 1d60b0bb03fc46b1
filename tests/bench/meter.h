// Times of a benchmark's iterations as nanoseconds per item: the least of samples that each last as long, which others on the
// machine disturb least. (The least of single iterations would flatter small sizes: of thousands of short ones some meet no
// disturbance, of a few long ones none.)
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>

namespace vouch::bench {

class Meter {
 public:
  Meter(benchmark::State& state, std::size_t items) : state_(state), items_(items) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() {
    if (least_ == kNone && iterations_ != 0) {
      end_sample();
    }
    state_.counters["ns_per_item"] = least_ * 1e9 / static_cast<double>(items_);
  }
  void set_items(std::size_t items) { items_ = items; }
  void add(double seconds) {
    state_.SetIterationTime(seconds);
    seconds_ += seconds;
    ++iterations_;
    if (seconds_ >= kSampleSeconds) {
      end_sample();
    }
  }

 private:
  static constexpr double kSampleSeconds = 0.25;
  static constexpr double kNone = 1e30;

  void end_sample() {
    least_ = std::min(least_, seconds_ / static_cast<double>(iterations_));
    seconds_ = 0;
    iterations_ = 0;
  }

  benchmark::State& state_;
  std::size_t items_;
  std::size_t iterations_ = 0;  // of the sample that is being taken
  double seconds_ = 0;
  double least_ = kNone;
};

}  // namespace vouch::bench
