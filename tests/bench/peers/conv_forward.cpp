// conv_forward C H W K R STRIDE PAD ROUNDS CLOCK LIBRARY FUSED: a convolution of one picture, x[C][H][W] by w[K][C][R][R], ours against
// oneDNN's, in turns. Both libraries have convolution(x, w, y). Prints medians in seconds: ours; ours with fused multiply-add;
// oneDNN in layouts of its own, its weights packed ahead of time; oneDNN from and to plain layouts, as ours; then the largest
// difference relative to the largest element. CLOCK is `processor`, this thread's own time, or `clock`.
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

namespace {

using dnnl::memory;
using Floats = std::vector<float>;
using Convolution = void(const float*, const float*, float*);

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

class Peer {
 public:
  Peer(const std::vector<long>& x, const std::vector<long>& w, const std::vector<long>& y, long stride, long pad, Floats& xs,
       Floats& ws, Floats& ys)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    auto desc = [](const std::vector<long>& dims, memory::format_tag tag) {
      return memory::desc(dims, memory::data_type::f32, tag);
    };
    auto any = memory::format_tag::any;
    memory::dims strides{stride, stride}, pads{pad, pad};
    dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, desc(x, any),
                                            desc(w, any), desc(y, any), strides, pads, pads);
    dnnl::convolution_forward::primitive_desc chosen(forward, engine_);
    primitive_ = dnnl::convolution_forward(chosen);
    plain_x_ = memory(desc(x, memory::format_tag::nchw), engine_, xs.data());
    plain_w_ = memory(desc(w, memory::format_tag::oihw), engine_, ws.data());
    plain_y_ = memory(desc(y, memory::format_tag::nchw), engine_, ys.data());
    x_ = memory(chosen.src_desc(), engine_);
    w_ = memory(chosen.weights_desc(), engine_);
    y_ = memory(chosen.dst_desc(), engine_);
    reorder(plain_w_, w_);
    reorder(plain_x_, x_);
  }

  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DST, y_}});
    stream_.wait();
  }

  void run_plain() {
    reorder(plain_w_, w_);
    reorder(plain_x_, x_);
    run();
    reorder(y_, plain_y_);
  }

 private:
  void reorder(memory& from, memory& to) {
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward primitive_;
  memory plain_x_, plain_w_, plain_y_, x_, w_, y_;
};

double difference(const Floats& found, const Floats& expected) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
    worst = std::max(worst, std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
  }
  return worst / largest;
}

Convolution* loaded(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(9);
  }
  return reinterpret_cast<Convolution*>(dlsym(library, "convolution"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 12) {
    return 64;
  }
  long c = std::atol(argv[1]), h = std::atol(argv[2]), w = std::atol(argv[3]), k = std::atol(argv[4]), r = std::atol(argv[5]),
       stride = std::atol(argv[6]), pad = std::atol(argv[7]);
  int rounds = std::atoi(argv[8]);
  clockid_t clock = std::strcmp(argv[9], "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  long p = (h + 2 * pad - r) / stride + 1, q = (w + 2 * pad - r) / stride + 1;
  Convolution* ours = loaded(argv[10]);
  Convolution* fused = loaded(argv[11]);
  Floats x = random_floats(c * h * w, 1), weights = random_floats(k * c * r * r, 2);
  Floats found(static_cast<std::size_t>(k * p * q)), at_once = found, theirs = found;
  Peer peer({1, c, h, w}, {k, c, r, r}, {1, k, p, q}, stride, pad, x, weights, theirs);
  std::vector<std::function<void()>> runs{[&] { ours(x.data(), weights.data(), found.data()); },
                                          [&] { fused(x.data(), weights.data(), at_once.data()); }, [&] { peer.run(); },
                                          [&] { peer.run_plain(); }};
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t n = 0; n < runs.size(); ++n) {
      double t = seconds(clock, runs[n]);
      if (round > 0) {  // the first is not counted
        times[n].push_back(t);
      }
    }
  }
  for (std::vector<double>& t : times) {
    std::sort(t.begin(), t.end());
    std::printf("%.9f\t", t[t.size() / 2]);
  }
  std::printf("%.3g\n", std::max(difference(found, theirs), difference(at_once, theirs)));
}
