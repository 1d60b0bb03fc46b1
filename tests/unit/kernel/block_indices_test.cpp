#include "kernel/block_indices.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

using Extents = std::vector<std::int64_t>;

// What row-major positions mean.
std::int64_t index_at(const Extents& extents, std::size_t axis, std::int64_t position) {
  for (std::size_t k = extents.size(); k-- > axis + 1;) {
    position /= extents[k];
  }
  return position % extents[axis];
}

TEST(BlockIndices, AreThoseOfThePositions) {
  for (const Extents& extents : {Extents{7}, Extents{1}, Extents{40, 30, 1, 1}, Extents{11, 5, 3, 3}, Extents{2, 1, 300, 1},
                                 Extents{3, 257, 2}, Extents{9, 16, 16}, Extents{1, 1, 5}, Extents{600, 2}}) {
    std::int64_t count = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t begin : {std::int64_t{0}, count / 3, count - 1}) {
      BlockIndices indices(extents);
      std::vector<std::vector<std::int64_t>> found(extents.size(), std::vector<std::int64_t>(256, 99));
      for (std::int64_t position = begin; position < count; position += 256) {
        std::int64_t lanes = std::min<std::int64_t>(256, count - position);
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
          indices.write(axis, position, lanes, found[axis].data());
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            ASSERT_EQ(found[axis][static_cast<std::size_t>(lane)], index_at(extents, axis, position + lane))
                << "axis " << axis << " at " << position + lane;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace vouch
