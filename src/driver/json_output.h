// What a command found, for machines: the option `--json FILE` of every command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "support/diagnostic.h"

namespace vouch {

// Standard output belongs to the JSON text; what is for people is not printed.
inline bool json_alone(const std::string& file) { return file == "-"; }

// Writes `value` to `file`, or to standard output for `-`; nothing for an empty name. False, with a diagnostic, if the
// file cannot be written.
bool give_json(const std::string& file, const nlohmann::ordered_json& value, Diagnostics& diagnostics);

// [{"severity", "message", "hint"?, "file", "line", "column", "end_line", "end_column"} or {…, "place"}]; columns count bytes
// from 1.
nlohmann::ordered_json diagnostics_json(const Diagnostics& diagnostics);

}  // namespace vouch
