// Counterexamples in files, to be run again by `vouch replay`:
//
//   {"counterexample": 1, "rule": "…", "failing": "differs" | "undefined" | "types" | "ill_typed", "at": "…", "reason": "…",
//    "source": GRAPH, "target": GRAPH or null, "inputs": [TENSOR, …],
//    "output": 0, "index": [1, 2], "source_value": "3", "target_value": "5", "text"?: "for people"}
//
// GRAPH and TENSOR as in io/graph_json.h. Both graphs have the inputs in order.
#pragma once

#include <optional>
#include <string>

#include "refute/refute.h"

namespace vouch {

struct SavedCounterexample {
  std::string rule;
  Counterexample counterexample;
};

std::optional<std::string> print_counterexample(const std::string& rule, const Counterexample& counterexample,
                                                Diagnostics& diagnostics);
bool write_counterexample(const std::string& rule, const Counterexample& counterexample, const std::string& path,
                          Diagnostics& diagnostics);
std::optional<SavedCounterexample> read_counterexample(const std::string& path, Diagnostics& diagnostics);

}  // namespace vouch
