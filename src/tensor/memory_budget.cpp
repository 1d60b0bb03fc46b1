#include "tensor/memory_budget.h"

#include <fmt/format.h>

#include <utility>

namespace vouch {
namespace {

thread_local const MemoryBudget::Counter* charging = nullptr;

// The elements of a tensor, counted as long as they are there.
class ChargedElements {
 public:
  ChargedElements(std::vector<std::byte> elements, MemoryBudget::Counter counter)
      : elements_(std::move(elements)), counter_(std::move(counter)), bytes_(static_cast<std::int64_t>(elements_.size())) {
    *counter_ += bytes_ + MemoryBudget::kPerTensor;
  }
  ChargedElements(const ChargedElements&) = delete;
  ChargedElements& operator=(const ChargedElements&) = delete;
  ~ChargedElements() { *counter_ -= bytes_ + MemoryBudget::kPerTensor; }

  std::vector<std::byte>* elements() { return &elements_; }

 private:
  std::vector<std::byte> elements_;
  MemoryBudget::Counter counter_;
  std::int64_t bytes_;
};

}  // namespace

std::string MemoryBudget::refusal(std::int64_t bytes) const {
  return fmt::format("{} bytes beside the {} that are held, more than {}", bytes, held(), most_);
}

Charging::Charging(const MemoryBudget& budget) : before_(std::exchange(charging, &budget.held_)) {}
Charging::~Charging() { charging = before_; }

std::shared_ptr<std::vector<std::byte>> charged(std::vector<std::byte> elements) {
  if (charging == nullptr) {
    return std::make_shared<std::vector<std::byte>>(std::move(elements));
  }
  auto owner = std::make_shared<ChargedElements>(std::move(elements), *charging);
  std::vector<std::byte>* shared = owner->elements();
  return {std::move(owner), shared};
}

std::int64_t bytes_of(DType dtype, std::int64_t count) {
  std::int64_t bytes = 0;
  return __builtin_mul_overflow(count, static_cast<std::int64_t>(byte_size(dtype)), &bytes) ? INT64_MAX : bytes;
}

}  // namespace vouch
