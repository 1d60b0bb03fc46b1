// One assignment of an instance, tried on tensors. For the refuter alone.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "refute/concrete.h"
#include "refute/difference.h"
#include "refute/refute.h"

namespace vouch {

// How elements are drawn.
enum class Draw : std::uint8_t {
  Small,     // −3 … 4, seldom 0
  Quarters,  // −4 … 4 in quarters (integers: their floors): where rounding tells
  Primes,    // distinct primes with signs: sums and products of them rarely meet
  Positive,  // 1 … 9: inside the domain of roots, logarithms and divisions
  Sparse,    // mostly 0
  Negative,  // −1 … −9
  Wide,      // integers of every size, up to the ends of their type, where they wrap around; floats of all digits that they have
};
inline constexpr int kDrawCount = 7;

// Tensors for the inputs of a graph. Unsigned elements are not negative, truth values 0 or 1.
std::vector<Tensor> draw_elements(const std::vector<Type>& inputs, Draw how, std::mt19937& random, double scale = 1);

struct Found {
  bool failing = false;
  std::size_t compared = 0;
  std::size_t undefined = 0;  // 1: no element of the source has a value
  Assignment assignment;
  Counterexample counterexample;  // if failing
};

class Trial {
 public:
  Trial(const Instance& instance, const Assignment& assignment, std::int64_t most_elements);

  bool legal() const { return sides_.has_value(); }  // and small and exact enough to be tried
  // Whatever the elements are.
  bool fails_by_type() const { return sides_ && (!sides_->target || sides_->types_differ); }
  const std::vector<Type>& inputs() const { return inputs_; }
  // Integers of the source, such as sizes and positions, become elements of a type of at most 16 bits.
  bool narrows() const;

  // Elements of which the rule's conditions hold, as far as such are found.
  std::vector<Tensor> draw(Draw how, std::mt19937& random, double scale = 1) const;
  // Nothing fails where the elements do not meet the rule's conditions on them.
  Found run(std::vector<Tensor> tensors);

 private:
  bool meets(const Tensor& tensor, std::int64_t at, std::size_t input) const;
  void meet(Tensor& tensor, std::size_t input, std::mt19937& random) const;
  std::vector<Rational> near_numbers(std::size_t input) const;

  const Instance& instance_;
  const Assignment& assignment_;
  std::optional<ConcreteSides> sides_;
  std::vector<Type> inputs_;
  std::vector<ElementCondition> every_;  // of these inputs
  std::optional<ExactEvaluator> source_;
  std::optional<ExactEvaluator> target_;
};

}  // namespace vouch
