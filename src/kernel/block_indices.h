// The indices of the lanes of one block after another, as loop_run.cpp has them in registers. An axis that has one value in all
// lanes of a block is written where that changes; of another one round is written, which is copied on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace vouch {

class BlockIndices {
 public:
  // No extent is 0.
  explicit BlockIndices(const std::vector<std::int64_t>& extents)
      : extents_(extents), inner_(extents.size(), 1), filled_(extents.size(), -1) {
    for (std::size_t axis = extents.size(); axis-- > 1;) {
      inner_[axis - 1] = inner_[axis] * extents[axis];
    }
  }

  // Writes those along an axis, of `lanes` lanes from a row-major position on, to `out`, which keeps what stands there from block
  // to block, none of which has more lanes than the one before.
  void write(std::size_t axis, std::int64_t position, std::int64_t lanes, std::int64_t* out) {
    const std::int64_t inner = inner_[axis];
    const std::int64_t extent = extents_[axis];
    const std::int64_t step = position / inner;
    if (extent == 1 || (position + lanes - 1) / inner == step) {
      if (filled_[axis] != step % extent) {
        filled_[axis] = step % extent;
        std::fill_n(out, lanes, filled_[axis]);
      }
      return;
    }
    filled_[axis] = -1;
    const std::int64_t round = std::min(lanes, inner * extent);
    inner == 1 ? count_up(out, round, step % extent, extent) : repeat(out, round, step % extent, extent, inner, position % inner);
    for (std::int64_t lane = round; lane < lanes;) {  // `lane` is a number of whole rounds
      std::int64_t more = std::min(lane, lanes - lane);
      std::copy_n(out, more, out + lane);
      lane += more;
    }
  }

 private:
  static void count_up(std::int64_t* out, std::int64_t lanes, std::int64_t from, std::int64_t extent) {
    for (std::int64_t lane = 0; lane < lanes; from = 0) {
      std::int64_t run = std::min(lanes - lane, extent - from);
      std::iota(out + lane, out + lane + run, from);
      lane += run;
    }
  }

  static void repeat(std::int64_t* out, std::int64_t lanes, std::int64_t value, std::int64_t extent, std::int64_t inner,
                     std::int64_t skipped) {
    for (std::int64_t lane = 0; lane < lanes; skipped = 0, value = value + 1 == extent ? 0 : value + 1) {
      std::int64_t run = std::min(lanes - lane, inner - skipped);
      std::fill_n(out + lane, run, value);
      lane += run;
    }
  }

  const std::vector<std::int64_t>& extents_;
  std::vector<std::int64_t> inner_;   // positions from one index to the next
  std::vector<std::int64_t> filled_;  // the index that stands in all lanes, or -1
};

}  // namespace vouch
