// The uses of one node: compact, since most nodes have one. 16 bytes; one use in place, more in the graph's pool.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "graph/use_pool.h"

namespace vouch {

// Trivially copyable, so that arrays of nodes grow by copying memory. Whoever holds a list owns its room in the pool: a copy
// that is to live on needs `unshare`, the last one `clear`.
class UseList {
 public:
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const Use> view() const { return {data(), size_}; }
  Use& operator[](std::uint32_t at) { return data()[at]; }
  const Use& back() const { return data()[size_ - 1]; }
  void push_back(Use use, UsePool& pool) {
    if (size_ == capacity()) {
      widen(pool);
    }
    data()[size_++] = use;
  }
  void pop_back() { --size_; }
  void clear(UsePool& pool) {
    release(pool);
    size_ = 0;
    capacity_ = 0;
  }
  // Gives this copy room of its own.
  void unshare(UsePool& pool) {
    if (capacity_ != 0) {
      Use* own = pool.take(capacity_);
      std::copy_n(held_.many, size_, own);
      held_.many = own;
    }
  }

 private:
  std::uint32_t capacity() const { return capacity_ == 0 ? 1 : capacity_; }
  const Use* data() const { return capacity_ == 0 ? &held_.one : held_.many; }
  Use* data() { return capacity_ == 0 ? &held_.one : held_.many; }
  void widen(UsePool& pool) {
    const std::uint32_t wanted = 2 * capacity();
    Use* wider = pool.take(wanted);
    std::copy_n(data(), size_, wider);
    release(pool);
    held_.many = wider;
    capacity_ = wanted;
  }
  void release(UsePool& pool) {
    if (capacity_ != 0) {
      pool.give(held_.many, capacity_);
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
