// Bytes in memory that nobody has zeroed: of files as long as a model's, zeroing takes as long as reading.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace vouch {

class RawBytes {
 public:
  RawBytes() = default;
  RawBytes(RawBytes&& other) noexcept { *this = std::move(other); }
  RawBytes& operator=(RawBytes&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  const char* data() const { return bytes_.get(); }
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {bytes_.get(), size_}; }

  // Room for `capacity` bytes; what is there stays. std::bad_alloc where there is none.
  void reserve(std::size_t capacity);
  // What is new has any value, until it is written.
  void resize(std::size_t size);

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace vouch
