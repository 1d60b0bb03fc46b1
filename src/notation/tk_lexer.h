// Tokens of kernels in index notation. `#` begins a comment that ends with the line.
#pragma once

#include "support/source.h"

namespace vouch {

enum class TkTokenKind : std::uint8_t { Whole, Decimal, Name, Punctuation, End, Bad };

struct TkToken {
  TkTokenKind kind = TkTokenKind::End;
  std::string_view text;
  Span span;
};

// The token at or after `offset`.
TkToken next_tk_token(std::string_view text, std::uint32_t offset);

}  // namespace vouch
