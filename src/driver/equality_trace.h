// The proof that two models are equal as a file, and the check of such files by `vouch verify`:
//
//   {"vouch_equalities": 1,
//    "models": [{"path": "a.onnx", "hash": "…", "weights": [{"path": "a.bin", "hash": "…"}]},     relative to the file's folder;
//               {"path": "b.onnx", "hash": "…"}],                              `weights` where some lie in files of their own
//    "map": {…}, "sizes": {…}, "exact": false, "fold_tolerance": 1e-6 or null,
//    "verdict": "equal (real)", "fold_bound": 0.0,
//    "steps": [{"tensor": {"model": "second", "name": "y"}, "equals": {…}, "node": 41, "other": 17, "by": "congruence"}, …,
//              {…, "by": "region", "algebra": "exact", "region": "…",
//               "cuts": [[[3], [3, 30], false], …]}]}      per input of the region: nodes of both sides, are its elements used
//
// Nodes are ids in the order of creation, of both models as one graph. `region` is for people: the proof is that of the cuts. All
// else is compared with what the steps give.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "driver/equiv_command.h"
#include "driver/equiv_files.h"
#include "equiv/equiv.h"
#include "support/diagnostic.h"

namespace vouch {

inline constexpr std::string_view kEqualitiesEnding = ".equalities.json";

// Nothing, with a diagnostic, if a model cannot be read again.
std::optional<nlohmann::ordered_json> equality_trace(const EquivCommand& command, const EquivOptions& options,
                                                     const EquivResult& result, const WeightFiles& weights,
                                                     Diagnostics& diagnostics);

struct EqualityCheck {
  std::string folder;
  std::string file;
  std::string verdict;                  // as the file claims it
  std::vector<std::string> conditions;  // under which it is claimed
  std::size_t steps = 0;
  bool holds = false;
  std::string reason;  // why not
  double seconds = 0;
};
// Goes through each file of that ending in the folder again. `covered` is told these and the models in the folder with their
// weights.
std::vector<EqualityCheck> check_equalities(const std::string& folder, std::set<std::string>& covered);

}  // namespace vouch
