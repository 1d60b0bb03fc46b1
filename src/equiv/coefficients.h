// Coefficients of two affine forms, as the numbers they are: exact rationals, with guaranteed enclosures of roots and the like.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "equiv/affine.h"
#include "equiv/product.h"
#include "tensor/tensor.h"
#include "term/eval.h"

namespace vouch {

// How many values an index has; nothing where no number is known.
using IndexExtents = std::unordered_map<Symbol, std::int64_t>;

class Coefficients {
 public:
  // `values`: of the tensors that coefficients read. They must outlive this. `steps`: of evaluation, in all.
  Coefficients(const std::map<Symbol, Tensor>& values, double tolerance, std::int64_t steps);
  Coefficients(const Coefficients&) = delete;
  Coefficients& operator=(const Coefficients&) = delete;

  // Is the sum of `a` that of `b` within the tolerance, at every value of the indices that they depend on? The difference is
  // measured against the sum of the magnitudes of the products, of the side on which it is larger; `equal`: there may be none.
  // False: `reason` says why.
  bool compare(std::vector<Coefficient> a, std::vector<Coefficient> b, const IndexExtents& extents, bool equal);

  Rational worst() const { return std::max(worst_, rational_of(fast_worst_)); }  // relative difference so far, or more
  const std::string& reason() const { return reason_; }

 private:
  std::optional<ExactNumber> element(Symbol tensor, std::span<const std::int64_t> at) const;
  bool fail(std::string why);
  bool compare_points(const std::vector<Coefficient>& all, std::size_t of_a, const std::vector<Symbol>& names,
                      const Extents& extents);
  // A coefficient, and the sum of the magnitudes of the products that make it up, where that is something else.
  struct Product {
    std::unique_ptr<ProductEvaluator> value;
    std::unique_ptr<ProductEvaluator> magnitude;
  };
  using Products = std::vector<Product>;
  // True: within the tolerance, and surely no equality. What it cannot tell is compared exactly.
  bool is_surely_close(const Products& products, std::size_t of_a, const std::vector<std::int64_t>& point);
  std::optional<Enclosure> enclosure(ProductEvaluator& product, std::span<const std::int64_t> point);
  bool compare_point(const Products& products, std::size_t of_a, const std::vector<std::int64_t>& point);

  const std::map<Symbol, Tensor>& values_;
  Rational tolerance_;
  double fast_tolerance_;  // below it
  bool equal_ = false;
  double fast_worst_ = 0;  // of what was not compared exactly
  EvalEnvironment environment_;
  Rational worst_ = 0;
  std::string reason_;
};

}  // namespace vouch
