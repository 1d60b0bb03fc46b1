// Scopes as JSON, for the store of verdicts: terms as their text, operators and element types by name.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "rule/scope.h"

namespace vouch {

nlohmann::ordered_json scope_json(const Scope& scope);
// Nothing if it is not what `scope_json` writes.
std::optional<Scope> read_scope(const nlohmann::ordered_json& json);

}  // namespace vouch
