// Tokens of program texts (.fun). `#` begins a comment, to the end of the line.
#pragma once

#include <string>
#include <string_view>

#include "support/source.h"

namespace vouch::array {

enum class TokenKind : std::uint8_t { Whole, Decimal, Name, Punctuation, End, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  Span span;
};

// The token at or after `offset`. Whole: `12`; Decimal: any other literal, as in `0.5`, `1e-3`, `0x3p-2`.
Token next_token(std::string_view text, std::uint32_t offset);

// Words of the language; no variable has one of these names.
bool is_keyword(std::string_view word);

}  // namespace vouch::array
