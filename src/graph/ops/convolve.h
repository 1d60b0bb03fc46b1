// Convolutions, for operators that do more with their elements or sums.
#pragma once

#include <functional>
#include <optional>

#include "graph/ops/window.h"

namespace vouch {

struct Convolution {
  std::size_t kernel = 1;  // the operand
  Term group;
  std::vector<WindowAxis> window = {};
  // What is subtracted from each element of the input and of the kernel (of an output channel), if anything; padding is 0 all
  // the same.
  std::function<Term()> offset_x = {};
  std::function<Term(Term output)> offset_w = {};

  Terms extents(const OpContext& c) const;
};

// Of operand 0 by this operand, as the attributes of ONNX's Conv say; fails the call where they do not fit.
std::optional<Convolution> require_convolution(OpContext& c, std::size_t kernel);

// The sum at an index of the result.
Term convolution_sum(const OpContext& c, const Convolution& convolution, const Terms& i);

// Those of ONNX's Conv.
std::vector<AttrDef> convolution_attributes();

}  // namespace vouch
