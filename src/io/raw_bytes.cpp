#include "io/raw_bytes.h"

#include <algorithm>
#include <new>

namespace vouch {

void RawBytes::reserve(std::size_t capacity) {
  if (capacity <= capacity_) {
    return;
  }
  void* moved = std::realloc(bytes_.get(), capacity);
  if (moved == nullptr) {
    throw std::bad_alloc();
  }
  static_cast<void>(bytes_.release());
  bytes_.reset(static_cast<char*>(moved));
  capacity_ = capacity;
}

void RawBytes::resize(std::size_t size) {
  if (size > capacity_) {
    reserve(std::max(size, capacity_ + capacity_ / 2));
  }
  size_ = size;
}

}  // namespace vouch
