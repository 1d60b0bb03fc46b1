// What only finishes the elements of a call is done in that call: the same bits, from fewer calls.
#include "build/fuse.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "../certify/parsed_kernel.h"
#include "array/eval.h"
#include "build/arrange.h"
#include "build/kernels.h"
#include "random_cells.h"

namespace vouch {
namespace {

using Values = std::map<ValueId, array::Cells>;

// One kernel, as the library has it; its packed inputs are values of their own, filled at random.
LoweredCall call_of(const std::string& text, ValueId result, const std::vector<ValueId>& arguments) {
  PackedKernels packed = planned(arranged(parsed(text)), {});
  LoweredCall out{packed.kernel, packed.tiling, {}, result, {{"node", "Op"}}, "op"};
  for (std::size_t k = 0; k < packed.from_copies.size(); ++k) {
    out.arguments.push_back(100 * result + static_cast<ValueId>(k));
  }
  for (std::size_t input : packed.from_inputs) {
    out.arguments.push_back(arguments[input]);
  }
  return out;
}

// What the calls leave; a value that no call computes is drawn, the same in each run.
Values run(const std::vector<LoweredCall>& calls) {
  Values values;
  for (const LoweredCall& call : calls) {
    std::vector<array::Cells> given;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      std::size_t count = array::cell_count(call.kernel.inputs[k].type, {});
      ValueId value = call.arguments[k];
      given.push_back(values.try_emplace(value, random_cells(count, value)).first->second);
      EXPECT_EQ(given.back().size(), count);
    }
    values[call.result] = array::evaluate(lower_index(call.kernel, call.tiling), {}, given);
  }
  return values;
}

void expect_fused(std::vector<LoweredCall> calls, const std::set<ValueId>& kept, std::size_t left) {
  Values expected = run(calls);
  fuse(calls, kept);
  EXPECT_EQ(calls.size(), left);
  Values found = run(calls);
  for (ValueId value : kept) {
    ASSERT_EQ(found[value].size(), expected[value].size());
    EXPECT_EQ(std::memcmp(found[value].data(), expected[value].data(), found[value].size() * sizeof(float)), 0);
  }
}

LoweredCall conv() {
  LoweredCall out = call_of(
      "kernel c; in X, W, B; out Y; Y<12, 10, 11>[f, y, x] = B<12>[f] + X<8, 12, 13>[c, y + r, x + s] * W<12, 8, 3, 3>[f, c, r, "
      "s];",
      1, {11, 12, 13});
  EXPECT_TRUE(out.tiling);
  return out;
}

LoweredCall product() {
  LoweredCall out = call_of("kernel m; in A, B; out C; C<24, 75>[i, j] = A<24, 64>[i, k] * B<64, 75>[k, j];", 1, {11, 12});
  EXPECT_TRUE(out.tiling);
  return out;
}

TEST(Fuse, AnActivationAScaleAndAResidualSum) {
  expect_fused({conv(), call_of("kernel r; in X; out Y; Y<1320>[i] = max(X<1320>[i], 0);", 2, {1})}, {2}, 1);
  expect_fused({conv(), call_of("kernel r; in X; out Y; Y<1320>[i] = min(max(X<1320>[i], 0), 6);", 2, {1})}, {2}, 1);
  expect_fused({conv(), call_of("kernel r; in X, S; out Y; Y<12, 110>[c, i] = X<12, 110>[c, i] * S<12>[c];", 2, {1, 14})}, {2},
               1);
  expect_fused({conv(), call_of("kernel r; in R, X; out Y; Y<1320>[i] = R<1320>[i] + X<1320>[i];", 2, {15, 1})}, {2}, 1);
  expect_fused({product(), call_of("kernel r; in X, B; out Y; Y<24, 75>[i, j] = X<24, 75>[i, j] + B<75>[j];", 2, {1, 13})}, {2},
               1);
}

TEST(Fuse, SeveralAfterEachOther) {
  LoweredCall bias = call_of("kernel r; in X, B; out Y; Y<24, 75>[i, j] = X<24, 75>[i, j] + B<75>[j];", 2, {1, 13});
  LoweredCall gate = call_of("kernel r; in X; out Y; Y<1800>[i] = X<1800>[i] * max(X<1800>[i], 0);", 3, {2});
  LoweredCall sum = call_of("kernel r; in X, R; out Y; Y<1800>[i] = X<1800>[i] - R<1800>[i];", 4, {3, 15});
  expect_fused({product(), bias, gate, sum}, {4}, 1);
  expect_fused({product(), bias, gate, sum}, {2, 4}, 3);
  expect_fused({product(), bias, gate, sum}, {1, 2, 3, 4}, 4);
}

TEST(Fuse, WhatOthersReadOrLiesElsewhereStays) {
  LoweredCall twice = call_of("kernel r; in X; out Y; Y<1320>[i] = max(X<1320>[i], 0);", 2, {1});
  LoweredCall other = call_of("kernel r; in X; out Y; Y<1320>[i] = X<1320>[i] * 2;", 3, {1});
  expect_fused({conv(), twice, other}, {2, 3}, 3);
  expect_fused({product(), call_of("kernel t; in X; out Y; Y<75, 24>[j, i] = X<24, 75>[i, j];", 2, {1})}, {2}, 2);
  expect_fused({product(), call_of("kernel t; in X; out Y; Y<24, 75>[i, j] = X<24, 75>[i, 74 - j];", 2, {1})}, {2}, 2);
  expect_fused({product(), call_of("kernel t; in X; out Y; Y<24>[i] = X<24, 75>[i, j];", 2, {1})}, {2}, 2);
}

}  // namespace
}  // namespace vouch
