// What the programs have in common that time a convolution of ours against oneDNN's, in turns: layouts and numbers, our library,
// clocks, medians.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <random>
#include <vector>

namespace peer {

using dnnl::memory;
using Floats = std::vector<float>;
using Run = std::function<void()>;
using Convolution = void(const float*, const float*, float*);

// Of one picture: x[C][H][W], w[K][C][R][R] (of a group for each channel, with K = C: w[C][R][R]), y[K][P][Q].
struct Layer {
  long c, h, w, k, r, stride, pad;
  bool depthwise;
  long p() const { return (h + 2 * pad - r) / stride + 1; }
  long q() const { return (w + 2 * pad - r) / stride + 1; }
  long inputs() const { return c * h * w; }
  long weights() const { return k * (depthwise ? 1 : c) * r * r; }
  long outputs() const { return k * p() * q(); }
  memory::dims x_dims() const { return {1, c, h, w}; }
  memory::dims w_dims() const { return depthwise ? memory::dims{c, 1, 1, r, r} : memory::dims{k, c, r, r}; }
  memory::dims y_dims() const { return {1, k, p(), q()}; }
  memory::format_tag w_tag() const { return depthwise ? memory::format_tag::goihw : memory::format_tag::oihw; }
};

inline Layer read_layer(char** argv) {
  auto number = [&](int at) { return std::atol(argv[at]); };
  return {number(1), number(2), number(3), number(4), number(5), number(6), number(7), std::strcmp(argv[8], "depthwise") == 0};
}

inline memory::desc floats_desc(const memory::dims& dims, memory::format_tag tag) { return {dims, memory::data_type::f32, tag}; }

inline Floats random_floats(long count, unsigned seed) {
  std::mt19937 random(seed);
  Floats out(static_cast<std::size_t>(count));
  for (float& x : out) {
    x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
  }
  return out;
}

inline double seconds(clockid_t clock, const Run& run) {
  timespec before{}, after{};
  clock_gettime(clock, &before);
  run();
  clock_gettime(clock, &after);
  return static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

inline double difference(const Floats& found, const Floats& expected) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
    worst = std::max(worst, std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
  }
  return worst / largest;
}

inline Convolution* loaded(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  void* found = library != nullptr ? dlsym(library, "convolution") : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(9);
  }
  return reinterpret_cast<Convolution*>(found);
}

// The median of each, in seconds, after a round that is not counted.
inline void print_medians(const std::vector<Run>& runs, int rounds, const char* clock_name) {
  clockid_t clock = std::strcmp(clock_name, "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t n = 0; n < runs.size(); ++n) {
      double t = seconds(clock, runs[n]);
      if (round > 0) {
        times[n].push_back(t);
      }
    }
  }
  for (std::vector<double>& t : times) {
    std::sort(t.begin(), t.end());
    std::printf("%.9f\t", t[t.size() / 2]);
  }
}

}  // namespace peer
