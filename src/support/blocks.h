// A sequence in blocks of 2^kLog elements: growth leaves what is there in its place. (Boost's deque divides at each access, which
// doubles the time of a scan over a graph; a vector copies, which shows where graphs outgrow the caches.)
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

namespace vouch {

template <class T, unsigned kLog>
class Blocks {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr std::size_t kBlock = std::size_t{1} << kLog;

 public:
  Blocks() = default;
  Blocks(const Blocks& other) { *this = other; }
  Blocks(Blocks&& other) noexcept { swap(other); }
  Blocks& operator=(Blocks&& other) noexcept {
    swap(other);
    return *this;
  }
  Blocks& operator=(const Blocks& other) {
    if (this != &other) {
      blocks_.clear();
      size_ = 0;
      for (std::size_t i = 0; i < other.size_; ++i) {
        push_back(other[i]);
      }
    }
    return *this;
  }
  ~Blocks() = default;

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return blocks_[i >> kLog][i & (kBlock - 1)]; }
  const T& operator[](std::size_t i) const { return blocks_[i >> kLog][i & (kBlock - 1)]; }
  T& push_back(const T& value) {
    if (size_ == blocks_.size() << kLog) {
      blocks_.push_back(Block(std::allocator<T>().allocate(kBlock)));
    }
    return *std::construct_at(&(*this)[size_++], value);
  }
  // Forgets what lies at `size` and behind it.
  void shrink(std::size_t size) { size_ = size < size_ ? size : size_; }
  void swap(Blocks& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(size_, other.size_);
  }

 private:
  struct Free {
    void operator()(T* block) const { std::allocator<T>().deallocate(block, kBlock); }
  };
  using Block = std::unique_ptr<T[], Free>;
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace vouch
