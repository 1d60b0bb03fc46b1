// Exact evaluation of terms: integers over the integers, scalars over the rationals, with guaranteed enclosures where a
// function is transcendental. What has no value says why; nothing is guessed.
//
// Only what is needed is evaluated: `select` its chosen branch, `and` and `or` from left to right until decided, the
// body of a reduction where its guard holds. A negative extent is an empty range.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>

#include "term/exact_number.h"
#include "term/term.h"

namespace vouch {

enum class EvalProblem : std::uint8_t {
  Unbound,         // a variable without value
  DivisionByZero,  // `//`, `%`, `/`, or a power of zero
  OutOfRange,      // a read outside of a tensor, or of an unknown one
  Undefined,       // log(-1), infinity minus infinity, an index from data that is no integer
  Undecided,       // enclosures overlap in a comparison: more bits may decide it
  TooLarge,        // more steps or longer numbers than allowed
};

struct EvalFailure {
  EvalProblem problem = EvalProblem::Undefined;
  std::string message;
};

template <class T>
using Evaluated = std::variant<T, EvalFailure>;

struct EvalEnvironment {
  std::unordered_map<Symbol, Integer> integers;  // sizes, attributes, indices
  std::unordered_map<Symbol, Rational> scalars;
  // The element at these indices; nothing if there is none.
  std::function<std::optional<ExactNumber>(Symbol tensor, std::span<const std::int64_t> indices)> read;
  int bits = 96;                     // of enclosures
  std::int64_t steps = 100'000'000;  // nodes evaluated before giving up
};

Evaluated<Integer> eval_int(Term term, const EvalEnvironment& environment);
Evaluated<bool> eval_guard(Term guard, const EvalEnvironment& environment);
Evaluated<Enclosure> eval_scalar(Term term, const EvalEnvironment& environment);

// One scalar term at many values of some integer variables: what does not depend on them is evaluated once.
// `environment` must outlive it; its `steps` count for all points together.
class PointEvaluator {
 public:
  PointEvaluator(Term term, std::span<const Symbol> indices, const EvalEnvironment& environment);
  ~PointEvaluator();
  Evaluated<ExactNumber> at(std::span<const std::int64_t> point);

 private:
  class Program;
  std::unique_ptr<Program> program_;
};

enum class Told : std::uint8_t { Equal, Different, Unknown };
// Evaluates both with more and more bits (up to `max_bits`) until they are exactly equal, certainly different, or fail.
using ScalarAtBits = std::function<Evaluated<Enclosure>(int bits)>;
Told tell_apart(const ScalarAtBits& a, const ScalarAtBits& b, int max_bits = 4096);

}  // namespace vouch
