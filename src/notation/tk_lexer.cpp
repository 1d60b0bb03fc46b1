#include "notation/tk_lexer.h"

#include <array>

namespace vouch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t number_end(std::string_view text, std::size_t at, TkTokenKind& kind) {
  kind = TkTokenKind::Whole;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    kind = TkTokenKind::Decimal;
    ++at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
  }
  std::size_t exponent = at + 1;
  exponent += exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+') ? 1 : 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E') && exponent < text.size() && is_digit(text[exponent])) {
    kind = TkTokenKind::Decimal;
    at = exponent;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
  }
  return at;
}

}  // namespace

TkToken next_tk_token(std::string_view text, std::uint32_t offset) {
  std::size_t at = offset;
  while (at < text.size() && (is_space(text[at]) || text[at] == '#')) {
    if (text[at] == '#') {
      while (at < text.size() && text[at] != '\n') {
        ++at;
      }
    } else {
      ++at;
    }
  }
  auto make = [&](TkTokenKind kind, std::size_t end) {
    Span span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
    return TkToken{kind, text.substr(at, end - at), span};
  };
  if (at >= text.size()) {
    return make(TkTokenKind::End, at);
  }
  if (is_digit(text[at])) {
    TkTokenKind kind;
    std::size_t end = number_end(text, at, kind);
    return make(kind, end);
  }
  if (is_letter(text[at])) {
    std::size_t end = at;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) {
      ++end;
    }
    return make(TkTokenKind::Name, end);
  }
  static constexpr std::array<std::string_view, 7> kPairs = {"//", "<=", ">=", "==", "!=", "&&", "||"};
  for (std::string_view pair : kPairs) {
    if (text.substr(at, 2) == pair) {
      return make(TkTokenKind::Punctuation, at + 2);
    }
  }
  bool known = std::string_view("+-*/%<>=()[],;!").find(text[at]) != std::string_view::npos;
  return make(known ? TkTokenKind::Punctuation : TkTokenKind::Bad, at + 1);
}

}  // namespace vouch
