// The bytes that the tensors which an evaluation computes hold together. Tensors that are made while a `Charging` lives (by its
// thread) count until the last that shares their elements lets go of them, wherever that is; what was made before (inputs,
// weights) does not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace vouch {

class MemoryBudget {
 public:
  static constexpr std::int64_t kPerTensor = 256;  // what a tensor takes besides its elements
  static constexpr std::int64_t kDefault = std::int64_t{4} << 30;
  using Counter = std::shared_ptr<std::atomic<std::int64_t>>;

  explicit MemoryBudget(std::int64_t most = kDefault) : most_(most), held_(std::make_shared<std::atomic<std::int64_t>>(0)) {}

  std::int64_t held() const { return *held_; }
  // May a tensor of so many bytes be made beside what is held? To be asked before it is.
  bool suffices(std::int64_t bytes) const { return bytes <= largest(); }
  // The bytes of the largest such tensor; below 0: not even an empty one.
  std::int64_t largest() const { return most_ - held() - kPerTensor; }
  std::string refusal(std::int64_t bytes) const;  // in words, where it may not
  static std::string hint() { return "smaller inputs, or a larger limit: --memory 8G"; }

 private:
  friend class Charging;
  std::int64_t most_;
  Counter held_;  // charged tensors may outlive the budget
};

class Charging {
 public:
  explicit Charging(const MemoryBudget& budget);
  ~Charging();
  Charging(const Charging&) = delete;
  Charging& operator=(const Charging&) = delete;

 private:
  const MemoryBudget::Counter* before_;
};

// Elements of a tensor that is made now, charged where somebody is charging.
std::shared_ptr<std::vector<std::byte>> charged(std::vector<std::byte> elements);

// Of so many elements; the largest number where that is no number of 64 bits.
std::int64_t bytes_of(DType dtype, std::int64_t count);

}  // namespace vouch
