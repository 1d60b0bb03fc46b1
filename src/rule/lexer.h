// Tokens of rule texts. `//` starts a comment, which ends with its line, where one may stand: at the start of a line and
// after `;`, `{`, `}` and `,`; elsewhere it is floor division.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace vouch {

enum class TokenKind : std::uint8_t {
  Name,    // letters, digits and `_`, not starting with a digit
  Int,     // digits
  Real,    // digits with a fraction or an exponent
  String,  // in double quotes, with \" \\ \n \t
  Punct,   // a mark
  Bad,     // reported already
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  // as written, within the source
  Span span;

  // The mark is not empty.
  bool is(std::string_view mark) const {
    return text.size() == mark.size() && text[0] == mark[0] && (kind == TokenKind::Punct || kind == TokenKind::Name) &&
           text == mark;
  }
};

// All tokens, the last one End. Characters and strings that make no token are reported.
std::vector<Token> lex(const SourceRef& source, Diagnostics& diagnostics);

// The text between the quotes of a String token, escapes resolved.
std::string string_of(const Token& token);

// `'let'`, `number '1.5'`, `end of file`: for messages.
std::string describe(const Token& token);

}  // namespace vouch
