// Attention and rotary embeddings on values worked out by hand. Sizes of more heads are compared with numpy in
// driver/build_attention.
#include <cmath>

#include "calls.h"

namespace vouch {
namespace {

// Two keys whose scores are 0 and log 3, for a scale of 1: weights 1/4 and 3/4 of the values 4 and 8.
const Tensor kQuery = floats({1, 1, 1, 1}, {1});
const Tensor kTwoKeys = floats({1, 1, 2, 1}, {0, std::log(3.0)});
const Tensor kTwoValues = floats({1, 1, 2, 1}, {4, 8});

TEST(Attention, WeighsValuesByProducts) {
  expect_values(call_op("Attention", {kQuery, kTwoKeys, kTwoValues}), {1, 1, 1, 1}, {7});
  expect_values(call_op("Attention", {kQuery, kTwoKeys, kTwoValues}, {{"scale", number(2)}}), {1, 1, 1, 1}, {7.6});
  expect_values(call_op("AttentionScores", {kQuery, kTwoKeys, kTwoValues}, {{"qk_matmul_output_mode", 3}}), {1, 1, 1, 2},
                {0.25, 0.75});
  expect_values(call_op("AttentionScores", {kQuery, kTwoKeys, kTwoValues}), {1, 1, 1, 2}, {0, std::log(3.0)});
}

TEST(Attention, MasksKeys) {
  expect_values(call_op("Attention", {kQuery, kTwoKeys, kTwoValues, ints({1, 2}, {1, 0}, DType::Bool)}), {1, 1, 1, 1}, {4});
  // What is added to the second score takes its factor 3 away.
  expect_values(call_op("Attention", {kQuery, kTwoKeys, kTwoValues, floats({1, 2}, {0, -std::log(3.0)})}), {1, 1, 1, 1}, {6});
  expect_values(call_op("Attention", {kQuery, kTwoKeys, kTwoValues}, {{"is_causal", 1}}), {1, 1, 1, 1}, {4});
}

TEST(Attention, OneHeadOfKeysForTwoOfQueries) {
  Tensor queries = floats({1, 1, 2}, {1, 0});  // heads within the last axis
  Tensor keys = floats({1, 2, 1}, {0, std::log(3.0)});
  Tensor values = floats({1, 2, 1}, {4, 8});
  const Attributes heads{{"q_num_heads", 2}, {"kv_num_heads", 1}};
  expect_values(call_op("Attention", {queries, keys, values}, heads), {1, 1, 2}, {7, 6});
  expect_values(call_op("AttentionPresentKey", {queries, keys, values}, heads), {1, 1, 2, 1}, {0, std::log(3.0)});
  expect_refused(call_op("Attention", {queries, keys, values}), "must be given");
  expect_refused(call_op("Attention", {queries, keys, values}, {{"q_num_heads", 3}, {"kv_num_heads", 1}}), "divide");
}

TEST(Attention, WhatIsReadInTwoWaysHasNoMeaning) {
  Tensor mask = ints({1, 2}, {1, 0}, DType::Bool);
  expect_refused(call_op("Attention", {kQuery, kTwoKeys, kTwoValues, mask}, {{"softcap", number(1)}}), "two ways");
  expect_refused(call_op("Attention", {kQuery, kTwoKeys, kTwoValues, ints({1, 1}, {1}, DType::Bool)}), "another length");
  expect_refused(call_op("Attention", {kQuery, kTwoKeys, kTwoValues}, {{"scale", number(-1)}}), "positive");
  expect_refused(call_op("Attention", {kQuery, kTwoKeys, kTwoValues}, {{"softmax_precision", 7}}), "1, 10, 11 or 16");
  expect_refused(call_op("AttentionScores", {kQuery, kTwoKeys, kTwoValues}, {{"qk_matmul_output_mode", 2}}), "two ways");
}

// A quarter turn takes (1, 2) to (-2, 1), whichever elements are a pair.
TEST(RotaryEmbedding, TurnsPairs) {
  Tensor x = floats({1, 1, 1, 4}, {1, 10, 2, 20});
  Tensor cosines = floats({1, 1, 2}, {0, 1});
  Tensor sines = floats({1, 1, 2}, {1, 0});
  expect_values(call_op("RotaryEmbedding", {x, cosines, sines}), {1, 1, 1, 4}, {-2, 10, 1, 20});
  expect_values(
      call_op("RotaryEmbedding", {floats({1, 1, 4}, {1, 2, 10, 20}), cosines, sines}, {{"interleaved", 1}, {"num_heads", 1}}),
      {1, 1, 4}, {-2, 1, 10, 20});
  Tensor rows = floats({2, 1}, {7, 0});
  Tensor turns = floats({2, 1}, {7, 1});
  expect_values(call_op("RotaryEmbedding", {x, rows, turns, ints({1, 1}, {1})}, {{"rotary_embedding_dim", 2}}), {1, 1, 1, 4},
                {-10, 1, 2, 20});
  expect_refused(call_op("RotaryEmbedding", {x, cosines, sines}, {{"rotary_embedding_dim", 3}}), "even");
  expect_refused(call_op("RotaryEmbedding", {x, rows, turns, ints({1, 1}, {2})}, {{"rotary_embedding_dim", 2}}), "out of range");
}

}  // namespace
}  // namespace vouch
