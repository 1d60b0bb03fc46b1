// Which axes Resize works on and where its positions lie in the input, as exact fractions of integer terms, so that
// rounding to the nearest position is a floor division and holds for symbolic sizes too.
#pragma once

#include <string>
#include <vector>

#include "graph/ops/operands.h"

namespace vouch {

inline constexpr std::string_view kCropMode = "tf_crop_and_resize";

// One axis that is resized: by the factor up / down, or to a size that the factor follows from.
struct ResizedAxis {
  std::size_t axis;
  Term input;
  Term output;
  Term up;
  Term down;
  Rational roi_begin = 0;  // of tf_crop_and_resize: the region as parts of the axis
  Rational roi_end = 1;
};

// numerator / denominator, the latter at least 1.
struct Fraction {
  Term numerator;
  Term denominator;
};

// By this operand, which gives each axis its factor.
std::vector<ResizedAxis> scaled_axes(OpContext& c, std::size_t scales);

// From the operands roi, scales and sizes (1 to 3); the call has failed if they do not tell.
std::vector<ResizedAxis> resized_axes(OpContext& c);

// Where position i of the result lies in the input, by coordinate_transformation_mode.
Fraction source_position(const std::string& mode, const ResizedAxis& axis, Term i);

// A position rounded by nearest_mode.
Term rounded(const std::string& mode, const Fraction& position);

}  // namespace vouch
