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
#include <unordered_map>
#include <utility>
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
  memory::desc plain_x() const { return {x_dims(), memory::data_type::f32, memory::format_tag::nchw}; }
  memory::desc plain_w() const { return {w_dims(), memory::data_type::f32, w_tag()}; }
  memory::desc plain_y() const { return {y_dims(), memory::data_type::f32, memory::format_tag::nchw}; }
  memory::format_tag w_tag() const { return depthwise ? memory::format_tag::goihw : memory::format_tag::oihw; }
};

inline Layer read_layer(char** argv) {
  auto number = [&](int at) { return std::atol(argv[at]); };
  return {number(1), number(2), number(3), number(4), number(5), number(6), number(7), std::strcmp(argv[8], "depthwise") == 0};
}

// In a layout that oneDNN chooses.
inline memory::desc any_desc(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

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

// The median of each, in seconds: every second round backwards, each after a run of its own that is not counted, so that none
// finds in the cache what another left there.
inline void print_medians(const std::vector<Run>& runs, int rounds, const char* clock_name) {
  clockid_t clock = std::strcmp(clock_name, "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      std::size_t n = round % 2 == 0 ? k : runs.size() - 1 - k;
      runs[n]();
      times[n].push_back(seconds(clock, runs[n]));
    }
  }
  for (std::vector<double>& t : times) {
    std::sort(t.begin(), t.end());
    std::printf("%.9f\t", t[t.size() / 2]);
  }
}

// A tensor of a primitive: its argument, and its layouts, that which oneDNN chose and the plain one, as ours is.
struct Operand {
  int argument;
  memory::desc own, plain;
};

// A primitive that reads two tensors and writes one.
class Peer {
 public:
  Peer(const dnnl::engine& engine, dnnl::primitive primitive, const std::vector<Operand>& operands,
       const std::vector<Floats*>& tensors)
      : stream_(engine), primitive_(std::move(primitive)) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      own_.emplace_back(operands[k].own, engine);
      plain_.emplace_back(operands[k].plain, engine, tensors[k]->data());
      arguments_.emplace(operands[k].argument, own_[k]);
    }
    read_plain();
  }

  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

  void run_plain() {
    read_plain();
    run();
    reorder(own_.back(), plain_.back());
  }

 private:
  void read_plain() {
    for (std::size_t k = 0; k + 1 < own_.size(); ++k) {
      reorder(plain_[k], own_[k]);
    }
  }

  void reorder(memory& from, memory& to) {
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<memory> own_, plain_;
  std::unordered_map<int, memory> arguments_;
};

using MakePeer = std::function<Peer(const Layer& layer, const std::vector<Floats*>& tensors)>;

// All of a program: `sizes` are the elements of what is read and of what is written.
inline int compare(int argc, char** argv, const std::function<std::vector<long>(const Layer&)>& sizes, const MakePeer& make) {
  if (argc != 13) {
    return 64;
  }
  Layer layer = read_layer(argv);
  Convolution* ours = loaded(argv[11]);
  Convolution* fused = loaded(argv[12]);
  std::vector<long> counts = sizes(layer);
  Floats first = random_floats(counts[0], 1), second = random_floats(counts[1], 2);
  Floats found(static_cast<std::size_t>(counts[2])), at_once = found, theirs = found;
  Peer peer = make(layer, {&first, &second, &theirs});
  print_medians({[&] { ours(first.data(), second.data(), found.data()); },
                 [&] { fused(first.data(), second.data(), at_once.data()); }, [&] { peer.run(); }, [&] { peer.run_plain(); }},
                std::atoi(argv[9]), argv[10]);
  std::printf("%.3g\n", std::max(difference(found, theirs), difference(at_once, theirs)));
  return 0;
}

}  // namespace peer
