// Where each value of a plan lies: inputs and outputs with the caller, weights one after the other, all else in one arena.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "build/call_plan.h"

namespace vouch {

enum class Buffer : std::uint8_t { Input, Output, Weights, Arena };

struct Place {
  Buffer buffer = Buffer::Arena;
  std::size_t number = 0;   // of the input or output; of weights and arena: which type of element
  std::int64_t offset = 0;  // in cells
};

// For each type of element.
using CellCounts = std::array<std::int64_t, array::kElementCount>;

// A value's life: from the call that defines it to the last that reads it, by their positions in the plan.
struct Life {
  std::size_t from = 0;
  std::size_t to = 0;
};

std::int64_t bytes_of(const PlanValue& value);
// From where it lies to where the next value may.
std::int64_t cells_taken(const PlanValue& value);

struct MemoryPlan {
  std::vector<std::optional<Place>> places;  // of each value; none where nothing uses it
  std::vector<std::optional<Life>> lives;    // of those in the arena
  CellCounts weights{};                      // by type of element
  CellCounts arena{};                        // the same; of the types that lie there, all the same bytes
  std::int64_t arena_bytes = 0;
  std::int64_t least_bytes = 0;  // the largest sum, over the calls, of what lives then: no plan takes less
  std::int64_t weight_bytes() const;
  // Something lives there that is no float32.
  bool has_other_arenas() const;
};

// Values are aligned to 64 bytes. Offsets by best fit, in several orders, each improved by placing what sticks out first; the one
// with the smallest arena is kept: one arena, of which bytes are an element of one type now and of another one later.
MemoryPlan plan_memory(const CallPlan& plan);

}  // namespace vouch
