// The axes of a kernel's output, as one summand reads along them: where its conditions hold whatever the loops are, and how far
// apart neighbours' elements lie.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "certify/index_kernel.h"

namespace vouch {

// A sum of index variables with coefficients; index variables are those of a summand's body.
struct Linear {
  Integer constant;
  std::map<unsigned, Integer> factors;
};

struct IndexRange {
  Integer from;
  Integer to;  // not included
};

// What the only summand that has loops asks of the axes of the output.
class Axes {
 public:
  explicit Axes(const IndexStatement& s);

  const Integer& extent(std::size_t axis) const { return extents_[axis]; }
  std::size_t count() const { return extents_.size(); }
  // Their extents, outermost first.
  const std::vector<Integer>& loops() const { return loops_; }
  // Where on that axis no condition and no bound of a tensor has to be looked at; empty if there is no such place.
  IndexRange inside(std::size_t axis) const;

  // From one position on the axis to the next, how far apart the elements are that a read finds; nothing if that varies.
  std::optional<Integer> stride(const IndexBody& read, std::size_t axis) const;
  const std::vector<const IndexBody*>& reads() const { return reads_; }

  // The least and the greatest value of a subscript.
  std::optional<IndexRange> values(const IndexTerm& subscript) const;

  // The axis of the tensor along which the read moves with that axis of the output: one, position by position.
  std::optional<unsigned> follows(const IndexBody& read, std::size_t axis) const;
  // Neighbours on the axis read the same there, for other terms of the sum: as a window that moves on does.
  bool slides(const IndexBody& read, std::size_t axis) const;

 private:
  unsigned variable(std::size_t axis) const { return static_cast<unsigned>(loops_.size() + extents_.size() - 1 - axis); }

  // The difference is not negative, whatever the loops: where on its axis, if there is one.
  void bound(const std::optional<Linear>& difference);
  void look_at(const IndexCond& c);
  void look_at(const IndexBody& b);

  const IndexSummand& summand_;
  std::vector<Integer> loops_;
  std::vector<Integer> extents_;
  std::vector<IndexRange> inside_;
  std::vector<const IndexBody*> reads_;
};

}  // namespace vouch
