// Places as the Language Server Protocol counts them: lines from 0, UTF-16 code units within a line.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace vouch {

struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
};

// Places of one text, each found in the same time wherever it lies: a document may have thousands of ranges.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text);

  TextPosition position_of(std::uint32_t offset) const;
  nlohmann::ordered_json range(Span span) const;

 private:
  std::string_view text_;
  std::vector<TextPosition> marks_;  // of every kStride-th byte
};

// The nearest offset of the text: beyond the end of a line is its end.
std::uint32_t offset_of(std::string_view text, TextPosition position);

}  // namespace vouch
