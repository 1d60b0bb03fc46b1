// The hash of a list of words (numbers or handles), each mixed in as MurmurHash3 mixes at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace vouch {

struct WordsHash {
  template <class Words>
  std::size_t operator()(const Words& words) const noexcept {
    std::uint64_t h = words.size();
    for (const auto& word : words) {
      h = (h ^ std::hash<typename Words::value_type>()(word)) * 0xff51afd7ed558ccdULL;
      h ^= h >> 32U;
    }
    return h;
  }
};

}  // namespace vouch
