// Places as the Language Server Protocol counts them: lines from 0, UTF-16 code units within a line.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "support/source.h"

namespace vouch {

struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
};

TextPosition position_of(std::string_view text, std::uint32_t offset);
// The nearest offset of the text: beyond the end of a line is its end.
std::uint32_t offset_of(std::string_view text, TextPosition position);

nlohmann::ordered_json range_json(std::string_view text, Span span);

}  // namespace vouch
