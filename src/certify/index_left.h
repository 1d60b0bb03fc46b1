// Plans, written from the outside in: the axes of the output that are left, each under a name that it keeps wherever it is moved.
#pragma once

#include <functional>

#include "certify/index_product.h"

namespace vouch {

inline constexpr long kFewThreads = 4;  // iterations that are worth a parallel loop

// An axis of the output, or a part of one: blocks of blocks, blocks, then positions in them.
enum class Part : std::uint8_t { Whole, Panel, Block };
struct Label {
  std::size_t axis = 0;
  Part part = Part::Whole;
  friend bool operator==(const Label&, const Label&) = default;
};

// The axes that are left, in order, and their extents.
struct Left {
  struct Axis {
    Label label;
    Integer extent;
  };
  std::vector<Axis> axes;

  // Where it is; nothing if it is not left.
  std::optional<std::size_t> place(const Label& label) const;
};

using Rest = std::function<IndexPlan(const Left&)>;

IndexPlan plan_node(IndexPlanKind kind, const Integer& count, const Integer& width, unsigned inner, std::vector<IndexPlan> parts);
// That axis comes first.
IndexPlan front(Left left, const Label& label, const Rest& rest);
// These come first, in that order; such as are not left are passed over.
IndexPlan in_front(const Left& left, std::vector<Label> labels, const Rest& rest);
// The first axis in order, one position after the other.
IndexPlan each(Left left, array::LoopKind loop, const Rest& rest);
// The first axis as two; its blocks get that label.
IndexPlan blocks(Left left, const Integer& width, const Label& label, const Rest& rest);
// The first axis in two parts, if both have positions.
IndexPlan split(Left left, const Integer& first, const Rest& most, const Rest& remains);

// A plan of a product: its outside axes position by position, the first that is long enough shared among threads, then the lanes
// in front. `inside` says how it goes on, and hears whether a loop is shared already.
IndexPlan along_outside(const Axes& axes, const Product& product, const std::function<IndexPlan(const Left&, bool)>& inside);

}  // namespace vouch
