#include "term/lex.h"

#include <array>

namespace vouch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Scanner {
 public:
  Scanner(std::string_view text, std::uint32_t offset) : text_(text), at_(offset) {}

  TermToken scan() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
      ++at_;
    }
    begin_ = at_;
    if (at_ >= text_.size()) {
      return token(TermTokenKind::End);
    }
    if (is_digit(peek())) {
      return number();
    }
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek()) || peek() == '.' || peek() == '\'') {
        ++at_;
      }
      return token(TermTokenKind::Name);
    }
    return peek() == '`' ? quoted() : punctuation();
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  TermToken token(TermTokenKind kind) const {
    return {kind, std::string(text_.substr(begin_, at_ - begin_)), {begin_, at_}, false};
  }

  void digits() {
    while (is_digit(peek())) {
      ++at_;
    }
  }

  TermToken number() {
    TermTokenKind kind = TermTokenKind::Whole;
    digits();
    if (peek() == '.' && is_digit(peek(1))) {
      kind = TermTokenKind::Decimal;
      ++at_;
      digits();
    }
    bool sign = peek(1) == '-' || peek(1) == '+';
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
      kind = TermTokenKind::Decimal;
      at_ += sign ? 2 : 1;
      digits();
    }
    return token(kind);
  }

  TermToken quoted() {
    TermToken name{TermTokenKind::Name, {}, {}, true};
    for (++at_; at_ < text_.size() && peek() != '`'; ++at_) {
      at_ += peek() == '\\' && at_ + 1 < text_.size();
      name.text += peek();
    }
    name.kind = at_ < text_.size() ? TermTokenKind::Name : TermTokenKind::Bad;
    at_ += at_ < text_.size();
    name.span = {begin_, at_};
    return name;
  }

  TermToken punctuation() {
    static constexpr std::array<std::string_view, 5> kDouble = {"//", "<=", ">=", "==", "!="};
    for (std::string_view candidate : kDouble) {
      if (text_.substr(at_).starts_with(candidate)) {
        at_ += 2;
        return token(TermTokenKind::Punctuation);
      }
    }
    bool known = std::string_view("+-*/%<>()[],").find(peek()) != std::string_view::npos;
    ++at_;
    return token(known ? TermTokenKind::Punctuation : TermTokenKind::Bad);
  }

  std::string_view text_;
  std::uint32_t at_;
  std::uint32_t begin_ = 0;
};

}  // namespace

TermToken next_token(std::string_view text, std::uint32_t offset) { return Scanner(text, offset).scan(); }

}  // namespace vouch
