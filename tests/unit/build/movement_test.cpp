// Which kernels only move elements, and where to.
#include "build/movement.h"

#include <gtest/gtest.h>

#include "notation/tk_parse.h"

namespace vouch {
namespace {

IndexKernel kernel_of(const std::string& text) {
  Diagnostics diagnostics;
  auto kernel = parse_tk(std::make_shared<Source>("kernel", text), {}, {}, diagnostics);
  EXPECT_TRUE(kernel.has_value()) << diagnostics.text();
  auto parts = kernel ? index_kernels(*kernel, diagnostics) : std::nullopt;
  EXPECT_TRUE(parts.has_value()) << diagnostics.text();
  return parts ? (*parts)[0] : IndexKernel{};
}

using Cells = std::vector<std::int64_t>;

TEST(Movement, OfATransposition) {
  IndexKernel kernel = kernel_of("Y<3,2>[i,j] = X<2,3>[j,i];");
  EXPECT_EQ(moved_cells(kernel), (Cells{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(keeps_cells(kernel));
}

TEST(Movement, OfAnotherShapeIsNone) {
  EXPECT_TRUE(keeps_cells(kernel_of("Y<6>[i] = X<2,3>[i // 3, i % 3];")));
  EXPECT_FALSE(keeps_cells(kernel_of("Y<5>[i] = X<2,3>[i // 3, i % 3];")));
}

TEST(Movement, OfABorderIsZero) {
  EXPECT_EQ(moved_cells(kernel_of("Y<4>[i] = select(1 <= i && i <= 2, X<2>[i - 1], 0);")), (Cells{-1, 0, 1, -1}));
}

TEST(Movement, IsNotWhatComputes) {
  EXPECT_FALSE(moved_cells(kernel_of("Y<4>[i] = 2 * X<4>[i];")));
  EXPECT_FALSE(moved_cells(kernel_of("Y<4>[i] = X<4>[i] + Z<4>[i];")));
  EXPECT_FALSE(moved_cells(kernel_of("Y<4>[i] = X<4,2>[i,j];")));
  EXPECT_FALSE(moved_cells(kernel_of("Y<4>[i] = select(i <= 1, X<4>[i], 1);")));
}

}  // namespace
}  // namespace vouch
