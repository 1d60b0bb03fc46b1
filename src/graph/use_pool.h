// Room for the uses of a graph's nodes: lists of like length come from the same chunks, in the order of the nodes that take
// them, so that a sweep over a large graph reads its uses forwards.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace vouch {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffU;  // an absent optional operand

struct Use {
  NodeId user = kNoNode;
  std::uint32_t operand = 0;
};

class UsePool {
 public:
  UsePool() = default;
  UsePool(const UsePool&) = delete;
  UsePool& operator=(const UsePool&) = delete;
  UsePool(UsePool&& other) noexcept { swap(other); }
  UsePool& operator=(UsePool&& other) noexcept {
    swap(other);
    return *this;
  }
  ~UsePool() = default;

  // Room for `capacity` uses, a power of two. More than `kMost` come from the heap and must be given back.
  Use* take(std::uint32_t capacity) {
    if (capacity > kMost) {
      return new Use[capacity];
    }
    Use*& first = free_[std::countr_zero(capacity)];
    if (first != nullptr) {
      return std::exchange(first, next(first));
    }
    if (size_ - used_ < capacity) {
      add_chunk();
    }
    return chunks_.back().get() + std::exchange(used_, used_ + capacity);
  }
  void give(Use* room, std::uint32_t capacity) {
    if (capacity > kMost) {
      delete[] room;
      return;
    }
    Use*& first = free_[std::countr_zero(capacity)];
    std::memcpy(static_cast<void*>(room), &first, sizeof first);
    first = room;
  }
  void swap(UsePool& other) noexcept {
    chunks_.swap(other.chunks_);
    free_.swap(other.free_);
    std::swap(size_, other.size_);
    std::swap(used_, other.used_);
  }

 private:
  static constexpr unsigned kMostLog = 6;
  static constexpr std::uint32_t kMost = 1U << kMostLog;
  static_assert(sizeof(Use*) <= sizeof(Use));  // a free room holds the next one's address

  static Use* next(const Use* room) {
    Use* found = nullptr;
    std::memcpy(&found, room, sizeof found);
    return found;
  }
  // What is left of the last chunk is lost: less than the list that did not fit. Small graphs get small chunks.
  void add_chunk() {
    size_ = kMost << std::min<std::size_t>(chunks_.size(), 7);
    used_ = 0;
    chunks_.push_back(std::make_unique_for_overwrite<Use[]>(size_));
  }

  std::vector<std::unique_ptr<Use[]>> chunks_;
  std::array<Use*, kMostLog + 1> free_{};
  std::uint32_t size_ = 0;  // of the last chunk
  std::uint32_t used_ = 0;
};

}  // namespace vouch
