// What `vouch --version` prints: the version, and what the command was built from and with. No dates and no paths: the same
// sources and tools give the same bytes.
#pragma once

#include <string>

namespace vouch {

std::string build_facts();

}  // namespace vouch
