// Sliding windows over the spatial axes of a tensor: what convolutions and pools share.
//
// Along one axis, window `o` of `output` windows covers the positions `o*stride - pad_begin + r*dilation` for r below
// `kernel`; positions below 0 or from `input` on are padding.
#pragma once

#include <vector>

#include "graph/ops/operands.h"

namespace vouch {

struct WindowAxis {
  Term input;
  Term kernel;
  Term stride;
  Term dilation;
  Term pad_begin;
  Term pad_end;
  Term output;
  bool may_leave = false;  // windows may reach beyond the padding (ceil_mode)

  Term start(Term o) const { return o * stride - pad_begin; }
  Term reach() const { return (kernel - 1) * dilation + 1; }  // positions from a window's first to its last
};

// From the attributes strides, pads, dilations and auto_pad of ONNX, for the axes of operand 0 after the first two.
// Requires legality: kernel, stride and dilation at least 1, pads not negative, windows that fit.
std::vector<WindowAxis> onnx_window(OpContext& c, const Terms& kernel, bool ceil_mode);
// From strides, padding (one number, one for each axis, or begins and ends) and dilation, at rank 4.
std::vector<WindowAxis> plain_window(OpContext& c, const Terms& kernel, bool ceil_mode);
// Requires besides that each window holds an element that is no padding.
void require_full_windows(OpContext& c, const std::vector<WindowAxis>& window);

// One reduction index for each axis.
std::vector<BoundIndex> window_indices(const OpContext& c, const std::vector<WindowAxis>& window);
// The positions that `o` and `r` select, and whether they all lie inside the tensor (what is certain is left out).
Terms window_positions(const std::vector<WindowAxis>& window, const Terms& o, const Terms& r);
Term inside(const std::vector<WindowAxis>& window, const Terms& positions);

Terms outputs_of(const std::vector<WindowAxis>& window);
Terms variables_of(const std::vector<BoundIndex>& indices);
// The indices of a result after its first two axes.
Terms spatial(const Terms& indices);

}  // namespace vouch
