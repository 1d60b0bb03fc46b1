#include "array/lex.h"

#include <algorithm>
#include <array>

namespace vouch::array {
namespace {

constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"kernel", "where", "map",    "reduce", "generate", "fold", "let", "in",   "with",   "if",    "then", "else",  "and", "or",
     "not",    "seq",   "par",    "vec",    "unroll",   "into", "zip", "cat",  "mem",    "fill",  "num",  "size",  "inf", "apply",
     "neg",    "abs",   "sqrt",   "exp",    "log",      "tanh", "erf", "sin",  "cos",    "floor", "ceil", "round", "max", "min",
     "pow",    "fma",   "select", "add",    "sub",      "mul",  "div", "less", "lesseq", "equal", "sizes"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

std::uint32_t skip_space(std::string_view text, std::uint32_t at) {
  while (at < text.size()) {
    if (text[at] == '#') {
      at = static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
    } else if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

template <class Accepts>
std::uint32_t run_of(std::string_view text, std::uint32_t at, Accepts accepts) {
  while (at < text.size() && accepts(text[at])) {
    ++at;
  }
  return at;
}

// After a mantissa: `mark`, perhaps a sign, digits; `at` itself if they are not there.
std::uint32_t exponent_end(std::string_view text, std::uint32_t at, char mark) {
  if (at >= text.size() || text[at] != mark) {
    return at;
  }
  std::uint32_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '-' || text[digits] == '+')) {
    ++digits;
  }
  std::uint32_t end = run_of(text, digits, is_digit);
  return end == digits ? at : end;
}

Token number_token(std::string_view text, std::uint32_t begin) {
  auto token = [&](TokenKind kind, std::uint32_t end) {
    return Token{kind, std::string(text.substr(begin, end - begin)), {begin, end}};
  };
  if (text.substr(begin, 2) == "0x") {
    std::uint32_t mantissa = run_of(text, begin + 2, is_hex_digit);
    std::uint32_t end = exponent_end(text, mantissa, 'p');
    return token(mantissa == begin + 2 || end == mantissa ? TokenKind::Bad : TokenKind::Decimal, end);
  }
  std::uint32_t whole = run_of(text, begin, is_digit);
  std::uint32_t end = whole;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    end = run_of(text, end + 1, is_digit);
  }
  end = exponent_end(text, end, 'e');
  return token(end == whole ? TokenKind::Whole : TokenKind::Decimal, end);
}

}  // namespace

Token next_token(std::string_view text, std::uint32_t offset) {
  std::uint32_t begin = skip_space(text, offset);
  auto token = [&](TokenKind kind, std::uint32_t end) {
    return Token{kind, std::string(text.substr(begin, end - begin)), {begin, end}};
  };
  if (begin >= text.size()) {
    return token(TokenKind::End, begin);
  }
  char c = text[begin];
  if (is_digit(c)) {
    return number_token(text, begin);
  }
  if (is_letter(c)) {
    return token(TokenKind::Name, run_of(text, begin, [](char d) { return is_letter(d) || is_digit(d); }));
  }
  for (std::string_view two : {"->", "<=", "=="}) {
    if (text.substr(begin, 2) == two) {
      return token(TokenKind::Punctuation, begin + 2);
    }
  }
  bool known = std::string_view("()[]{},.:;=<+-*/%@").find(c) != std::string_view::npos;
  return token(known ? TokenKind::Punctuation : TokenKind::Bad, begin + 1);
}

bool is_keyword(std::string_view word) { return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end(); }

}  // namespace vouch::array
