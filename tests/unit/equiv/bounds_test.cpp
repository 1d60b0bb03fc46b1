// Bounds of folds along chains of steps.
#include "equiv/bounds.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

EquivStep step(NodeId node, NodeId equals, double bound = 0) {
  EquivStep out;
  out.node = node;
  out.equals = equals;
  out.bound = bound;
  return out;
}

TEST(CompoundedBound, folds_of_different_tensors_do_not_add_up) {
  EXPECT_EQ(compounded_bound({}), 0);
  EXPECT_EQ(compounded_bound({step(10, 1), step(11, 2)}), 0);
  EXPECT_EQ(compounded_bound({step(10, 1, 1e-7), step(11, 2, 3e-7), step(12, 3)}), 3e-7);
}

TEST(CompoundedBound, a_fold_of_what_was_folded_adds_up) {
  double both = compounded_bound({step(10, 1, 1e-7), step(20, 10, 2e-7)});
  EXPECT_GE(both, (1 + 1e-7) * (1 + 2e-7) - 1);
  EXPECT_LT(both, 3.0001e-7);
  // Through what is equal exactly, said before or after.
  EXPECT_EQ(compounded_bound({step(2, 1), step(10, 1, 1e-7), step(20, 2, 2e-7)}), both);
  EXPECT_EQ(compounded_bound({step(10, 1, 1e-7), step(20, 2, 2e-7), step(2, 1)}), both);
}

TEST(CompoundedBound, the_longest_chain_counts_and_not_all_that_was_folded) {
  // Four copies of one tensor: any two are off by two folds at most.
  std::vector<EquivStep> star;
  for (NodeId copy = 10; copy < 14; ++copy) {
    star.push_back(step(copy, 1, 1e-7));
  }
  EXPECT_LT(compounded_bound(star), 2.0001e-7);
  EXPECT_GE(compounded_bound(star), 2e-7);
  // A step between what was one already is no other way.
  star.push_back(step(10, 11, 5e-7));
  EXPECT_LT(compounded_bound(star), 2.0001e-7);
}

}  // namespace
}  // namespace vouch
