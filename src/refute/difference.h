// Where two graphs over the same inputs differ, in exact arithmetic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/exact.h"
#include "refute/refute.h"

namespace vouch {

struct ExactDifference {
  Failing failing = Failing::Differs;
  std::size_t output = 0;
  std::vector<std::int64_t> index;
  Enclosure source;
  Enclosure target;
  std::string reason;  // Undefined: why the target has no value
};

struct Comparison {
  std::optional<ExactDifference> difference;  // the first in the order of outputs and elements
  std::size_t elements = 0;                   // that have a value on both sides
  std::size_t undefined = 0;                  // that have none in the source, whatever the precision
};

// Conversions round, other calls do not; where conversions take part, a difference counts that is there over the reals as well,
// or where each call rounds what it stores. Elements that the source does not define, and those that enclosures leave open, say
// nothing.
Comparison compare_exactly(ExactEvaluator& source, ExactEvaluator& target, const std::vector<ExactTensor>& inputs);

}  // namespace vouch
