// Mean and variance over some axes, as normalisations use them.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/ops/operands.h"

namespace vouch {

// Locals of a call: the moments of operand 0 over some axes, on which they have size 1. Requires those not empty.
class Moments {
 public:
  Moments(OpContext& c, std::vector<std::size_t> axes, DType dtype);

  const Terms& extents() const { return extents_; }
  // At an index of operand 0.
  Term mean(const Terms& i) const;
  Term variance(const Terms& i) const;

 private:
  Terms flattened(Terms i) const;
  void local_mean(std::string_view name, const std::function<Term(const Terms&)>& element);

  OpContext& c_;
  std::vector<std::size_t> axes_;
  DType dtype_;
  Terms extents_;
  Term count_ = 1;
};

// The type of floats that an attribute says by its number in ONNX: of moments `stash_type`.
std::optional<DType> stash_dtype(OpContext& c, std::string_view attribute = "stash_type");
// Moments of float64 are kept as exact as they come, whatever the stash type.
DType moment_dtype(const OpContext& c, DType stash);

// 1 / sqrt(variance + epsilon)
Term inverse_deviation(Term variance, Term epsilon);

std::vector<std::size_t> all_axes_but(std::size_t rank, std::initializer_list<std::size_t> kept);

// These operands are vectors with one element for each position of an axis of operand 0.
bool require_vectors(OpContext& c, std::initializer_list<std::size_t> operands, std::size_t axis);

}  // namespace vouch
