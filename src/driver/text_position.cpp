#include "driver/text_position.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vouch {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// Code units of the character that begins with this byte: two beyond the Basic Multilingual Plane.
std::uint32_t units(char c) { return continues(c) ? 0 : static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1; }

}  // namespace

TextPosition position_of(std::string_view text, std::uint32_t offset) {
  TextPosition out;
  for (std::size_t at = 0; at < std::min<std::size_t>(offset, text.size()); ++at) {
    out = text[at] == '\n' ? TextPosition{out.line + 1, 0} : TextPosition{out.line, out.character + units(text[at])};
  }
  return out;
}

std::uint32_t offset_of(std::string_view text, TextPosition position) {
  std::size_t at = 0;
  for (std::uint32_t line = 0; line < position.line && at < text.size(); ++line) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  for (std::uint32_t seen = 0; at < text.size() && text[at] != '\n' && seen < position.character; ++at) {
    seen += units(text[at]);
  }
  while (at < text.size() && continues(text[at])) {
    ++at;
  }
  return static_cast<std::uint32_t>(at);
}

nlohmann::ordered_json range_json(std::string_view text, Span span) {
  TextPosition begin = position_of(text, span.begin);
  TextPosition end = position_of(text, std::max(span.begin, span.end));
  return {{"start", {{"line", begin.line}, {"character", begin.character}}},
          {"end", {{"line", end.line}, {"character", end.character}}}};
}

}  // namespace vouch
