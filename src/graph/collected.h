// What the iterations of a loop give, joined into tensors with one more axis.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/type.h"
#include "support/diagnostic.h"
#include "tensor/memory_budget.h"
#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

// One element, as the body's input declares it (an iteration, a condition): of rank 0, or of rank 1 and size 1.
inline Tensor one_element(Type declared, std::int64_t value) {
  Tensor out(declared.dtype(), Extents(declared.rank(), 1));
  out.set_int(0, value);
  return out;
}

// One list for each collected value.
class Collected {
 public:
  Collected(std::size_t count, const MemoryBudget& memory) : items_(count), memory_(memory) {}

  // False, reported, if an item differs in shape from the first, or the joined tensors would have no place beside the items.
  bool add(std::span<const Tensor> items, Diagnostics& diagnostics, const std::string& place) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (!items_[k].empty() && items_[k][0].extents() != items[k].extents()) {
        diagnostics.error_at(place, "what the iterations give to be collected differs in shape");
        return false;
      }
      bytes_ += static_cast<std::int64_t>(items[k].bytes().size()) + MemoryBudget::kPerTensor;
      if (!memory_.suffices(bytes_)) {
        diagnostics.error_at(place, "what the iterations collect would take " + memory_.refusal(bytes_), MemoryBudget::hint());
        return false;
      }
      items_[k].push_back(items[k]);
    }
    return true;
  }

  // The new axis is this one of the result. `like` gives element type and extents (unknown sizes count as 0) if nothing was
  // collected.
  Tensor joined(std::size_t which, Type like, std::size_t axis = 0, bool from_the_end = false) const {
    const std::vector<Tensor>& list = items_[which];
    Extents extents;
    for (Term extent : like.extents()) {
      extents.push_back(const_int(extent).value_or(0));
    }
    extents = list.empty() ? extents : list[0].extents();
    std::size_t rows = 1;
    for (std::size_t k = 0; k < axis; ++k) {
      rows *= static_cast<std::size_t>(extents[k]);
    }
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(list.size()));
    if (list.empty()) {
      return {like.dtype(), extents};
    }
    std::size_t row = rows == 0 ? 0 : list[0].bytes().size() / rows;
    std::vector<std::byte> bytes;
    bytes.reserve(list[0].bytes().size() * list.size());
    for (std::size_t at = 0; at < rows; ++at) {
      for (std::size_t k = 0; k < list.size(); ++k) {
        auto part = list[from_the_end ? list.size() - 1 - k : k].bytes().subspan(at * row, row);
        bytes.insert(bytes.end(), part.begin(), part.end());
      }
    }
    return {list[0].dtype(), extents, std::move(bytes)};
  }

 private:
  std::vector<std::vector<Tensor>> items_;
  const MemoryBudget& memory_;
  std::int64_t bytes_ = 0;
};

}  // namespace vouch
