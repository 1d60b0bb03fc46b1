#include "io/utf8.h"

#include <fmt/format.h>

#include <cstdint>

namespace vouch {
namespace {

// The number of bytes of the character that begins here; 0 if none does.
std::size_t character_length(std::string_view text) {
  auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[k]); };
  std::uint8_t first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) {
    return 0;
  }
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // Longer than need be, surrogates, beyond U+10FFFF.
  bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
               (first == 0xf4 && byte(1) > 0x8f);
  return wrong ? 0 : length;
}

}  // namespace

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
