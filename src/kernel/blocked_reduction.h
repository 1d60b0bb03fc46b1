// Reductions that the reference interpreter runs as blocked loops instead of by loop programs: sums of products of two
// tensors' elements (convolutions, products of matrices, grouped and batched), and sums, products, maxima and minima of one
// tensor's (windows, axes), where addresses are sums of functions of one index each (strided.h). They give the bits that the
// loop program gives, many times faster.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

using TensorOfName = std::function<const Tensor*(Symbol)>;

// The reduction's value for all `indices` within `extents`, as float64; nothing where it is of no such form.
std::optional<Tensor> run_blocked(Term reduce, std::span<const Symbol> indices, const Extents& extents,
                                  const TensorOfName& tensors);

struct BlockedSurroundings {
  TensorOfName tensors;
  std::function<Symbol(Tensor)> keep;  // is given what was computed, and names it
  std::function<bool(std::int64_t bytes)>
      fits;  // whether so much may be held meanwhile: addresses take several times the elements
};

// `value` with each such reduction that fits replaced by a read of a tensor that is kept.
Term with_blocked_reductions(Term value, std::span<const Symbol> indices, const Extents& extents,
                             const BlockedSurroundings& around);

}  // namespace vouch
