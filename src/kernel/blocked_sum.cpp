#include "kernel/blocked_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernel/scalar_fn.h"

// The same text for several instruction sets: the widest that the processor has runs.
#if defined(__x86_64__) && defined(__GNUC__)
#define VOUCH_FOR_PROCESSOR(name) __attribute__((target(name)))
#define VOUCH_HAS_PROCESSORS 1
#endif
#define VOUCH_INLINE inline __attribute__((always_inline))

namespace vouch {
namespace {

constexpr std::int64_t kWide = 8;         // lanes of a tile
constexpr std::int64_t kTall = 6;         // rows of a tile: with its lanes, what 16 registers of four doubles hold
constexpr std::int64_t kDeep = 256;       // terms of a panel
constexpr std::int64_t kPanelRows = 384;  // with kDeep, 768 KiB of doubles

template <int kVector>
struct VectorOf;  // gcc takes no length that a template has
template <>
struct VectorOf<2> {
  using Type = double __attribute__((vector_size(2 * sizeof(double))));
};
template <>
struct VectorOf<4> {
  using Type = double __attribute__((vector_size(4 * sizeof(double))));
};
template <>
struct VectorOf<8> {
  using Type = double __attribute__((vector_size(8 * sizeof(double))));
};

// Lanes as the processor's own vectors, of kVector doubles: gcc moves longer ones through memory.
template <int kVector>
struct Lanes {
  static constexpr int kVectors = kWide / kVector;
  typename VectorOf<kVector>::Type parts[kVectors];

  VOUCH_INLINE double at(std::int64_t lane) const { return parts[lane / kVector][lane % kVector]; }
  VOUCH_INLINE void set(std::int64_t lane, double value) { parts[lane / kVector][lane % kVector] = value; }
};
static_assert(sizeof(Lanes<2>) == kWide * sizeof(double) && sizeof(Lanes<4>) == sizeof(Lanes<2>) &&
              sizeof(Lanes<8>) == sizeof(Lanes<2>));
template <int kVector>
using Tile = std::array<Lanes<kVector>, kTall>;

struct Chunk {
  std::size_t first_term;
  std::int64_t terms;
};

// `width` points side by side, term by term; lanes beyond the last repeat it.
template <class T>
VOUCH_INLINE void pack(const BlockSide<T>& side, std::size_t first, std::int64_t points, std::int64_t width, Chunk chunk,
                       double* panel) {
  const BlockPoint* at = side.points.data() + first;
  const std::int64_t* steps = side.steps.data() + chunk.first_term;
  bool together = points == kWide && width == kWide;
  for (std::int64_t i = 1; i < points; ++i) {
    together = together && at[i].read == at[0].read + i;
  }
  if (together) {
    for (std::int64_t k = 0; k < chunk.terms; ++k) {
      const T* from = side.data + at[0].read + steps[k];
      for (std::int64_t i = 0; i < kWide; ++i) panel[k * kWide + i] = from[i];
    }
    return;
  }
  for (std::int64_t i = 0; i < width; ++i) {
    const T* from = side.data + at[std::min(i, points - 1)].read;
    for (std::int64_t k = 0; k < chunk.terms; ++k) panel[k * width + i] = from[steps[k]];
  }
}

// `fresh`: the sums begin here, at 0. Vectors are moved one by one, since gcc writes a struct of several to memory first.
template <int kRows, int kVector>
VOUCH_INLINE void tile(bool fresh, std::int64_t terms, const double* rows, const double* lanes, Tile<kVector>& total) {
  using Vector = typename VectorOf<kVector>::Type;
  constexpr int kVectors = Lanes<kVector>::kVectors;
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = fresh ? Vector{} : total[r].parts[v];
  }
  for (std::int64_t k = 0; k < terms; ++k) {
    Vector lane[kVectors];
    for (int v = 0; v < kVectors; ++v) std::memcpy(&lane[v], lanes + k * kWide + v * kVector, sizeof(Vector));
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] += rows[k * kRows + r] * lane[v];
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) total[r].parts[v] = sums[r][v];
  }
}

template <int kVector>
VOUCH_INLINE void tile_of(std::int64_t count, bool fresh, std::int64_t terms, const double* rows, const double* lanes,
                          Tile<kVector>& total) {
  switch (count) {
    case 1: return tile<1>(fresh, terms, rows, lanes, total);
    case 2: return tile<2>(fresh, terms, rows, lanes, total);
    case 3: return tile<3>(fresh, terms, rows, lanes, total);
    case 4: return tile<4>(fresh, terms, rows, lanes, total);
    case 5: return tile<5>(fresh, terms, rows, lanes, total);
    default: return tile<6>(fresh, terms, rows, lanes, total);
  }
}

// Rows [first, last) with all lanes, over the terms of one chunk.
template <int kVector, class T>
VOUCH_INLINE void sum_panel(const BlockSide<T>& rows, std::size_t first, std::size_t last, const BlockSide<T>& lanes, Chunk chunk,
                            double* row_panel, double* lane_panel, double* total) {
  auto height = [&](std::size_t row) { return std::min<std::int64_t>(kTall, static_cast<std::int64_t>(last - row)); };
  for (std::size_t r = first; r < last; r += kTall) {
    pack(rows, r, height(r), height(r), chunk, row_panel + static_cast<std::int64_t>(r - first) * chunk.terms);
  }
  for (std::size_t l = 0; l < lanes.points.size(); l += kWide) {
    auto width = std::min<std::int64_t>(kWide, static_cast<std::int64_t>(lanes.points.size() - l));
    pack(lanes, l, width, kWide, chunk, lane_panel);
    for (std::size_t r = first; r < last; r += kTall) {
      Tile<kVector> sums;
      bool fresh = chunk.first_term == 0;
      for (std::int64_t i = 0; !fresh && i < height(r); ++i) {
        for (std::int64_t j = 0; j < kWide; ++j) {
          sums[i].set(j, j < width ? total[rows.points[r + i].write + lanes.points[l + j].write] : 0);
        }
      }
      tile_of(height(r), fresh, chunk.terms, row_panel + static_cast<std::int64_t>(r - first) * chunk.terms, lane_panel, sums);
      for (std::int64_t i = 0; i < height(r); ++i) {
        for (std::int64_t j = 0; j < width; ++j) {
          total[rows.points[r + i].write + lanes.points[l + j].write] = sums[i].at(j);
        }
      }
    }
  }
}

template <int kVector, class T>
VOUCH_INLINE void sum_all(const BlockSide<T>& rows, const BlockSide<T>& lanes, double* total) {
  auto terms = static_cast<std::int64_t>(rows.steps.size());
  std::int64_t deepest = std::min(kDeep, terms);
  auto row_count = std::min<std::int64_t>(kPanelRows, static_cast<std::int64_t>(rows.points.size()));
  std::vector<double> row_panel(static_cast<std::size_t>(row_count * deepest));
  std::vector<double> lane_panel(static_cast<std::size_t>(kWide * deepest));
  for (std::int64_t from = 0; from < terms; from += kDeep) {
    Chunk chunk{static_cast<std::size_t>(from), std::min(kDeep, terms - from)};
    for (std::size_t first = 0; first < rows.points.size(); first += kPanelRows) {
      sum_panel<kVector>(rows, first, std::min(rows.points.size(), first + kPanelRows), lanes, chunk, row_panel.data(),
                         lane_panel.data(), total);
    }
  }
}

template <class T>
using SumProducts = void (*)(const BlockSide<T>&, const BlockSide<T>&, double*);

#ifdef VOUCH_HAS_PROCESSORS
VOUCH_FOR_PROCESSOR("avx512f,avx2,fma")
void sum_avx512(const BlockSide<float>& rows, const BlockSide<float>& lanes, double* total) { sum_all<8>(rows, lanes, total); }
VOUCH_FOR_PROCESSOR("avx2,fma")
void sum_avx2(const BlockSide<float>& rows, const BlockSide<float>& lanes, double* total) { sum_all<4>(rows, lanes, total); }
// Without instructions that would round a product and its sum at once.
VOUCH_FOR_PROCESSOR("avx2")
void sum_unfused(const BlockSide<double>& rows, const BlockSide<double>& lanes, double* total) { sum_all<4>(rows, lanes, total); }
#endif
template <class T>
void sum_plain(const BlockSide<T>& rows, const BlockSide<T>& lanes, double* total) {
  sum_all<2>(rows, lanes, total);
}

template <class T>
SumProducts<T> widest() {
#ifdef VOUCH_HAS_PROCESSORS
  if constexpr (std::is_same_v<T, double>) {
    if (__builtin_cpu_supports("avx2")) {
      return sum_unfused;
    }
  } else if (__builtin_cpu_supports("avx512f")) {
    return sum_avx512;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return sum_avx2;
  }
#endif
  return sum_plain<T>;
}

constexpr std::size_t kFolded = 64;  // results folded side by side

template <class T, class Step>
void fold_with(const BlockSide<T>& side, double initial, double* total, Step step) {
  std::array<double, kFolded> sums{};
  for (std::size_t first = 0; first < side.points.size(); first += kFolded) {
    std::size_t width = std::min(kFolded, side.points.size() - first);
    const BlockPoint* at = side.points.data() + first;
    std::int64_t apart = width > 1 ? at[1].read - at[0].read : 1;
    bool even = true;
    for (std::size_t i = 1; i < width; ++i) {
      even = even && at[i].read == at[0].read + static_cast<std::int64_t>(i) * apart;
    }
    std::fill_n(sums.begin(), width, initial);
    for (std::int64_t offset : side.steps) {
      const T* from = side.data + offset;
      if (even && apart == 1) {
        for (std::size_t i = 0; i < width; ++i)
          sums[i] = step(sums[i], static_cast<double>(from[at[0].read + static_cast<std::int64_t>(i)]));
      } else {
        for (std::size_t i = 0; i < width; ++i) sums[i] = step(sums[i], static_cast<double>(from[at[i].read]));
      }
    }
    for (std::size_t i = 0; i < width; ++i) total[at[i].write] = sums[i];
  }
}

}  // namespace

template <class T>
void sum_products(const BlockSide<T>& rows, const BlockSide<T>& lanes, double* total) {
  static const SumProducts<T> chosen = widest<T>();
  chosen(rows, lanes, total);
}

template void sum_products(const BlockSide<float>&, const BlockSide<float>&, double*);
template void sum_products(const BlockSide<double>&, const BlockSide<double>&, double*);

template <class T>
void fold_elements(Reduction reduction, const BlockSide<T>& side, double* total) {
  switch (reduction) {
    case Reduction::Sum: return fold_with(side, 0.0, total, [](double a, double b) { return a + b; });
    case Reduction::Product: return fold_with(side, 1.0, total, [](double a, double b) { return a * b; });
    case Reduction::Max: return fold_with(side, -INFINITY, total, [](double a, double b) { return larger(a, b); });
    case Reduction::Min: return fold_with(side, INFINITY, total, [](double a, double b) { return smaller(a, b); });
  }
}

template void fold_elements(Reduction, const BlockSide<float>&, double*);
template void fold_elements(Reduction, const BlockSide<double>&, double*);

}  // namespace vouch
