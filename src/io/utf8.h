// Texts that came from outside: whether they are UTF-8 (RFC 3629), and how to show them if not.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

bool is_utf8(std::string_view text);

// With `\xNN` for each byte beyond ASCII and each control character.
std::string in_ascii(std::string_view text);

}  // namespace vouch
