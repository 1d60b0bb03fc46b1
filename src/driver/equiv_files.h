// The models of `vouch equiv` read and compared, and its options.
#pragma once

#include <optional>

#include "driver/equiv_command.h"
#include "equiv/equiv.h"

namespace vouch {

// What stays the same for all pairs of a run. Inputs that are bad are reported.
bool read_equiv_options(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics);

// Nothing: the input is bad, and what is wrong is reported. `shows_progress`: on a terminal.
std::optional<EquivResult> compare_files(const EquivCommand& command, EquivOptions& options, bool shows_progress,
                                         Diagnostics& diagnostics);

ExitCode code_of(const EquivResult& result);

}  // namespace vouch
