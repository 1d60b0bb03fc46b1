#include "rule/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rule/foreign.h"
#include "support/plain_text.h"

namespace vouch {
namespace {

// Longest first, so that the first that fits is the token.
constexpr std::array<std::string_view, 25> kMarks = {"//", "==", "!=", "<=", ">=", "..", "++", "(", ")", "{", "}", "[", "]",
                                                     "<",  ">",  "=",  "+",  "-",  "*",  "/",  "%", ",", ";", ":", "."};
constexpr std::size_t kLongestNumber = 400;
constexpr std::size_t kMostErrors = 50;  // then the file is no rule text

// What a character may begin, or go on with.
constexpr std::uint8_t kLetter = 1;
constexpr std::uint8_t kDigit = 2;
constexpr std::uint8_t kBlank = 4;
constexpr std::uint8_t kWhole = 8;  // a mark by itself, that begins no other
constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> out{};
  for (unsigned c = 0; c < 26; ++c) {
    out['a' + c] = out['A' + c] = kLetter;
  }
  out['_'] = kLetter;
  for (unsigned c = 0; c < 10; ++c) {
    out['0' + c] = kDigit;
  }
  for (char c : std::string_view(" \n\t\r")) {
    out[static_cast<unsigned char>(c)] = kBlank;
  }
  for (std::string_view mark : kMarks) {
    auto begun = std::count_if(kMarks.begin(), kMarks.end(), [&](std::string_view m) { return m[0] == mark[0]; });
    out[static_cast<unsigned char>(mark[0])] = mark.size() == 1 && begun == 1 ? kWhole : 0;
  }
  return out;
}();

bool is_a(char c, std::uint8_t classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }
bool is_digit(char c) { return is_a(c, kDigit); }

std::string quoted_text(std::string_view text) { return text.front() == '\'' ? std::string(text) : fmt::format("'{}'", text); }

class Lexer {
 public:
  Lexer(const SourceRef& source, Diagnostics& diagnostics) : source_(source), text_(source->text()), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 3);  // rules have a token for each four characters
    std::size_t most_errors = diagnostics_.error_count() + kMostErrors;
    for (skip_blanks(); at_ < text_.size() && diagnostics_.error_count() < most_errors; skip_blanks()) {
      char c = text_[at_];
      if (is_a(c, kLetter)) {
        lex_name();
      } else if (is_digit(c)) {
        lex_number();
      } else if (c == '"') {
        lex_string();
      } else {
        lex_mark();
      }
    }
    push(TokenKind::End, at_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Span span_from(std::size_t begin) const { return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}; }

  void push(TokenKind kind, std::size_t begin) { tokens_.push_back({kind, text_.substr(begin, at_ - begin), span_from(begin)}); }

  bool comment_may_stand() const {
    if (tokens_.empty()) {
      return true;
    }
    const Token& last = tokens_.back();
    return last.is(";") || last.is("{") || last.is("}") || last.is(",") ||
           text_.substr(last.span.end, at_ - last.span.end).find('\n') != std::string_view::npos;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_a(text_[at_], kBlank)) {
        ++at_;
      } else if (text_[at_] == '#' || (text_[at_] == '/' && peek(1) == '/' && comment_may_stand())) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void lex_name() {
    std::size_t begin = at_;
    while (at_ < text_.size() && is_a(text_[at_], kLetter | kDigit)) {
      ++at_;
    }
    push(TokenKind::Name, begin);
  }

  void skip_digits() {
    while (is_digit(peek())) {
      ++at_;
    }
  }

  void lex_number() {
    std::size_t begin = at_;
    TokenKind kind = TokenKind::Int;
    skip_digits();
    if (peek() == '.' && is_digit(peek(1))) {
      kind = TokenKind::Real;
      ++at_;
      skip_digits();
    }
    std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
      kind = TokenKind::Real;
      at_ += 1 + sign;
      std::size_t exponent = at_;
      skip_digits();
      if (at_ - exponent > 3) {
        diagnostics_.error(source_, span_from(begin), "the exponent of this number has more than 3 digits");
        return push(TokenKind::Bad, begin);
      }
    }
    if (at_ - begin > kLongestNumber) {
      diagnostics_.error(source_, span_from(begin), fmt::format("this number has more than {} digits", kLongestNumber));
      return push(TokenKind::Bad, begin);
    }
    push(kind, begin);
  }

  void lex_string() {
    std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && peek(1) != '\n' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (peek() != '"') {
      diagnostics_.error(source_, span_from(begin), "this string has no end on its line", "close it with \"");
      return push(TokenKind::Bad, begin);
    }
    ++at_;
    push(TokenKind::String, begin);
  }

  void lex_mark() {
    std::size_t begin = at_;
    if (is_a(text_[at_], kWhole)) {
      ++at_;
      return push(TokenKind::Punct, begin);
    }
    for (std::string_view mark : kMarks) {
      if (text_[at_] == mark.front() && text_.substr(at_, mark.size()) == mark) {
        at_ += mark.size();
        push(TokenKind::Punct, begin);
        return;
      }
    }
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80) {
      ++at_;  // a run of bytes outside ASCII is one error
    }
    std::string_view sign = text_.substr(begin, 2);
    std::size_t quoted =
        text_[begin] == '\'' ? text_.substr(0, text_.find('\n', begin)).find('\'', begin + 1) : std::string_view::npos;
    if (quoted != std::string_view::npos) {
      at_ = quoted + 1;
    } else {
      at_ += at_ != begin ? 0 : sign == "&&" || sign == "||" ? 2 : 1;
    }
    unsigned char byte = static_cast<unsigned char>(text_[begin]);
    diagnostics_.error(source_, span_from(begin),
                       byte < 0x20 || byte == 0x7f
                           ? fmt::format("a byte {:#04x} does not belong in a rule", byte)
                           : fmt::format("{} does not belong in a rule", quoted_text(text_.substr(begin, at_ - begin))),
                       std::string(meant_by(text_.substr(begin, quoted != std::string_view::npos ? 1 : at_ - begin))));
    push(TokenKind::Bad, begin);
  }

  const SourceRef& source_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> lex(const SourceRef& source, Diagnostics& diagnostics) {
  return reads_as_it_looks(source, diagnostics) ? Lexer(source, diagnostics).run() : std::vector<Token>{{TokenKind::End, {}, {}}};
}

std::string string_of(const Token& token) {
  std::string out;
  std::string_view inside = token.text.substr(1, token.text.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\' && i + 1 < inside.size()) {
      char c = inside[++i];
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    } else {
      out += inside[i];
    }
  }
  return out;
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::Name:
    case TokenKind::Punct:
    case TokenKind::Bad: return fmt::format("'{}'", token.text);
    case TokenKind::Int:
    case TokenKind::Real: return fmt::format("number '{}'", token.text);
    case TokenKind::String: return fmt::format("string {}", token.text);
    case TokenKind::End: return "end of file";
  }
  return "end of file";
}

}  // namespace vouch
