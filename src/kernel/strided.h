// Reads whose address is a sum of functions of one index each, as those of convolutions, products of matrices and windows
// are: an element is then found by adding entries of tables, and no condition is asked for each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

struct IndexSpace {
  std::vector<Symbol> names;
  std::vector<std::int64_t> extents;  // each at least 1
};

// The element at indices i is `data[base + sum(k) steps[k][i_k]]`; every such address is in range.
template <class T>
struct StridedRead {
  const T* data = nullptr;
  std::vector<T> copy;  // of the tensor within a border, or in another type; empty where the tensor itself is read
  std::int64_t base = 0;
  std::vector<std::vector<std::int64_t>> steps;  // per index of the space, per value

  bool moves(std::size_t index) const;  // whether the address depends on this index
};

// `read` as such a read of `tensor`, under a guard that lets only elements of the tensor through: what it keeps out is `fill`.
// Nothing if an address is no such sum, is not known to be in range, or the border would be far larger than the tensor.
// T is float (for float32 and shorter) or double.
template <class T>
std::optional<StridedRead<T>> strided_read(Term read, Term guard, const Tensor& tensor, const IndexSpace& space, T fill);

}  // namespace vouch
