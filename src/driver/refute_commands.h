// The subcommands about wrong rules: refute, replay, import-rules.
#pragma once

#include "driver/exit_code.h"

namespace CLI {
class App;
}

namespace vouch {

void add_refute_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
