// conv_gradient ROUNDS CLOCK: the input gradient of 3x3 convolutions, ours against oneDNN's backward-data, in turns. CLOCK is
// `processor`, this thread's own time, or `clock`.
//
// cases.h, written by gradients.py, names the shapes: CASE(name, n, c, h, w, k, r, s), where h and w are the sizes of the
// gradient. `NAME_run` calls the certified text of `vouch grad`. A line for each shape: its name, then medians in seconds of
// ours and of oneDNN (in its own layouts, without and with the way from and to plain ones).
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#ifdef WITH_DNNL
#include <dnnl.hpp>
#endif

#include "cases.h"

namespace {

using Floats = std::vector<float>;

struct Shape {
  const char* name;
  long n, c, h, w, k, r, s;
  long p() const { return h - r + 1; }
  long q() const { return w - s + 1; }
  void (*run)(const float* weights, const float* dy, float* dx);
};

Floats random_floats(long count, unsigned seed) {
  std::mt19937 random(seed);
  Floats out(static_cast<std::size_t>(count));
  for (float& x : out) {
    x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
  }
  return out;
}

double seconds(clockid_t clock, const std::function<void()>& run) {
  timespec before{}, after{};
  clock_gettime(clock, &before);
  run();
  clock_gettime(clock, &after);
  return static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void expect_near(const Floats& found, const Floats& expected, const char* what) {
  float largest = 0;
  for (float x : expected) {
    largest = std::max(largest, std::fabs(x));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!(std::fabs(found[i] - expected[i]) <= 1e-4F * largest)) {
      std::fprintf(stderr, "%s: element %zu is %g, expected %g\n", what, i, found[i], expected[i]);
      std::exit(1);
    }
  }
}

#ifdef WITH_DNNL
class Peer {
 public:
  Peer(const Shape& shape, Floats& weights, Floats& dy, Floats& dx) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using dnnl::memory;
    auto desc = [](std::vector<long> dims, memory::format_tag tag) { return memory::desc(dims, memory::data_type::f32, tag); };
    std::vector<long> of_dx{shape.n, shape.c, shape.h, shape.w}, of_w{shape.k, shape.c, shape.r, shape.s},
        of_dy{shape.n, shape.k, shape.p(), shape.q()};
    auto any = memory::format_tag::any;
    memory::dims strides{1, 1}, pads{0, 0};
    dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
                                            desc(of_dx, any), desc(of_w, any), desc(of_dy, any), strides, pads, pads);
    dnnl::convolution_backward_data::desc backward(dnnl::algorithm::convolution_direct, desc(of_dx, any), desc(of_w, any),
                                                   desc(of_dy, any), strides, pads, pads);
    dnnl::convolution_backward_data::primitive_desc chosen(backward, engine_,
                                                           dnnl::convolution_forward::primitive_desc(forward, engine_));
    primitive_ = dnnl::convolution_backward_data(chosen);
    plain_dx_ = memory(desc(of_dx, memory::format_tag::nchw), engine_, dx.data());
    plain_w_ = memory(desc(of_w, memory::format_tag::oihw), engine_, weights.data());
    plain_dy_ = memory(desc(of_dy, memory::format_tag::nchw), engine_, dy.data());
    dx_ = memory(chosen.diff_src_desc(), engine_);
    w_ = memory(chosen.weights_desc(), engine_);
    dy_ = memory(chosen.diff_dst_desc(), engine_);
    reorder(plain_w_, w_);  // weights are packed once, ahead of time
    reorder(plain_dy_, dy_);
  }

  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_DIFF_DST, dy_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DIFF_SRC, dx_}});
    stream_.wait();
  }

  void run_plain() {
    reorder(plain_dy_, dy_);
    run();
    reorder(dx_, plain_dx_);
  }

 private:
  void reorder(dnnl::memory& from, dnnl::memory& to) {
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_backward_data primitive_;
  dnnl::memory plain_dx_, plain_w_, plain_dy_, dx_, w_, dy_;
};
#endif

void measure(const Shape& shape, int rounds, clockid_t clock) {
  Floats weights = random_floats(shape.k * shape.c * shape.r * shape.s, 1);
  Floats dy = random_floats(shape.n * shape.k * shape.p() * shape.q(), 2);
  Floats ours(static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w));
  Floats theirs = ours;
  std::vector<std::function<void()>> runs{[&] { shape.run(weights.data(), dy.data(), ours.data()); }};
#ifdef WITH_DNNL
  Peer peer(shape, weights, dy, theirs);
  runs.emplace_back([&] { peer.run(); });
  runs.emplace_back([&] { peer.run_plain(); });
#endif
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      double t = seconds(clock, runs[k]);
      if (round > 0) {  // the first is not counted
        times[k].push_back(t);
      }
    }
  }
#ifdef WITH_DNNL
  expect_near(theirs, ours, shape.name);
#endif
  std::printf("%s", shape.name);
  for (const std::vector<double>& one : times) {
    std::printf("\t%.6f", median(one));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 64;
  }
  clockid_t clock = std::strcmp(argv[2], "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const Shape shapes[] = {
#define CASE(name, n, c, h, w, k, r, s) Shape{#name, n, c, h, w, k, r, s, name##_run},
      CASES
#undef CASE
  };
  for (const Shape& shape : shapes) {
    measure(shape, std::atoi(argv[1]), clock);
  }
}
