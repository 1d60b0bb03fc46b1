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

// `value` with each such reduction replaced by a read of a tensor that `keep` is given and names.
Term with_blocked_reductions(Term value, std::span<const Symbol> indices, const Extents& extents, const TensorOfName& tensors,
                             const std::function<Symbol(Tensor)>& keep);

}  // namespace vouch
