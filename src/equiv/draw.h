// Inputs for simulation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

struct Range {
  double low = 0;
  double high = 0;
};

// How the elements of a round are drawn, and how large the sizes are that the models leave open (2, if they are not there).
struct DrawStyle {
  std::uint64_t seed = 0;
  Range floats;
  double zeros = 0;           // the share of elements that are 0
  std::int64_t integers = 2;  // whole numbers below this, from 0
  std::map<Symbol, std::int64_t> sizes;
  bool all_narrow = false;  // but of 8 and 16 bits, which are numbers and no positions: any of the type
};

// `ranges`: what is assumed of inputs, by name. Nothing if an input is no tensor, or too large.
std::optional<std::vector<Tensor>> draw_inputs(const Graph& graph, const DrawStyle& style,
                                               const std::map<std::string, Range>& ranges);

}  // namespace vouch
