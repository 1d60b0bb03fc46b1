// Which rewrite made a model another function: of two models that differ, the second made of the first as a trace says.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/trace_json.h"
#include "equiv/equiv.h"
#include "rule/ast.h"

namespace vouch {

// How a model was made: the steps, and the rules that they name.
struct Making {
  TraceFile file;
  std::vector<Rule> rules;
};

// From the file of a trace, that must have begun with the model, and the rule files that are named (none: the shipped ones).
std::shared_ptr<const Making> read_making(const std::string& trace, const std::string& model,
                                          const std::vector<std::string>& rules, Diagnostics& diagnostics);

// Of models that differ: the steps are done again on the first model as often as it takes to find one before which it gives what
// it gave on the input that tells the two apart, and after which it does not, or that is not what its rule gives. Where no step
// is such, or rules of the trace are not there, the one that made the tensor where the models part, by its name.
// False: the first model cannot be read or run any more.
bool blame_step(const Making& making, const std::string& first, EquivResult& result, Diagnostics& diagnostics);

}  // namespace vouch
