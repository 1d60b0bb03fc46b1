#include "io/utf8.h"

#include <fmt/format.h>

#include <cstdint>

#include "support/displayable.h"

namespace vouch {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::size_t length = character_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string in_ascii(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<std::uint8_t>(c);
    out += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out;
}

}  // namespace vouch
