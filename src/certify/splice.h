// A sequence with one element replaced by several.
#pragma once

#include <cstddef>
#include <vector>

namespace vouch::array {

template <class T>
void splice(std::vector<T>& sequence, std::size_t at, const std::vector<T>& by) {
  auto place = sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(at));
  sequence.insert(place, by.begin(), by.end());
}

}  // namespace vouch::array
