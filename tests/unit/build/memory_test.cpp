// The arena: values that live at the same time never share a byte, whatever the plan and the types; and it is rarely larger than
// it must be.
#include "build/memory.h"

#include <gtest/gtest.h>

#include <random>

#include "imp/elements.h"

namespace vouch {
namespace {

// Each call reads some of the last values; elements of that many types.
CallPlan random_plan(std::mt19937& random, std::size_t types) {
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  CallPlan plan;
  plan.values.push_back({ValueKind::Input, 100, array::Element::F32, "x", {}});
  plan.inputs.push_back({"x", {100}, 0});
  std::size_t calls = 1 + below(40);
  for (std::size_t c = 0; c < calls; ++c) {
    std::vector<ValueId> arguments;
    for (std::size_t k = 0; k <= below(3); ++k) {
      arguments.push_back(static_cast<ValueId>(plan.values.size() - 1 - below(std::min<std::size_t>(plan.values.size(), 5))));
    }
    auto result = static_cast<ValueId>(plan.values.size());
    plan.values.push_back(
        {ValueKind::Computed, static_cast<std::int64_t>(1 + below(1000)), static_cast<array::Element>(below(types)), "v", {}});
    plan.calls.push_back({0, arguments, result, {{"n", "op"}}});
  }
  plan.outputs.push_back({"y", {1}, plan.calls.back().result});
  return plan;
}

// From the arena's first byte on.
std::pair<std::int64_t, std::int64_t> bytes_taken(const CallPlan& plan, const MemoryPlan& memory, ValueId value) {
  std::int64_t from = memory.places[value]->offset * array::bytes_of(plan.values[value].element);
  return {from, from + bytes_of(plan.values[value])};
}

TEST(Memory, ValuesThatLiveTogetherLieApart) {
  std::mt19937 random(20);
  for (int round = 0; round < 200; ++round) {
    CallPlan plan = random_plan(random, array::kElementCount);
    MemoryPlan memory = plan_memory(plan);
    for (ValueId a = 0; a < plan.values.size(); ++a) {
      ASSERT_TRUE(memory.places[a].has_value());
      if (!memory.lives[a]) {
        continue;
      }
      EXPECT_LE(memory.places[a]->offset + plan.values[a].cells, memory.arena[memory.places[a]->number]);
      EXPECT_LE(bytes_taken(plan, memory, a).second, memory.arena_bytes);
      EXPECT_EQ(memory.places[a]->number, static_cast<std::size_t>(plan.values[a].element));
      for (ValueId b = 0; b < a; ++b) {
        bool together =
            memory.lives[b] && memory.lives[a]->from <= memory.lives[b]->to && memory.lives[b]->from <= memory.lives[a]->to;
        auto [from, to] = bytes_taken(plan, memory, a);
        auto [low, high] = bytes_taken(plan, memory, b);
        EXPECT_TRUE(!together || to <= low || high <= from);
      }
    }
  }
}

void expect_little_more(std::size_t types) {
  std::mt19937 random(21);
  double worst = 1;
  double sum = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    MemoryPlan memory = plan_memory(random_plan(random, types));
    ASSERT_GE(memory.arena_bytes, memory.least_bytes);
    double ratio =
        memory.least_bytes == 0 ? 1 : static_cast<double>(memory.arena_bytes) / static_cast<double>(memory.least_bytes);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  EXPECT_LE(sum / kRounds, 1.02);
  EXPECT_LE(worst, 1.1);
}

TEST(Memory, IsSeldomMoreThanWhatLivesAtOnce) { expect_little_more(1); }

TEST(Memory, IsSeldomMoreWhereElementsAreOfSeveralTypes) { expect_little_more(array::kElementCount); }

TEST(Memory, OutputsAndInputsAreTheCallers) {
  CallPlan plan;
  plan.values = {{ValueKind::Input, 4, array::Element::F32, "x", {}}, {ValueKind::Computed, 4, array::Element::F32, "y", {}}};
  plan.inputs = {{"x", {4}, 0}};
  plan.outputs = {{"y", {4}, 1}};
  plan.calls = {{0, {0}, 1, {{"n", "op"}}}};
  MemoryPlan memory = plan_memory(plan);
  EXPECT_EQ(memory.arena_bytes, 0);
  EXPECT_EQ(memory.places[0]->buffer, Buffer::Input);
  EXPECT_EQ(memory.places[1]->buffer, Buffer::Output);
}

}  // namespace
}  // namespace vouch
