// The models of `vouch equiv` read and compared, and its options.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "driver/equiv_command.h"
#include "equiv/equiv.h"

namespace vouch {

// What stays the same for all pairs of a run. Inputs that are bad are reported.
bool read_equiv_options(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics);

// The files, by their real paths, that hold weights of the first and of the second model beside these.
using WeightFiles = std::array<std::set<std::string>, 2>;

// Nothing: the input is bad, and what is wrong is reported. `shows_progress`: on a terminal.
std::optional<EquivResult> compare_files(const EquivCommand& command, EquivOptions& options, bool shows_progress,
                                         Diagnostics& diagnostics, WeightFiles* weights = nullptr);

ExitCode code_of(const EquivResult& result);

}  // namespace vouch
