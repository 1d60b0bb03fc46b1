#include "build/memory.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "imp/elements.h"

namespace vouch {
namespace {

constexpr std::int64_t kAlignment = 16;  // cells

std::int64_t aligned(std::int64_t cells) { return (cells + kAlignment - 1) / kAlignment * kAlignment; }

bool meet(const Life& a, const Life& b) { return a.from <= b.to && b.from <= a.to; }

struct Block {
  ValueId value = 0;
  Life life;
  std::int64_t cells = 0;
  std::int64_t offset = 0;
  std::size_t type = 0;
};

// The smallest gap, between those placed so far that live at the same time, in which it fits.
std::int64_t best_fit(const Block& block, const std::vector<Block>& placed) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const Block& other : placed) {
    if (meet(block.life, other.life)) {
      taken.emplace_back(other.offset, other.offset + other.cells);
    }
  }
  std::sort(taken.begin(), taken.end());
  std::int64_t end = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> best;  // width, offset
  for (const auto& [from, to] : taken) {
    std::int64_t gap = from - end;
    if (gap >= block.cells && (!best || gap < best->first)) {
      best = {gap, end};
    }
    end = std::max(end, to);
  }
  return best ? best->second : end;
}

using Before = std::function<bool(const Block&, const Block&)>;

std::pair<std::int64_t, std::vector<Block>> placed_in(std::vector<Block> blocks, const Before& before) {
  std::stable_sort(blocks.begin(), blocks.end(), before);
  std::vector<Block> placed;
  std::int64_t arena = 0;
  for (Block& block : blocks) {
    block.offset = best_fit(block, placed);
    arena = std::max(arena, block.offset + block.cells);
    placed.push_back(block);
  }
  return {arena, std::move(placed)};
}

std::int64_t least(const std::vector<Block>& blocks, std::size_t calls) {
  std::vector<std::int64_t> change(calls + 1, 0);
  for (const Block& block : blocks) {
    std::int64_t bytes = block.cells * array::bytes_of(static_cast<array::Element>(block.type));
    change[block.life.from] += bytes;
    change[block.life.to + 1] -= bytes;
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return *std::max_element(change.begin(), change.end());
}

void place_outside(const CallPlan& plan, MemoryPlan& memory) {
  std::vector<bool> used(plan.values.size(), false);
  for (const PlanCall& call : plan.calls) {
    for (ValueId argument : call.arguments) {
      used[argument] = true;
    }
  }
  for (std::size_t k = 0; k < plan.inputs.size(); ++k) {
    memory.places[plan.inputs[k].value] = Place{Buffer::Input, k, 0};
  }
  for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
    memory.places[plan.outputs[k].value] = Place{Buffer::Output, k, 0};
  }
  for (ValueId value = 0; value < plan.values.size(); ++value) {
    if (plan.values[value].kind == ValueKind::Weight && used[value]) {
      auto type = static_cast<std::size_t>(plan.values[value].element);
      memory.places[value] = Place{Buffer::Weights, type, memory.weights[type]};
      memory.weights[type] += aligned(plan.values[value].cells);
    }
  }
}

std::vector<Block> arena_blocks(const CallPlan& plan, MemoryPlan& memory) {
  for (std::size_t c = 0; c < plan.calls.size(); ++c) {
    ValueId result = plan.calls[c].result;
    if (!memory.places[result]) {
      memory.lives[result] = Life{c, c};
    }
    for (ValueId argument : plan.calls[c].arguments) {
      if (memory.lives[argument]) {
        memory.lives[argument]->to = c;
      }
    }
  }
  std::vector<Block> blocks;
  for (ValueId value = 0; value < plan.values.size(); ++value) {
    if (memory.lives[value]) {
      blocks.push_back({value, *memory.lives[value], aligned(plan.values[value].cells), 0,
                        static_cast<std::size_t>(plan.values[value].element)});
    }
  }
  return blocks;
}

// The smallest of what several orders give.
std::pair<std::int64_t, std::vector<Block>> best_placed(const std::vector<Block>& blocks) {
  auto span = [](const Block& b) { return b.cells * static_cast<std::int64_t>(b.life.to - b.life.from + 1); };
  const Before orders[] = {
      [](const Block& a, const Block& b) { return a.cells > b.cells; },
      [](const Block& a, const Block& b) { return a.life.from < b.life.from; },
      [&](const Block& a, const Block& b) { return span(a) > span(b); },
  };
  std::optional<std::pair<std::int64_t, std::vector<Block>>> best;
  for (const Before& order : orders) {
    auto found = placed_in(blocks, order);
    if (!best || found.first < best->first) {
      best = std::move(found);
    }
  }
  return std::move(*best);
}

}  // namespace

MemoryPlan plan_memory(const CallPlan& plan) {
  MemoryPlan memory;
  memory.places.resize(plan.values.size());
  memory.lives.resize(plan.values.size());
  place_outside(plan, memory);
  std::vector<Block> blocks = arena_blocks(plan, memory);
  if (blocks.empty()) {
    return memory;
  }
  memory.least_bytes = least(blocks, plan.calls.size());
  for (std::size_t type = 0; type < memory.arena.size(); ++type) {
    std::vector<Block> own;
    std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(own), [&](const Block& block) { return block.type == type; });
    auto [cells, placed] = best_placed(own);
    memory.arena[type] = cells;
    for (const Block& block : placed) {
      memory.places[block.value] = Place{Buffer::Arena, type, block.offset};
    }
  }
  return memory;
}

std::int64_t bytes_of(const PlanValue& value) { return value.cells * array::bytes_of(value.element); }

std::int64_t MemoryPlan::bytes_of(const CellCounts& counts) {
  std::int64_t bytes = 0;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    bytes += counts[type] * array::bytes_of(static_cast<array::Element>(type));
  }
  return bytes;
}

}  // namespace vouch
