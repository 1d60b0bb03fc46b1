// The uses of one node: compact, since most nodes have one. 16 bytes; one use in place, more on the heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace vouch {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffU;  // an absent optional operand

struct Use {
  NodeId user = kNoNode;
  std::uint32_t operand = 0;
};

// Trivially copyable, so that arrays of nodes grow by copying memory. Whoever holds a list owns its heap: a copy that is to
// live on needs `unshare`, the last one `clear`.
class UseList {
 public:
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const Use> view() const { return {data(), size_}; }
  Use& operator[](std::uint32_t at) { return data()[at]; }
  const Use& back() const { return data()[size_ - 1]; }
  void push_back(Use use) {
    if (size_ == capacity()) {
      reserve(2 * size_ + 2);
    }
    data()[size_++] = use;
  }
  void pop_back() { --size_; }
  void clear() {
    release();
    size_ = 0;
    capacity_ = 0;
  }
  // Gives this copy a heap of its own.
  void unshare() {
    if (capacity_ != 0) {
      Use* own = new Use[capacity_];
      std::copy_n(held_.many, size_, own);
      held_.many = own;
    }
  }

 private:
  std::uint32_t capacity() const { return capacity_ == 0 ? 1 : capacity_; }
  const Use* data() const { return capacity_ == 0 ? &held_.one : held_.many; }
  Use* data() { return capacity_ == 0 ? &held_.one : held_.many; }
  void reserve(std::uint32_t wanted) {
    Use* wider = new Use[wanted];
    std::copy_n(data(), size_, wider);
    release();
    held_.many = wider;
    capacity_ = wanted;
  }
  void release() {
    if (capacity_ != 0) {
      delete[] held_.many;
    }
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;  // 0: in place
  union Held {
    Use one = {};
    Use* many;
  };
  Held held_;
};

static_assert(sizeof(UseList) == 16 && std::is_trivially_copyable_v<UseList>);

}  // namespace vouch
