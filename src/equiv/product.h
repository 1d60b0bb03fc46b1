// Products of parameters at many points: intervals of doubles first, which are certain and fast; exact where these cannot tell.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "equiv/affine.h"
#include "tensor/tensor.h"
#include "term/eval.h"

namespace vouch {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The number is between these, rounding included.
struct FloatInterval {
  double low = 0;
  double high = 0;
};
FloatInterval operator+(FloatInterval a, FloatInterval b);
FloatInterval operator*(FloatInterval a, FloatInterval b);
FloatInterval operator-(FloatInterval a);
FloatInterval interval_of(const Enclosure& value);

// Factors are evaluated once at each value of the indices that they depend on.
class ProductEvaluator {
 public:
  // `extents`: of the indices. `values`: of tensors, as `environment` reads them. Both must outlive it.
  ProductEvaluator(Coefficient coefficient, std::span<const Symbol> indices, const Extents& extents,
                   const EvalEnvironment& environment, const std::map<Symbol, Tensor>& values);
  // Nothing if it has no value there; `exact_at` says why.
  std::optional<FloatInterval> at(std::span<const std::int64_t> point);
  Evaluated<ExactNumber> exact_at(std::span<const std::int64_t> point) { return exact_.at(point); }

 private:
  // An element of a tensor of floats at indices or constant places: no more than looking it up.
  struct Lookup {
    const Tensor* tensor = nullptr;
    std::int64_t first = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> strides;  // position of the index, and what a step of it is
  };
  struct Factor {
    std::unique_ptr<PointEvaluator> value;
    std::optional<Lookup> lookup;   // the same, where it is no more
    std::vector<std::size_t> axes;  // positions of the indices that it depends on
    std::vector<std::optional<FloatInterval>> known;
  };

  static void add_factors(Term term, std::vector<Term>& out);
  static std::optional<Lookup> lookup_of(Term factor, std::span<const Symbol> indices, const Extents& extents,
                                         const std::map<Symbol, Tensor>& values);
  static std::optional<FloatInterval> value_of(Factor& factor, std::span<const std::int64_t> point);

  Extents extents_;
  PointEvaluator exact_;
  std::vector<Factor> factors_;
};

}  // namespace vouch
