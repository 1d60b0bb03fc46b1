// The subcommand check: a verdict for each rule.
#pragma once

#include "driver/exit_code.h"

namespace CLI {
class App;
}

namespace vouch {

void add_check_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
