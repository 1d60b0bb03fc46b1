// Tokens of GSL texts. Comments run from `//` to the end of the line only where a comment may stand: after the start of a
// line, `;`, `{`, `}` or `,`; elsewhere `//` is floor division.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

enum class TokenKind : std::uint8_t { Name, Number, Text, Mark, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  // of Text: the content, escapes resolved
  Span span;
};

// Ends in an End token. Reports characters that no token begins with.
std::vector<Token> tokenize(const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
