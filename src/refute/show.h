// A counterexample for people: sizes and attributes, small labelled matrices, where the two sides differ and by what.
#pragma once

#include <string>

#include "refute/refute.h"

namespace vouch {

// `x: float32[2, 3]` and its rows; tensors of higher rank as one matrix for each position of their outer axes.
std::string show_tensor(const std::string& name, const Tensor& tensor);

// Several lines, each indented by two spaces.
std::string show_counterexample(const Counterexample& counterexample);

// The same, with what its rule left unsaid.
std::string show_counterexample(const Counterexample& counterexample, const Rule& rule);

// `out0[1, 2]: 3 in the source, 5 in the target`.
std::string show_difference(const Counterexample& counterexample);

}  // namespace vouch
