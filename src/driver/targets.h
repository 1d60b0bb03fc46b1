// Processors that a C text has versions for (imp/print_versions.h), as commands and manifests say them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace vouch {

// What `--targets` says, with commas, in the order of versions; none if it says nothing. Errors: what are no such words.
std::optional<std::vector<std::string>> targets_of(const std::string& text, Diagnostics& diagnostics);
// What a manifest says: each once and in the order of their numbers, the generic one first.
std::optional<std::vector<std::string>> read_targets(const nlohmann::ordered_json& json);

}  // namespace vouch
