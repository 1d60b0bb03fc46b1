// Sizes of 0: proven or refuted where a rule speaks of them, and no firing where it was proven for sizes of at least 1. What is
// true of nothing (sums are 0, products 1, no element differs) is worked out by hand.
#include <gtest/gtest.h>

#include "site.h"

namespace vouch {
namespace {

const char* const kEmptyFirst = R"gsl(rule empty_first {
  let x = * {rank = 2};
  let y = * {rank = 2};
  where x.shape[0] == 0;
  source Concat((x, y)) {axis = 0};
  target y;
  drop x;
})gsl";

NodeId joined(Site& site, const std::vector<Extents>& parts) {
  std::vector<NodeId> items;
  for (const Extents& part : parts) {
    items.push_back(site.input(part));
  }
  return site.call("Concat", {site.graph.add_tuple(items)}, AttrDict({{Symbol("axis"), AttrValue(0)}}));
}

std::size_t empty_first_fires(const std::vector<Extents>& parts) {
  Site site;
  return site.fires(kEmptyFirst, site.call("Relu", {joined(site, parts)}));
}

TEST(Empty, ARuleOfNothingFiresWhereNothingIs) {
  EXPECT_EQ(empty_first_fires({{0, 3}, {2, 3}}), 1U);
  EXPECT_EQ(empty_first_fires({{1, 3}, {2, 3}}), 0U);
  EXPECT_EQ(empty_first_fires({{2, 0}, {2, 0}}), 0U);
}

TEST(Empty, TrueOfNothing) {
  for (const char* text : {
           kEmptyFirst,
           "rule sum { let x = * {dtype = float32}; where exists[i < x.rank](x.shape[i] == 0);"
           " source ReduceSum(x) {keepdims = 0, noop_with_empty_axes = 0};"
           " target const {value = 0, dtype = float32, rank = 0}; drop x; }",
           "rule beside { let x = * {dtype = float32, rank = 2}; let y = * {dtype = float32, rank = 2};"
           " where x.shape[0] == 0 and y.shape == x.shape; source x + y; target x; drop y; }",
           "rule over_no_axis { let x = * {dtype = float32, rank = 2}; let y = * {dtype = float32, rank = 2};"
           " where x.shape == (3, 0) and y.shape == (0, 5); source MatMul(x, y);"
           " target ConstantOfShape(const {value = (3, 5)}); drop x; drop y; }",
           "rule both { let x = * {rank = 2}; where x.shape[0] >= 0 and x.shape[1] >= 0;"
           " source Transpose(Transpose(x) {perm = (1, 0)}) {perm = (1, 0)}; target x; }",
           "rule none_beside_one { let x = * {dtype = float32, rank = 1}; let y = * {dtype = float32, rank = 1};"
           " where x.shape[0] == 0; source x + y; target x; drop y; }",
       }) {
    RuleVerdict verdict = check_rule(rules_of(text)[0], {});
    EXPECT_TRUE(is_sound(verdict.verdict)) << text << ": " << verdict.reason;
  }
}

// Not every tensor has an element.
TEST(Empty, WhatHoldsFromOneOnDoesNotFireAtZero) {
  const char* const rule =
      "rule has_elements { let x = *; source Greater(Size(x), const {value = 0, dtype = int64, rank = 0});"
      " target const {value = 1, dtype = bool, rank = 0}; drop x; }";
  for (std::int64_t size : {0, 1, 2}) {
    Site site;
    NodeId elements = site.call("Size", {site.input({2, size})});
    NodeId zero = site.graph.add_constant(Tensor(DType::Int64, {}));
    EXPECT_EQ(site.fires(rule, site.call("Greater", {elements, zero})), size == 0 ? 0U : 1U) << size << ": " << site.reason;
  }
}

// The first of many tensors has the first element where it has any.
TEST(Empty, BranchesOfAnyNumberAreNotEmpty) {
  const char* const rule =
      "rule first_element { variadic parts[i] min 2 { let x = * {rank = 1, dtype = float32}; yield x; }"
      " source Slice(Concat(parts) {axis = 0}, const {value = (0,)}, const {value = (1,)});"
      " target Slice(parts[0].x, const {value = (0,)}, const {value = (1,)}); }";
  for (std::int64_t size : {0, 1, 2}) {
    Site site;
    NodeId all = joined(site, {{size}, {3}, {2}});
    EXPECT_EQ(site.fires(rule, site.call("Slice", {all, site.list({0}), site.list({1})})), size == 0 ? 0U : 1U) << site.reason;
  }
}

}  // namespace
}  // namespace vouch
