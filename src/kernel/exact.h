// Kernels evaluated exactly, for small tensors: rationals, and guaranteed enclosures where a function is transcendental.
//
// Float tensors hold real numbers, which nothing rounds. Integers are unbounded within a term; where an element of an
// integer type is stored, its value is truncated towards zero and wraps modulo the type's width, as in `eval_kernel`;
// a stored bool is `value != 0`. Functions such as exp are neither rounded nor guessed: their elements are enclosures,
// so two elements are told apart only where the enclosures do not meet, and are equal only where both are exact.
//
// An element that has no value (division by zero, log(-1), a comparison that the enclosures leave open) is missing, with
// its reason; elements that do not depend on it keep theirs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernel/eval.h"
#include "term/eval.h"

namespace vouch {

struct ExactTensor {
  DType dtype = DType::Float32;
  Extents extents;
  std::vector<ExactNumber> values;             // row-major
  std::map<std::size_t, EvalFailure> missing;  // by position, why the element has no value
};

// The exact value of an element; NaN has none.
std::optional<ExactNumber> exact_element(const Tensor& tensor, std::int64_t position);
// Of each element; nothing if one has none.
std::optional<ExactTensor> exact_of(const Tensor& tensor);
// To the nearest element (the middle of an enclosure); no element may be missing.
Tensor rounded(const ExactTensor& tensor);
// The first missing element, as text with its index; null if all elements have values.
const EvalFailure* first_missing(const ExactTensor& tensor);

enum class Rounding : std::uint8_t {
  None,  // a float32 tensor holds any real number
  // What is read into a type of floats from another type is the element nearest to it, as conversions have it. It is missing
  // where that is not told: it was no element of its own type, as nothing else is rounded, or the nearest one is infinite.
  Conversions,
  Stores,  // each element of an output is, as floats are computed
};

struct ExactLimits {
  std::int64_t elements = 1'000'000;  // of all locals and outputs together
  std::int64_t steps = 100'000'000;   // of evaluation, for each statement
  int bits = 96;                      // of enclosures
  Rounding rounding = Rounding::None;
};

// One tensor for each output; missing elements name the kernel and the element. A failure as a whole: a size without
// value, inputs that do not fit, more elements or steps than allowed.
Evaluated<std::vector<ExactTensor>> eval_exact(const Kernel& kernel, std::span<const ExactTensor> inputs,
                                               const SizeBindings& sizes, const ExactLimits& limits = {});

}  // namespace vouch
