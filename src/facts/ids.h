// What a remembered answer depends on, as handles of interned things: equal handles, equal things.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "support/words_hash.h"
#include "term/term.h"

namespace vouch {

using Ids = std::vector<const void*>;

// A term as it is under some facts in their order, which are known by a number.
struct UnderFacts {
  Term term;
  std::uint32_t facts = 0;
  friend bool operator==(const UnderFacts&, const UnderFacts&) = default;
};

struct UnderFactsHash {
  std::size_t operator()(const UnderFacts& key) const {
    std::size_t h = (std::hash<Term>()(key.term) ^ (std::size_t{key.facts} << 40)) * 0xff51afd7ed558ccdULL;
    return h ^ (h >> 32);
  }
};

// Numbers of lists: equal lists, equal numbers. Many questions are asked of one list before the next.
class ListNumbers {
 public:
  ListNumbers() = default;
  ListNumbers(const ListNumbers&) = delete;
  ListNumbers& operator=(const ListNumbers&) = delete;
  std::uint32_t of(const std::vector<Term>& list) {
    auto same = [](const void* id, Term term) { return id == term.id(); };
    if (last_ == nullptr || !std::equal(last_->first.begin(), last_->first.end(), list.begin(), list.end(), same)) {
      Ids ids(list.size());
      std::transform(list.begin(), list.end(), ids.begin(), [](Term term) { return term.id(); });
      last_ = &*numbers_.try_emplace(std::move(ids), static_cast<std::uint32_t>(numbers_.size())).first;
    }
    return last_->second;
  }

 private:
  using Numbers = std::unordered_map<Ids, std::uint32_t, WordsHash>;
  Numbers numbers_;
  const Numbers::value_type* last_ = nullptr;
};

}  // namespace vouch
