// The innermost kernel of products.
#pragma once

#include <cstdint>

namespace vouch {

inline constexpr std::int64_t kTileRows = 4;
inline constexpr std::int64_t kTileLanes = 16;

// out[r * row_stride + l] = sum over k < depth of b[(r / 4 * depth + k) * 4 + r % 4] * a[k * a_stride + l], for r < rows
// and l < lanes. `b` holds chunks of four rows; `a` may be read up to the next multiple of 16 lanes, `b` of 4 rows.
struct TileProduct {
  const double* a;
  std::int64_t a_stride;
  const double* b;
  double* out;
  std::int64_t row_stride;
  std::int64_t rows;
  std::int64_t lanes;
  std::int64_t depth;
};
void multiply_tiles(const TileProduct& product);

}  // namespace vouch
