// Doing something again whenever files change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

// Calls `work` once, and then whenever a rule file of these paths (files or folders) is changed, made or removed: looks four
// times a second. Ends by a signal only.
ExitCode watch_rules(const std::vector<std::string>& paths, const std::function<void()>& work);

}  // namespace vouch
