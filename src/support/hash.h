// Content hashes that name rules, models and files in traces, manifests and caches: SHA-256 (FIPS 180-4), OpenSSL's.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

// 64 hexadecimal digits.
std::string content_hash(std::string_view text);

// HMAC-SHA-256 (RFC 2104), 64 hexadecimal digits: only who has the key can make it.
std::string keyed_hash(std::string_view key, std::string_view text);

}  // namespace vouch
