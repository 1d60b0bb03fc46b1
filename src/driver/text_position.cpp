#include "driver/text_position.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vouch {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// Code units of the character that begins with this byte: two beyond the Basic Multilingual Plane.
std::uint32_t units(char c) { return continues(c) ? 0 : static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1; }

constexpr std::size_t kStride = 1024;

TextPosition after(TextPosition at, char c) {
  return c == '\n' ? TextPosition{at.line + 1, 0} : TextPosition{at.line, at.character + units(c)};
}

}  // namespace

TextPlaces::TextPlaces(std::string_view text) : text_(text) {
  TextPosition now;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at % kStride == 0) {
      marks_.push_back(now);
    }
    now = after(now, text[at]);
  }
  marks_.push_back(now);
}

TextPosition TextPlaces::position_of(std::uint32_t offset) const {
  std::size_t end = std::min<std::size_t>(offset, text_.size());
  std::size_t mark = end == text_.size() ? marks_.size() - 1 : end / kStride;
  TextPosition out = marks_[mark];
  for (std::size_t at = mark * kStride; at < end && mark + 1 < marks_.size(); ++at) {
    out = after(out, text_[at]);
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

nlohmann::ordered_json TextPlaces::range(Span span) const {
  TextPosition begin = position_of(span.begin);
  TextPosition end = position_of(std::max(span.begin, span.end));
  return {{"start", {{"line", begin.line}, {"character", begin.character}}},
          {"end", {{"line", end.line}, {"character", end.character}}}};
}

}  // namespace vouch
