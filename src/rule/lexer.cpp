#include "rule/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace vouch {
namespace {

constexpr std::array<std::string_view, 8> kLongMarks = {"//", "==", "!=", "<=", ">=", "++", "=>", ".."};
constexpr std::string_view kMarks = "(){}[],;:=.+-*/%<>";

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  Lexer(const SourceRef& source, Diagnostics& diagnostics)
      : source_(source), text_(source->text()), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (skip_space(), at_ < text_.size()) {
      char c = text_[at_];
      if (begins_name(c)) {
        take(TokenKind::Name, [](char d) { return continues_name(d); });
      } else if (is_digit(c)) {
        number();
      } else if (c == '"') {
        text();
      } else {
        mark();
      }
    }
    auto end = static_cast<std::uint32_t>(text_.size());
    tokens_.push_back({TokenKind::End, "", {end, end}});
    return std::move(tokens_);
  }

 private:
  bool comment_may_stand() const {
    if (tokens_.empty() || text_.substr(tokens_.back().span.end, at_ - tokens_.back().span.end).find('\n') !=
                               std::string_view::npos) {
      return true;
    }
    const Token& last = tokens_.back();
    return last.kind == TokenKind::Mark && (last.text == ";" || last.text == "{" || last.text == "}" || last.text == ",");
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//" && comment_may_stand()) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void push(TokenKind kind, std::size_t begin, std::string text) {
    tokens_.push_back({kind, std::move(text), {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}});
  }

  template <class Continues>
  void take(TokenKind kind, Continues continues) {
    std::size_t begin = at_;
    while (at_ < text_.size() && continues(text_[at_])) {
      ++at_;
    }
    push(kind, begin, std::string(text_.substr(begin, at_ - begin)));
  }

  // `12`, `1.5`, `1e-5`; a point only before a digit, so that `x.0` and `0..4` stay apart.
  void number() {
    std::size_t begin = at_;
    auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) {
        ++at_;
      }
    };
    digits();
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t exponent = at_ + 1;
      exponent += exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+');
      if (exponent < text_.size() && is_digit(text_[exponent])) {
        at_ = exponent;
        digits();
      }
    }
    push(TokenKind::Number, begin, std::string(text_.substr(begin, at_ - begin)));
  }

  void text() {
    std::size_t begin = at_++;
    std::string content;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size();
      content += text_[at_++];
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
    } else {
      diagnostics_.error(source_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)},
                         "a text without its closing quote", "texts end on the line that they begin on");
    }
    push(TokenKind::Text, begin, std::move(content));
  }

  void mark() {
    std::size_t begin = at_;
    for (std::string_view mark : kLongMarks) {
      if (text_.substr(at_, 2) == mark) {
        at_ += 2;
        return push(TokenKind::Mark, begin, std::string(mark));
      }
    }
    ++at_;
    if (kMarks.find(text_[begin]) != std::string_view::npos) {
      return push(TokenKind::Mark, begin, std::string(1, text_[begin]));
    }
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U) {
      ++at_;  // the rest of one UTF-8 character
    }
    diagnostics_.error(source_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)},
                       fmt::format("unexpected character '{}'", text_.substr(begin, at_ - begin)));
  }

  SourceRef source_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const SourceRef& source, Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).run();
}

}  // namespace vouch
