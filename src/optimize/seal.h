// Seals on what is kept between runs: a line with an HMAC-SHA-256 of all that follows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vouch {

// The user's key, made when it is first asked for and readable by the user alone: in the file $VOUCH_KEY, otherwise in the user's
// state folder (io/cache_folder.h). Empty if there is no place for it, or if it is not this user's, or others may read it.
std::string seal_key();

std::string sealed(std::string_view key, std::string_view body);
// What was sealed; nothing if the seal is not that of this key over this text.
std::optional<std::string> unsealed(std::string_view key, std::string_view text);

}  // namespace vouch
