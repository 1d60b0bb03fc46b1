#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "rule/foreign.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "tensor/dtype.h"

namespace vouch {
namespace {

constexpr std::uint32_t kDeepest = 256;
constexpr std::size_t kMostMessages = 100;

// Words that begin an item of a rule, or end one.
constexpr std::array<std::string_view, 11> kItemWords = {"rule",   "let",  "attr", "operator", "where", "source",
                                                         "target", "drop", "rank", "expect",   "yield"};
constexpr std::array<std::string_view, 28> kOtherWords = {
    "variadic", "const", "variable", "if",   "else",    "and",  "or",      "not",     "true",    "false",
    "any",      "as",    "tuple",    "sum",  "product", "all",  "exists",  "minimum", "maximum", "min",
    "max",      "len",   "abs",      "ceil", "floor",   "sqrt", "divides", "permute"};

}  // namespace

bool is_reserved_word(std::string_view word) {
  static const auto* words = [] {
    auto* all = new std::unordered_set<std::string_view>(kItemWords.begin(), kItemWords.end());
    all->insert(kOtherWords.begin(), kOtherWords.end());
    all->insert("_");
    return all;
  }();
  return words->contains(word) || parse_dtype(word);
}

RuleParser::RuleParser(SourceRef text, Diagnostics& diagnostics)
    : text_(std::move(text)), diagnostics_(diagnostics), tokens_(lex(text_, diagnostics)) {}

const Token& RuleParser::advance() {
  const Token& token = peek();
  if (token.kind != TokenKind::End) {
    ++next_;
    last_end_ = token.span.end;
    braces_ += token.is("{");
    braces_ -= token.is("}") && braces_ > 0;
  }
  return token;
}

bool RuleParser::accept(std::string_view mark) {
  if (failing_ || !at(mark)) {
    return false;
  }
  advance();
  return true;
}

bool RuleParser::expect(std::string_view mark, std::string_view where) {
  if (accept(mark)) {
    return true;
  }
  if (mark == ";") {  // shown where it is missing, which is seldom where the next token stands
    bool touches = here() == last_end_;
    bool known = touches || peek().kind == TokenKind::Name || at("[");  // `x.shape(0)`, not a new item
    TokenKind before = tokens_[next_ == 0 ? 0 : next_ - 1].kind;
    if (touches && peek().kind == TokenKind::Name && (before == TokenKind::Int || before == TokenKind::Real)) {
      fail(peek().span, fmt::format("expected ';' {}, found {}", where, describe(peek())), "numbers have no suffix: 0.5");
      return false;
    }
    fail({last_end_, last_end_}, fmt::format("expected ';' {}, found {}", where, describe(peek())),
         known || at("=") ? std::string(meant_by(at("=") && peek(1).is(">") ? "=>" : peek().text)) : "");
    return false;
  }
  fail_here(fmt::format("'{}' {}", mark, where));
  return false;
}

void RuleParser::end_after_pattern() {
  std::string_view meant = after_pattern_meant_by(peek().text);
  if (!failing_ && !meant.empty()) {
    fail({last_end_, last_end_}, fmt::format("expected ';' at the end of the item, found {}", describe(peek())),
         std::string(meant));
  }
  expect(";", "at the end of the item");
}

std::optional<Token> RuleParser::expect_new_name(std::string_view what) {
  if (failing_) {
    return std::nullopt;
  }
  if (!at_kind(TokenKind::Name)) {
    fail_here(std::string(what));
    return std::nullopt;
  }
  if (is_reserved_word(peek().text)) {
    const Token& word = advance();  // no item begins here
    fail(word.span, fmt::format("expected {}, found '{}', which is a word of the language", what, word.text),
         fmt::format("take another name, for example '{}_'", word.text));
    return std::nullopt;
  }
  return advance();
}

std::optional<std::uint32_t> RuleParser::expect_small_int(std::string_view what) {
  if (failing_) {
    return std::nullopt;
  }
  if (!at_kind(TokenKind::Int) || peek().text.size() > 6) {
    fail_here(std::string(what));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::stoul(std::string(advance().text)));
}

void RuleParser::report(Span span, std::string message, std::string hint) {
  diagnostics_.error(text_, span, std::move(message), std::move(hint));
  if (builder_) {
    builder_->set_unreadable();
  }
}

void RuleParser::fail(Span span, std::string message, std::string hint) {
  if (!failing_ && at_kind(TokenKind::Bad)) {  // the lexer has said what is wrong there
    builder_ ? builder_->set_unreadable() : void();
  } else if (!failing_) {
    report(span, std::move(message), std::move(hint));
  }
  failing_ = true;
  if (diagnostics_.error_count() >= kMostMessages) {
    next_ = tokens_.size() - 1;  // the rest is not read
  }
}

void RuleParser::fail_here(std::string expected, std::string hint) {
  // What is missing at the end of the file is missing after the last word.
  Span span = at_kind(TokenKind::End) ? Span{last_end_, last_end_} : peek().span;
  fail(span, fmt::format("expected {}, found {}", expected, describe(peek())),
       hint.empty() ? std::string(meant_by(notation_here())) : std::move(hint));
}

// What another notation writes as one mark, our lexer may cut in two.
std::string_view RuleParser::notation_here() const {
  const Token& before = tokens_[next_ == 0 ? 0 : next_ - 1];
  for (std::string_view mark : {"<>", "**", "=>", "->"}) {
    bool second = next_ > 0 && before.span.end == here() && before.is(mark.substr(0, 1)) && at(mark.substr(1));
    bool first = at(mark.substr(0, 1)) && peek(1).is(mark.substr(1)) && peek(1).span.begin == here() + 1;
    if (second || first) {
      return mark;
    }
  }
  return peek().text;
}

// `a => b` before the end of the item.
bool RuleParser::arrow_ahead() const {
  for (std::size_t k = 0; !peek(k).is(";") && !peek(k).is("}") && peek(k).kind != TokenKind::End; ++k) {
    if ((peek(k).is("=") || peek(k).is("-")) && peek(k + 1).is(">") && peek(k + 1).span.begin == peek(k).span.end) {
      return true;
    }
  }
  return false;
}

bool RuleParser::skip_sign() {
  advance();
  builder_->set_unreadable();
  return here() == last_end_ && (at("(") || at_number() || at_kind(TokenKind::Name));
}

bool RuleParser::at_item_word() const {
  bool after_dot = next_ > 0 && tokens_[next_ - 1].is(".");                                                    // `x.rank`
  bool operand = peek(1).is(")") || peek(1).is(",") || peek(1).is(";") || peek(1).is(".") || peek(1).is("=");  // `Relu(target)`
  return !after_dot && !operand && at_kind(TokenKind::Name) &&
         std::find(kItemWords.begin(), kItemWords.end(), peek().text) != kItemWords.end();
}

bool RuleParser::at_rule() const {
  return at("rule") && peek(1).kind == TokenKind::Name && (peek(2).kind == TokenKind::String || peek(2).is("{"));
}

// Skips to the end of the item that began with `depth` braces open.
void RuleParser::recover(std::uint32_t depth) {
  failing_ = false;
  in_where_ = false;
  while (!at_kind(TokenKind::End)) {
    if (at_rule()) {
      return;
    }
    if (braces_ <= depth && (at_item_word() || at("}"))) {
      return;
    }
    bool done = braces_ <= depth && at(";");
    advance();
    if (done) {
      return;
    }
  }
}

bool RuleParser::enter() {
  if (++nesting_ > kDeepest) {
    --nesting_;
    fail(peek().span, fmt::format("expressions are nested deeper than {} levels", kDeepest),
         "name the inner parts with 'let' or 'attr'");
    return false;
  }
  return true;
}

// --- names

const RuleParser::Binding* RuleParser::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto found = scope->find(name); found != scope->end()) {
      return &found->second;
    }
  }
  return nullptr;
}

void RuleParser::define(const Token& name, Binding::Kind kind, std::uint32_t id, OpTrait trait) {
  if (const Binding* earlier = find(name.text)) {
    LineColumn place = text_->locate(earlier->span.begin);
    report(name.span, fmt::format("'{}' is defined already, at line {}", name.text, place.line), "give this one another name");
    return;
  }
  scopes_.back().emplace(name.text, Binding{kind, id, trait, name.span});
}

std::vector<std::string> RuleParser::names_in_scope(Binding::Kind kind) const {
  std::vector<std::string> names;
  for (const auto& scope : scopes_) {
    for (const auto& [name, binding] : scope) {
      if (binding.kind == kind) {
        names.emplace_back(name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string RuleParser::nearest(std::string_view word, const std::vector<std::string>& candidates) const {
  auto near = suggest(word, candidates);
  return near ? fmt::format("did you mean '{}'?", *near) : std::string();
}

}  // namespace vouch
