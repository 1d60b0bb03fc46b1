// Where a path leads.
#pragma once

#include <string>

namespace vouch {

// Does a path lead into a folder, or to it, links followed? Also where that cannot be told.
bool lies_in(const std::string& path, const std::string& folder);

}  // namespace vouch
