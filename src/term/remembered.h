// What operations on interned terms gave before. A result depends on the operands alone and terms live for ever, so it may be
// told again; each thread keeps the recent ones, one for each slot that the operands hash to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "term/term.h"

namespace vouch {

enum class TermOp : std::uint8_t { None, Add, Mul, FloorDiv, Le, Eq };

class OperationCache {
 public:
  struct Slot {
    Term a;
    Term b;
    Term result;
    TermOp op = TermOp::None;
  };
  Slot& slot(TermOp op, Term a, Term b) {
    std::size_t h = (reinterpret_cast<std::uintptr_t>(a.id()) * 0x9e3779b97f4a7c15ULL) ^
                    (reinterpret_cast<std::uintptr_t>(b.id()) * 0xff51afd7ed558ccdULL) ^ (static_cast<std::size_t>(op) << 50);
    return (*slots_)[h >> (64 - kLog)];
  }
  static OperationCache& of_thread() {
    thread_local OperationCache cache;
    return cache;
  }

 private:
  static constexpr unsigned kLog = 15;
  using Slots = std::array<Slot, std::size_t{1} << kLog>;
  std::unique_ptr<Slots> slots_ = std::make_unique<Slots>();
};

// The result of `op` on a and b: as it was told before, or else made.
template <class F>
Term remembered(TermOp op, Term a, Term b, F make) {
  OperationCache::Slot& slot = OperationCache::of_thread().slot(op, a, b);
  if (slot.op != op || slot.a != a || slot.b != b) {
    Term made = make();  // which may use the slot itself
    slot = {a, b, made, op};
  }
  return slot.result;
}

}  // namespace vouch
