#include "support/displayable.h"

#include <algorithm>
#include <cstdint>

namespace vouch {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the character that begins here (The Unicode Standard 15, table 3-7); 0 if none does.
std::size_t character(std::string_view text) {
  auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  unsigned first = byte(0);
  std::size_t length = first < 0x80                    ? 1
                       : first >= 0xC2 && first < 0xE0 ? 2
                       : (first & 0xF0U) == 0xE0       ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;
  if (length == 0 || text.size() < length) {
    return 0;
  }
  std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80) {
      return 0;
    }
    code = code << 6U | (byte(k) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xD800 && code < 0xE000;
  bool nothing = code == 0xFFFE || code == 0xFFFF;
  return code < kLeast[length] || code > 0x10FFFF || surrogate || nothing ? 0 : length;
}

bool is_control(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  bool second_set = first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;  // U+0080 to U+009F
  return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7F || second_set;
}

}  // namespace

std::string displayable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = character(text);
    bool shown = length != 0 && !is_control(text.substr(0, length));
    out += shown ? text.substr(0, length) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return std::string(text);
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80) {
    --most;
  }
  return std::string(text.substr(0, most)) + "…";
}

}  // namespace vouch
