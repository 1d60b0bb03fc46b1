#include "build/memory.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "imp/elements.h"

namespace vouch {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes; a multiple of the length of each type's elements

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::int64_t aligned_bytes(const PlanValue& value) { return aligned(bytes_of(value)); }

bool meet(const Life& a, const Life& b) { return a.from <= b.to && b.from <= a.to; }

struct Block {
  ValueId value = 0;
  Life life;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
};

// The smallest gap, between those placed so far that live at the same time, in which it fits.
std::int64_t best_fit(const Block& block, const std::vector<Block>& placed) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  for (const Block& other : placed) {
    if (meet(block.life, other.life)) {
      taken.emplace_back(other.offset, other.offset + other.bytes);
    }
  }
  std::sort(taken.begin(), taken.end());
  std::int64_t end = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> best;  // width, offset
  for (const auto& [from, to] : taken) {
    std::int64_t gap = from - end;
    if (gap >= block.bytes && (!best || gap < best->first)) {
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
    arena = std::max(arena, block.offset + block.bytes);
    placed.push_back(block);
  }
  return {arena, std::move(placed)};
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
      memory.weights[type] += cells_taken(plan.values[value]);
    }
  }
}

// The value that has a place of its own, of which another is a piece, or a piece of a piece.
std::vector<ValueId> wholes(const CallPlan& plan) {
  std::vector<ValueId> out(plan.values.size());
  std::iota(out.begin(), out.end(), ValueId{0});
  for (ValueId value = static_cast<ValueId>(out.size()); value-- > 0;) {
    for (ValueId piece : plan.values[value].pieces) {
      out[piece] = value;
    }
  }
  for (ValueId& whole : out) {
    while (out[whole] != whole) {
      whole = out[whole];
    }
  }
  return out;
}

std::vector<Block> arena_blocks(const CallPlan& plan, const std::vector<ValueId>& whole, MemoryPlan& memory) {
  for (std::size_t c = 0; c < plan.calls.size(); ++c) {
    std::optional<Life>& life = memory.lives[whole[plan.calls[c].result]];
    if (!memory.places[plan.calls[c].result]) {
      life = Life{life ? life->from : c, c};
    }
    for (ValueId argument : plan.calls[c].arguments) {
      if (memory.lives[whole[argument]]) {
        memory.lives[whole[argument]]->to = c;
      }
    }
  }
  std::vector<Block> blocks;
  for (ValueId value = 0; value < plan.values.size(); ++value) {
    if (memory.lives[value]) {
      blocks.push_back({value, *memory.lives[value], aligned_bytes(plan.values[value]), 0});
    }
  }
  return blocks;
}

// A piece lives from where it is computed until nothing reads the whole.
std::int64_t least(const CallPlan& plan, const std::vector<ValueId>& whole, const MemoryPlan& memory) {
  std::vector<std::int64_t> change(plan.calls.size() + 1, 0);
  for (std::size_t c = 0; c < plan.calls.size(); ++c) {
    const PlanValue& value = plan.values[plan.calls[c].result];
    if (const auto& life = memory.lives[whole[plan.calls[c].result]]) {
      std::int64_t bytes = aligned_bytes(value);
      change[c] += bytes;
      change[life->to + 1] -= bytes;
    }
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  return *std::max_element(change.begin(), change.end());
}

// A value and its pieces.
void place_at(const CallPlan& plan, ValueId value, Place place, MemoryPlan& memory) {
  memory.places[value] = place;
  for (ValueId piece : plan.values[value].pieces) {
    place_at(plan, piece, place, memory);
    place.offset += plan.values[piece].cells;
  }
}

// Where those that stick out come first, until none does, or often enough: the work of a round grows with the square of the
// blocks.
std::pair<std::int64_t, std::vector<Block>> placed_lower(std::pair<std::int64_t, std::vector<Block>> best, std::int64_t least) {
  constexpr std::size_t kMostWork = 20'000'000;
  constexpr std::size_t kMostRounds = 200;
  std::size_t rounds = std::min(kMostRounds, kMostWork / (best.second.size() * best.second.size()));
  auto now = best;
  for (std::size_t round = 0; round < rounds && best.first > least; ++round) {
    auto sticks_out = [top = now.first](const Block& block) { return block.offset + block.bytes == top; };
    std::stable_partition(now.second.begin(), now.second.end(), sticks_out);
    now = placed_in(std::move(now.second), [](const Block&, const Block&) { return false; });
    if (now.first < best.first) {
      best = now;
    }
  }
  return best;
}

// The smallest of what several orders give.
std::pair<std::int64_t, std::vector<Block>> best_placed(const std::vector<Block>& blocks, std::int64_t least) {
  auto span = [](const Block& b) { return b.bytes * static_cast<std::int64_t>(b.life.to - b.life.from + 1); };
  const Before orders[] = {
      [](const Block& a, const Block& b) { return a.bytes > b.bytes; },
      [](const Block& a, const Block& b) { return a.life.from < b.life.from; },
      [&](const Block& a, const Block& b) { return span(a) > span(b); },
  };
  std::optional<std::pair<std::int64_t, std::vector<Block>>> best;
  for (const Before& order : orders) {
    auto found = placed_lower(placed_in(blocks, order), least);
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
  std::vector<ValueId> whole = wholes(plan);
  std::vector<Block> blocks = arena_blocks(plan, whole, memory);
  if (blocks.empty()) {
    return memory;
  }
  memory.least_bytes = least(plan, whole, memory);
  auto [bytes, placed] = best_placed(blocks, memory.least_bytes);
  memory.arena_bytes = bytes;
  for (const Block& block : placed) {
    array::Element element = plan.values[block.value].element;
    auto type = static_cast<std::size_t>(element);
    memory.arena[type] = bytes / array::bytes_of(element);
    place_at(plan, block.value, {Buffer::Arena, type, block.offset / array::bytes_of(element)}, memory);
  }
  return memory;
}

std::int64_t bytes_of(const PlanValue& value) { return value.cells * array::bytes_of(value.element); }

std::int64_t cells_taken(const PlanValue& value) { return aligned_bytes(value) / array::bytes_of(value.element); }

std::int64_t MemoryPlan::weight_bytes() const {
  std::int64_t bytes = 0;
  for (std::size_t type = 0; type < weights.size(); ++type) {
    bytes += weights[type] * array::bytes_of(static_cast<array::Element>(type));
  }
  return bytes;
}

bool MemoryPlan::has_other_arenas() const {
  return std::any_of(arena.begin() + 1, arena.end(), [](std::int64_t cells) { return cells > 0; });
}

}  // namespace vouch
