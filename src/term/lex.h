// Tokens of the text form of terms.
#pragma once

#include <string>
#include <string_view>

#include "support/source.h"

namespace vouch {

enum class TermTokenKind : std::uint8_t { Whole, Decimal, Name, Punctuation, End, Bad };

struct TermToken {
  TermTokenKind kind = TermTokenKind::End;
  std::string text;  // of a quoted name: what is between the backquotes
  Span span;
  bool quoted = false;
};

// The token at or after `offset`; `Bad` for a character that begins none.
TermToken next_token(std::string_view text, std::uint32_t offset);

}  // namespace vouch
