// Where each value of a plan lies: inputs and outputs with the caller, weights one after the other, all else in one arena.
#pragma once

#include <optional>
#include <vector>

#include "build/call_plan.h"

namespace vouch {

enum class Buffer : std::uint8_t { Input, Output, Weights, Arena };

struct Place {
  Buffer buffer = Buffer::Arena;
  std::size_t number = 0;   // of the input or output
  std::int64_t offset = 0;  // in cells
};

// A value's life: from the call that defines it to the last that reads it, by their positions in the plan.
struct Life {
  std::size_t from = 0;
  std::size_t to = 0;
};

struct MemoryPlan {
  std::vector<std::optional<Place>> places;  // of each value; none where nothing uses it
  std::vector<std::optional<Life>> lives;    // of those in the arena
  std::int64_t weight_cells = 0;
  std::int64_t arena_cells = 0;
  std::int64_t least_cells = 0;  // the largest sum, over the calls, of what lives then: no plan takes less
};

// Cells are aligned to 64 bytes. Offsets by best fit, in several orders, of which the one with the smallest arena is kept.
MemoryPlan plan_memory(const CallPlan& plan);

}  // namespace vouch
