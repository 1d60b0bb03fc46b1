// lane_times KERNEL M N ROUNDS CALLS CLOCK LIBRARY...: sums, products with vectors, softmax and layer norm of M rows of N
// numbers; each library has KERNEL(inputs..., output). All take turns, ROUNDS times CALLS calls after one that is not counted.
// Prints for each subject its median in seconds and the largest difference from the exact result, relative to what its terms add
// up to: first the peer, OpenBLAS or oneDNN; then memory, a loop that reads and writes the same bytes; then the libraries. CLOCK
// is `processor`, this thread's own time, or `clock`.
#include <cblas.h>
#include <dlfcn.h>
#include <omp.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using dnnl::memory;
using Floats = std::vector<float>;
using Run = std::function<void()>;

constexpr float kEpsilon = 0.00001F;
constexpr long kPage = 1024;  // floats in what one thread streams at once

long m, n;
Floats x, y, scale, shift, a;

Floats random_floats(long count, unsigned seed) {
  std::mt19937 random(seed);
  Floats out(static_cast<std::size_t>(count));
  for (float& v : out) {
    v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 600;
  }
  return out;
}

// What reads `count` floats of each of some arrays, in eight vectors, and writes as many, if there is somewhere to.
using Vector = float __attribute__((vector_size(64)));
float read_all(const std::vector<const float*>& from, long count) {
  float total = 0;
#pragma omp parallel for reduction(+ : total)
  for (long page = 0; page < count / kPage; ++page) {
    Vector sums[8] = {};
    for (const float* one : from) {
      for (long k = 0; k < kPage; k += 128) {
        Vector read[8];
        std::memcpy(read, one + page * kPage + k, sizeof read);
        for (int v = 0; v < 8; ++v) {
          sums[v] += read[v];
        }
      }
    }
    for (Vector sum : sums) {
      total += sum[0];
    }
  }
  return total;
}

void write_all(const float* from, const float* and_from, float* to, long count) {
#pragma omp parallel for
  for (long page = 0; page < count / kPage; ++page) {
    for (long k = page * kPage; k < (page + 1) * kPage; k += 16) {
      Vector first;
      std::memcpy(&first, from + k, sizeof first);
      if (and_from != nullptr) {
        Vector second;
        std::memcpy(&second, and_from + k, sizeof second);
        first += second;
      }
      std::memcpy(to + k, &first, sizeof first);
    }
  }
}

// oneDNN's softmax or layer norm.
class Dnn {
 public:
  Dnn(bool softmax, float* out) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    memory::desc rows({m, n}, memory::data_type::f32, memory::format_tag::ab);
    memory::desc row({n}, memory::data_type::f32, memory::format_tag::a);
    arguments_ = {{DNNL_ARG_SRC, memory(rows, engine_, x.data())}, {DNNL_ARG_DST, memory(rows, engine_, out)}};
    auto forward = dnnl::prop_kind::forward_inference;
    if (softmax) {
      dnnl::softmax_forward::desc wanted(forward, rows, 1);
      primitive_ = dnnl::softmax_forward(dnnl::softmax_forward::primitive_desc(wanted, engine_));
      return;
    }
    auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    dnnl::layer_normalization_forward::desc wanted(forward, rows, kEpsilon, flags);
    primitive_ = dnnl::layer_normalization_forward(dnnl::layer_normalization_forward::primitive_desc(wanted, engine_));
    arguments_.emplace(DNNL_ARG_SCALE, memory(row, engine_, scale.data()));
    arguments_.emplace(DNNL_ARG_SHIFT, memory(row, engine_, shift.data()));
  }

  void run() {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
};

// What one row's terms add up to, and the sum of their absolute values.
struct Sum {
  double sum = 0;
  double size = 0;
  void add(double term) {
    sum += term;
    size += std::fabs(term);
  }
};

std::vector<Sum> row_results(const std::string& kernel, long row) {
  std::vector<Sum> out(kernel == "axpy" || kernel == "scale" || kernel == "softmax" || kernel == "layer_norm" ? n : 1);
  auto at = [&](long j) { return static_cast<double>(x[row * n + j]); };
  Sum whole, squares;
  double largest = -INFINITY;
  for (long j = 0; j < n; ++j) {
    largest = std::max(largest, at(j));
    whole.add(kernel == "dot" || kernel == "matvec" ? at(j) * y[j] : at(j));
    squares.add(at(j) * at(j));
  }
  double mean = whole.sum / n, variance = squares.sum / n - mean * mean, powers = 0;
  for (long j = 0; j < n; ++j) {
    powers += std::exp(at(j) - largest);
  }
  for (long j = 0; j < static_cast<long>(out.size()); ++j) {
    if (kernel == "axpy" || kernel == "scale") {
      out[j].add(static_cast<double>(a[0]) * at(j));
      if (kernel == "axpy") {
        out[j].add(y[j]);
      }
    } else if (kernel == "softmax") {
      out[j].add(std::exp(at(j) - largest) / powers);
    } else if (kernel == "layer_norm") {
      out[j].add((at(j) - mean) / std::sqrt(variance + kEpsilon) * scale[j]);
      out[j].add(shift[j]);
      out[j].size += 1;
    } else {
      out[j] = kernel == "norm" ? Sum{std::sqrt(squares.sum), std::sqrt(squares.sum)} : whole;
    }
  }
  return out;
}

double difference(const std::string& kernel, const Floats& found) {
  double worst = 0;
  std::size_t at = 0;
  for (long row = 0; row < m; ++row) {
    for (const Sum& expected : row_results(kernel, row)) {
      double off = std::fabs(static_cast<double>(found[at++]) - expected.sum);
      worst = off == 0 ? worst : std::isfinite(off) ? std::max(worst, off / expected.size) : INFINITY;
    }
  }
  return worst;
}

Run loaded(const std::string& kernel, const char* path, float* out) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, kernel.c_str());
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(9);
  }
  auto two = reinterpret_cast<void (*)(const float*, float*)>(found);
  auto three = reinterpret_cast<void (*)(const float*, const float*, float*)>(found);
  auto four = reinterpret_cast<void (*)(const float*, const float*, const float*, float*)>(found);
  if (kernel == "axpy") {
    return [=] { four(a.data(), x.data(), y.data(), out); };
  }
  if (kernel == "layer_norm") {
    return [=] { four(x.data(), scale.data(), shift.data(), out); };
  }
  if (kernel == "scale") {
    return [=] { three(a.data(), x.data(), out); };
  }
  if (kernel == "dot" || kernel == "matvec") {
    return [=] { three(x.data(), y.data(), out); };
  }
  return [=] { two(x.data(), out); };
}

// OpenBLAS adds to a vector in place, so the vector is copied first, where the result is another one; it has no sum of numbers
// with signs, which is a product with ones here.
Run peer(const std::string& kernel, float* out) {
  int count = static_cast<int>(n);
  if (kernel == "axpy") {
    return [=] {
      cblas_scopy(count, y.data(), 1, out, 1);
      cblas_saxpy(count, a[0], x.data(), 1, out, 1);
    };
  }
  if (kernel == "scale") {
    return [=] { cblas_saxpby(count, a[0], x.data(), 1, 0, out, 1); };
  }
  if (kernel == "sum") {
    static const Floats kOnes(static_cast<std::size_t>(n), 1);
    return [=] { out[0] = cblas_sdot(count, x.data(), 1, kOnes.data(), 1); };
  }
  if (kernel == "dot") {
    return [=] { out[0] = cblas_sdot(count, x.data(), 1, y.data(), 1); };
  }
  if (kernel == "norm") {
    return [=] { out[0] = cblas_snrm2(count, x.data(), 1); };
  }
  if (kernel == "matvec") {
    return
        [=] { cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(m), count, 1, x.data(), count, y.data(), 1, 0, out, 1); };
  }
  auto dnn = std::make_shared<Dnn>(kernel == "softmax", out);
  return [=] { dnn->run(); };
}

Run stream(const std::string& kernel, float* out) {
  bool writes = kernel == "axpy" || kernel == "scale" || kernel == "softmax" || kernel == "layer_norm";
  if (writes) {
    return [=] { write_all(x.data(), kernel == "axpy" ? y.data() : nullptr, out, m * n); };
  }
  static volatile float kept;
  return [=] {
    kept = read_all(kernel == "dot" ? std::vector<const float*>{x.data(), y.data()} : std::vector<const float*>{x.data()}, m * n);
  };
}

double seconds(clockid_t clock, const Run& run, long calls) {
  timespec before{}, after{};
  clock_gettime(clock, &before);
  for (long call = 0; call < calls; ++call) {
    run();
  }
  clock_gettime(clock, &after);
  return (static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec)) /
         static_cast<double>(calls);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    return 64;
  }
  std::string kernel = argv[1];
  m = std::atol(argv[2]), n = std::atol(argv[3]);
  int rounds = std::atoi(argv[4]);
  long calls = std::atol(argv[5]);
  clockid_t clock = std::strcmp(argv[6], "processor") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  x = random_floats(m * n, 1), y = random_floats(n, 2), scale = random_floats(n, 3), shift = random_floats(n, 4), a = {1.25F};
  std::vector<Floats> outs(static_cast<std::size_t>(argc - 5), Floats(static_cast<std::size_t>(m * n)));
  std::vector<Run> runs{peer(kernel, outs[0].data()), stream(kernel, outs[1].data())};
  for (int k = 7; k < argc; ++k) {
    runs.push_back(loaded(kernel, argv[k], outs[static_cast<std::size_t>(k - 5)].data()));
  }
  std::vector<std::vector<double>> times(runs.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t s = 0; s < runs.size(); ++s) {
      double t = seconds(clock, runs[s], calls);
      if (round > 0) {
        times[s].push_back(t);
      }
    }
  }
  for (std::size_t s = 0; s < runs.size(); ++s) {
    std::sort(times[s].begin(), times[s].end());
    std::printf("%.9f\t%.3g\n", times[s][times[s].size() / 2], s == 1 ? 0 : difference(kernel, outs[s]));
  }
}
