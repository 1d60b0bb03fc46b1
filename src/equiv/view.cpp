#include "equiv/view.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace vouch {
namespace {

constexpr std::size_t kMostPermuted = 4;  // axes

Extents strides_of(const Extents& extents) {
  Extents out(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) {
    out[axis - 1] = out[axis] * extents[axis];
  }
  return out;
}

std::vector<std::size_t> long_axes(const Extents& extents) {
  std::vector<std::size_t> out;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) {
      out.push_back(axis);
    }
  }
  return out;
}

// Does axis order[k] of `of` walk as axis axes[k] of `tensor` does?
bool same_elements(const Tensor& tensor, const std::vector<std::size_t>& axes, const Tensor& of,
                   const std::vector<std::size_t>& order) {
  std::size_t width = byte_size(tensor.dtype());
  Extents strides = strides_of(of.extents());
  Extents point(axes.size(), 0);
  std::int64_t there = 0;
  for (std::int64_t here = 0; here < tensor.count(); ++here) {
    if (std::memcmp(tensor.bytes().data() + here * static_cast<std::int64_t>(width),
                    of.bytes().data() + there * static_cast<std::int64_t>(width), width) != 0) {
      return false;
    }
    for (std::size_t k = axes.size(); k-- > 0;) {
      there += strides[order[k]];
      if (++point[k] < tensor.extents()[axes[k]]) {
        break;
      }
      there -= strides[order[k]] * tensor.extents()[axes[k]];
      point[k] = 0;
    }
  }
  return true;
}

std::optional<std::vector<Term>> permuted(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  std::vector<std::size_t> axes = long_axes(tensor.extents());
  std::vector<std::size_t> order = long_axes(of.extents());
  if (axes.size() != order.size() || axes.size() > kMostPermuted) {
    return std::nullopt;
  }
  do {
    bool same_form = std::equal(axes.begin(), axes.end(), order.begin(),
                                [&](std::size_t x, std::size_t y) { return tensor.extents()[x] == of.extents()[y]; });
    if (same_form && same_elements(tensor, axes, of, order)) {
      std::vector<Term> out(of.rank(), Term(0));
      for (std::size_t k = 0; k < axes.size(); ++k) {
        out[order[k]] = indices[axes[k]];
      }
      return out;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

std::optional<std::vector<Term>> reshaped(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  if (!std::equal(tensor.bytes().begin(), tensor.bytes().end(), of.bytes().begin(), of.bytes().end())) {
    return std::nullopt;
  }
  Extents strides = strides_of(tensor.extents());
  Term position(0);
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    position = position + indices[axis] * Term(strides[axis]);
  }
  std::vector<Term> out;
  Extents of_strides = strides_of(of.extents());
  for (std::size_t axis = 0; axis < of.rank(); ++axis) {
    out.push_back(floor_mod(floor_div(position, Term(of_strides[axis])), Term(of.extents()[axis])));
  }
  return out;
}

}  // namespace

std::optional<std::vector<Term>> view_indices(const Tensor& tensor, const Tensor& of, const std::vector<Term>& indices) {
  if (tensor.dtype() != of.dtype() || tensor.count() != of.count() || tensor.count() == 0) {
    return std::nullopt;
  }
  auto found = permuted(tensor, of, indices);
  return found ? found : reshaped(tensor, of, indices);
}

}  // namespace vouch
