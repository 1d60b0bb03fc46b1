#include "kernel/tile_product.h"

#include <algorithm>
#include <cstring>

namespace vouch {
namespace {

// Eight lanes; the compiler takes whatever vector registers the function may use. Multiplications and additions round
// separately (-ffp-contract=off), so the results do not depend on the processor.
using Vector = double __attribute__((vector_size(64)));

constexpr std::int64_t kDepthBlock = 256;  // so that a chunk of b stays in the first cache

#define VOUCH_INLINE __attribute__((always_inline)) inline

VOUCH_INLINE void load(Vector& to, const double* from) { std::memcpy(&to, from, sizeof to); }

// One tile of 4 rows and 16 lanes over part of the depth.
VOUCH_INLINE void multiply_tile(const double* a, std::int64_t a_stride, const double* b, double* tile,
                                std::int64_t depth) {
  Vector sums[kTileRows][2];
  std::memcpy(sums, tile, sizeof sums);
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector low;
    Vector high;
    load(low, a + k * a_stride);
    load(high, a + k * a_stride + 8);
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      double factor = b[k * kTileRows + r];
      sums[r][0] += low * factor;
      sums[r][1] += high * factor;
    }
  }
  std::memcpy(tile, sums, sizeof sums);
}

VOUCH_INLINE void multiply_all(const TileProduct& p) {
  double tile[kTileRows * kTileLanes];
  for (std::int64_t begin = 0; begin < p.depth; begin += kDepthBlock) {
    std::int64_t depth = std::min(kDepthBlock, p.depth - begin);
    for (std::int64_t row = 0; row < p.rows; row += kTileRows) {
      const double* b = p.b + (row / kTileRows * p.depth + begin) * kTileRows;
      std::int64_t rows = std::min(kTileRows, p.rows - row);
      for (std::int64_t lane = 0; lane < p.lanes; lane += kTileLanes) {
        std::int64_t lanes = std::min(kTileLanes, p.lanes - lane);
        double* out = p.out + row * p.row_stride + lane;
        std::memset(tile, 0, sizeof tile);
        for (std::int64_t r = 0; r < rows && begin > 0; ++r) {
          std::copy_n(out + r * p.row_stride, lanes, tile + r * kTileLanes);
        }
        multiply_tile(p.a + begin * p.a_stride + lane, p.a_stride, b, tile, depth);
        for (std::int64_t r = 0; r < rows; ++r) {
          std::copy_n(tile + r * kTileLanes, lanes, out + r * p.row_stride);
        }
      }
    }
  }
}

void multiply_plain(const TileProduct& product) { multiply_all(product); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void multiply_avx2(const TileProduct& product) { multiply_all(product); }
__attribute__((target("avx512f"))) void multiply_avx512(const TileProduct& product) { multiply_all(product); }
#endif

using Multiply = void (*)(const TileProduct&);

Multiply best_multiply() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    return multiply_avx512;
  }
  if (__builtin_cpu_supports("avx2")) {
    return multiply_avx2;
  }
#endif
  return multiply_plain;
}

}  // namespace

void multiply_tiles(const TileProduct& product) {
  static const Multiply multiply = best_multiply();
  multiply(product);
}

}  // namespace vouch
