// How far a folded parameter may be from what it stands for, relative to the magnitudes of the products that make it up.
#pragma once

#include <map>
#include <optional>

#include "support/symbol.h"
#include "tensor/tensor.h"

namespace vouch {

class FoldTolerance {
 public:
  // By element type: see `of`.
  FoldTolerance() = default;
  // Of every type: 0 where nothing may be off.
  explicit FoldTolerance(double stated) : stated_(stated) {}
  static bool can_be(double stated) { return stated >= 0 && stated < 1; }

  std::optional<double> stated() const { return stated_; }
  bool is_none() const { return stated_ == 0.0; }
  // 1e-6; of floats with fewer digits than float32 four roundings, which is what folding a normalisation into weights takes, a
  // call at a time.
  double of(DType type) const;
  // Of these parameters together: of the type with the most digits.
  double of(const std::map<Symbol, Tensor>& parameters) const;

  friend auto operator<=>(const FoldTolerance&, const FoldTolerance&) = default;

 private:
  std::optional<double> stated_;
};

}  // namespace vouch
