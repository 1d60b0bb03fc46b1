// The laws by which rules with any number of branches are proven (instance/instance_family.cpp), for random numbers and sizes: a
// concatenation is one of what stands before a branch, the branch, and what stands after it; a piece of a cut is the middle of
// the cut into what stands before it, it, and what stands after it. What stands before or after may be empty.
#include <numeric>
#include <random>

#include "calls.h"

namespace vouch {
namespace {

struct Branches {
  std::vector<std::int64_t> sizes;
  std::vector<Tensor> items;
  Tensor whole = floats({0}, {});
  std::int64_t axis = 0;

  std::int64_t before(std::size_t k) const {
    return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(k), std::int64_t{0});
  }
};

Extents extents_with(const Branches& b, std::int64_t size) {
  Extents extents{2, 3};
  extents[static_cast<std::size_t>(b.axis)] = size;
  return extents;
}

Branches random_branches(std::mt19937& random) {
  Branches b;
  b.axis = static_cast<std::int64_t>(random() % 2);
  std::size_t count = 1 + random() % 6;
  for (std::size_t k = 0; k < count; ++k) {
    b.sizes.push_back(static_cast<std::int64_t>(random() % 4));
  }
  double next = 0;
  for (std::int64_t size : b.sizes) {
    Extents extents = extents_with(b, size);
    std::vector<double> values(static_cast<std::size_t>(element_count(extents).value_or(0)));
    std::iota(values.begin(), values.end(), next += 100);
    b.items.push_back(floats(extents, values));
  }
  b.whole = counting(extents_with(b, b.before(b.sizes.size())));
  return b;
}

Tensor joined(const std::string& op, const Branches& b, std::size_t from, std::size_t to) {
  if (from == to) {
    return floats(extents_with(b, 0), {});
  }
  return call_op(op,
                 {std::vector<Tensor>(b.items.begin() + static_cast<std::ptrdiff_t>(from),
                                      b.items.begin() + static_cast<std::ptrdiff_t>(to))},
                 {{"axis", b.axis}})
      .results.at(0);
}

void expect_same(const Called& a, std::size_t i, const Called& b, std::size_t j) {
  ASSERT_EQ(a.error, "");
  ASSERT_EQ(b.error, "");
  EXPECT_EQ(a.shape(i), b.shape(j));
  EXPECT_EQ(a.values(i), b.values(j));
}

TEST(BranchLaws, AConcatenationIsOneOfThree) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Branches b = random_branches(random);
    std::size_t n = b.items.size();
    for (const char* op : {"Concat", "concatenate"}) {
      Called all = call_op(op, {b.items}, {{"axis", b.axis}});
      for (std::size_t k = 0; k < n; ++k) {
        SCOPED_TRACE(testing::Message() << op << ", seed " << seed << ", branch " << k);
        std::vector<Tensor> three{joined(op, b, 0, k), b.items[k], joined(op, b, k + 1, n)};
        expect_same(all, 0, call_op(op, {three}, {{"axis", b.axis}}), 0);
      }
    }
  }
}

TEST(BranchLaws, APieceIsTheMiddleOfThree) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Branches b = random_branches(random);
    std::size_t n = b.sizes.size();
    std::vector<std::int64_t> points;
    for (std::size_t k = 1; k < n; ++k) {
      points.push_back(b.before(k));
    }
    Called by_sizes = call_op("Split", {b.whole, list(b.sizes)}, {{"axis", b.axis}});
    Called by_points = call_op("split", {b.whole}, {{"axis", b.axis}, {"indices_or_sections", tuple(points)}});
    for (std::size_t k = 0; k < n; ++k) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", piece " << k);
      std::int64_t begin = b.before(k);
      std::int64_t end = b.before(k + 1);
      Called sizes = call_op("Split", {b.whole, list({begin, end - begin, b.before(n) - end})}, {{"axis", b.axis}});
      expect_same(by_sizes, k, sizes, 1);
      Called cut = call_op("split", {b.whole}, {{"axis", b.axis}, {"indices_or_sections", tuple({begin, end})}});
      expect_same(by_points, k, cut, 1);
    }
  }
}

TEST(BranchLaws, EqualSectionsAreAsLongAsTheAxisByTheirNumber) {
  for (std::int64_t sections = 1; sections <= 5; ++sections) {
    for (std::int64_t size = 0; size <= 3; ++size) {
      Tensor whole = counting({2, sections * size});
      Called all = call_op("split", {whole}, {{"axis", 1}, {"indices_or_sections", sections}});
      for (std::int64_t k = 0; k < sections; ++k) {
        Called cut = call_op("split", {whole}, {{"axis", 1}, {"indices_or_sections", tuple({k * size, k * size + size})}});
        expect_same(all, static_cast<std::size_t>(k), cut, 1);
      }
    }
    Called uneven = call_op("split", {counting({sections * 2 + 1})}, {{"indices_or_sections", sections}});
    EXPECT_EQ(uneven.error.empty(), sections == 1) << sections;
  }
}

}  // namespace
}  // namespace vouch
