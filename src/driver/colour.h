// Colour on terminals: none where standard output is none, where NO_COLOR is set (no-color.org), or TERM is `dumb`.
#pragma once

#include <string>
#include <string_view>

namespace vouch {

enum class Colour : std::uint8_t { Good, Bad, Open };

std::string coloured(std::string_view text, Colour colour);

}  // namespace vouch
