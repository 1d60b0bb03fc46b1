// Content hashes that name rules, operator definitions and files in traces and caches: 128 bits, two independently
// seeded FNV-1a runs with a final mixing. They detect change; they are no defence against a forger.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// 32 hexadecimal digits.
std::string content_hash(std::string_view text);

}  // namespace vouch
