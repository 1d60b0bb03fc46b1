// What is shipped beside the program or library that this code lies in: in a build tree beside it, in an installed tree in
// `share/vouch`, in the Python package within it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

// The folder of the file that this code lies in: the command, the shared library, or the Python module.
std::filesystem::path own_folder();

// The folder of the shipped rules; an error says where it was looked for.
std::optional<std::string> shipped_rules(Diagnostics& diagnostics);

// The rules of the files and folders that are named (driver/model.h), or the shipped ones where none is.
std::optional<std::vector<Rule>> load_named_or_shipped(const std::vector<std::string>& named, Diagnostics& diagnostics);

}  // namespace vouch
