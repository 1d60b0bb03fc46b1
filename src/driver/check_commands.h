// `vouch check RULES…`: proves rules for all sizes, attributes and values, or refutes them.
#pragma once

#include <CLI/CLI.hpp>

#include "driver/exit_code.h"

namespace vouch {

// Adds the subcommand; its callback sets `code`: 0 all sound, 1 some unsound or ill-typed, 2 some unknown or vacuous.
void add_check_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
