// JSON of strangers as one value of nlohmann_json, whose own reader copies what it has read, in calls within calls, as members
// come (a deep text ends the process), and looks each key up among all (a wide text takes the square of its length).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "support/diagnostic.h"

namespace vouch {

// What JsonText reports (nesting that is too deep, a member twice) is reported, as of the file `name`, and gives null.
nlohmann::ordered_json whole_json(const std::string& name, const std::string& text, Diagnostics& diagnostics);

// Null where nobody is to know why.
nlohmann::ordered_json whole_json(const std::string& text);

}  // namespace vouch
