#include "support/displayable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace vouch {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Unicode 15: format characters, separators of lines and paragraphs, tags.
constexpr std::array<std::pair<char32_t, char32_t>, 11> kHidden = {{{0x80, 0x9F},
                                                                    {0xAD, 0xAD},
                                                                    {0x61C, 0x61C},
                                                                    {0x115F, 0x1160},
                                                                    {0x180E, 0x180E},
                                                                    {0x200B, 0x200F},
                                                                    {0x2028, 0x202E},
                                                                    {0x2060, 0x206F},
                                                                    {0x3164, 0x3164},
                                                                    {0xFEFF, 0xFEFF},
                                                                    {0xE0000, 0xE007F}}};

}  // namespace

std::size_t character_length(std::string_view text) {
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

char32_t code_point(std::string_view character) {
  auto code = static_cast<unsigned char>(character[0]) & (character.size() == 1 ? 0x7FU : 0x7FU >> character.size());
  for (char c : character.substr(1)) {
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return code;
}

bool is_hidden(char32_t code) {
  bool control = (code < 0x20 && code != '\t' && code != '\n') || code == 0x7F;
  return control || std::any_of(kHidden.begin(), kHidden.end(),
                                [&](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string displayable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = character_length(text);
    bool shown = length != 0 && !is_hidden(code_point(text.substr(0, length)));
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
