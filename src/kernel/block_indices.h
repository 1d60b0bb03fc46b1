// The indices of the lanes of one block after another, as loop_run.cpp has them in registers. Axes before some one have one
// value in all lanes of a block and are written where it changes; the others are written by runs along the last axis.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace vouch {

class BlockIndices {
 public:
  // From the row-major position `begin` on; no extent is 0.
  BlockIndices(const std::vector<std::int64_t>& extents, std::int64_t begin)
      : extents_(extents), at_(extents.size()), filled_(extents.size(), -1) {
    for (std::size_t axis = at_.size(); axis-- > 0;) {
      at_[axis] = begin % extents_[axis];
      begin /= extents_[axis];
    }
  }

  // Writes those of `lanes` lanes from `position` on, behind the block before, which had no fewer, to `out(axis)`, which keeps
  // what stands there from block to block.
  template <class Out>
  void write(std::int64_t position, std::int64_t lanes, Out out) {
    std::size_t still = still_axes(position, lanes);
    for (std::size_t axis = 0; axis < still; ++axis) {
      if (filled_[axis] != at_[axis]) {
        std::fill_n(out(axis), lanes, at_[axis]);
        filled_[axis] = at_[axis];
      }
    }
    std::fill(filled_.begin() + static_cast<std::ptrdiff_t>(still), filled_.end(), -1);
    std::int64_t row = at_.empty() ? 1 : extents_.back();
    for (std::int64_t lane = 0; lane < lanes;) {
      std::int64_t from = at_.empty() ? 0 : at_.back();
      std::int64_t run = std::min(lanes - lane, row - from);
      for (std::size_t axis = still; axis < at_.size(); ++axis) {
        std::int64_t* to = out(axis) + lane;
        if (axis + 1 < at_.size()) {
          std::fill_n(to, run, at_[axis]);
        } else {
          std::iota(to, to + run, from);
        }
      }
      lane += run;
      advance(run);
    }
  }

 private:
  // How many axes, from the first on, do not move within the lanes; the last one is never among them.
  std::size_t still_axes(std::int64_t position, std::int64_t lanes) const {
    std::int64_t inner = std::accumulate(extents_.begin(), extents_.end(), std::int64_t{1}, std::multiplies<>());
    std::size_t still = 0;
    for (; still + 1 < extents_.size(); ++still) {
      inner /= extents_[still];
      if (position / inner != (position + lanes - 1) / inner) {
        break;
      }
    }
    return still;
  }

  void advance(std::int64_t run) {
    for (std::size_t axis = at_.size(); axis-- > 0;) {
      at_[axis] += axis + 1 == at_.size() ? run : 1;
      if (at_[axis] < extents_[axis]) {
        return;
      }
      at_[axis] = 0;
    }
  }

  const std::vector<std::int64_t>& extents_;
  std::vector<std::int64_t> at_;
  std::vector<std::int64_t> filled_;  // the index that stands in all lanes, or -1
};

}  // namespace vouch
