#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rule/foreign.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "rule/verify.h"

namespace vouch {

std::optional<std::vector<Rule>> parse_rules(const SourceRef& text, Diagnostics& diagnostics) {
  std::vector<Rule> rules = parse_good_rules(text, diagnostics);
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(rules));
}

std::vector<Rule> parse_good_rules(const SourceRef& text, Diagnostics& diagnostics) {
  return RuleParser(text, diagnostics).run();
}

std::vector<Rule> RuleParser::run() {
  while (!at_kind(TokenKind::End)) {
    if (at("rule")) {
      parse_rule();
      continue;
    }
    bool named = peek(1).kind == TokenKind::Name;  // `Rule r {`, not `Relu(x) => x`
    std::string hint(named ? nearest(peek().text, {"rule"}) : "");
    hint = hint.empty() && !at("(") ? std::string(meant_by(notation_here())) : hint;
    fail_here("'rule'", hint.empty() ? std::string(meant_by("pattern")) : hint);
    failing_ = false;
    while (!at_kind(TokenKind::End) && !at_rule()) {
      advance();
    }
  }
  return std::move(rules_);
}

// Letters, digits and `_`, joined by `-`; the tokens must touch.
std::optional<std::string> RuleParser::parse_rule_name() {
  if (!at_kind(TokenKind::Name)) {
    fail_here("the rule's name", "a name begins with a letter: rule fuse_relu { … }");
    return std::nullopt;
  }
  std::uint32_t begin = here();
  advance();
  while (at("-") && here() == last_end_ && peek(1).span.begin == last_end_ + 1 &&
         (peek(1).kind == TokenKind::Name || peek(1).kind == TokenKind::Int)) {
    advance();
    advance();
    if (at_kind(TokenKind::Name) && here() == last_end_) {
      advance();  // `-2d` is two tokens
    }
  }
  return std::string(text_->text().substr(begin, last_end_ - begin));
}

// `rule my rule {`: what follows is read as the rule that it is.
void RuleParser::skip_to_body() {
  if (at_kind(TokenKind::Bad)) {  // the lexer has said so
    builder_->set_unreadable();
  } else if (!at("{")) {
    report(peek().span, fmt::format("expected '{{' after the rule's name, found {}", describe(peek())),
           "a name is one word of letters, digits, '_' and '-': my_rule; a text in double quotes may follow");
  }
  while (!at("{") && !at("}") && !at_kind(TokenKind::End) && !at_rule() && (at("rule") || !at_item_word())) {
    advance();
  }
}

void RuleParser::parse_rule() {
  std::size_t errors = diagnostics_.error_count();
  advance();
  std::uint32_t begin = here();
  auto name = parse_rule_name();
  Span span = span_from(begin);
  std::string doc;
  if (name && at_kind(TokenKind::String)) {
    doc = string_of(advance());
  }
  builder_.emplace(name.value_or(""), std::move(doc), text_, span);
  scopes_.assign(1, {});
  blocks_.clear();
  name ? void() : builder_->set_unreadable();
  unknown_.clear();
  slices_ = 0;
  braces_ = 0;
  bool same = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return rule.name == name; });
  if (same) {
    report(span, fmt::format("there is a rule '{}' in this file already", *name), "give this one another name");
  }
  if (name) {
    skip_to_body();
  }
  if (name && (accept("{") || (at_item_word() && !at("rule")))) {
    parse_items();
    LineColumn place = text_->locate(begin);
    failing_ = failing_ || !expect("}", fmt::format("at the end of the rule that begins at line {}", place.line));
  } else {
    failing_ = true;
  }
  if (failing_) {
    recover(0);
    accept("}");
  }
  auto rule = builder_->finish(diagnostics_);
  if (rule && diagnostics_.error_count() == errors) {
    rules_.push_back(std::move(*rule));
  }
  builder_.reset();
}

void RuleParser::parse_items() {
  while (!at("}") && !at_kind(TokenKind::End) && !at("rule")) {
    std::uint32_t depth = braces_;
    std::size_t blocks = blocks_.size();
    std::size_t before = next_;
    parse_item();
    if (failing_) {
      if (next_ == before) {
        advance();
      }
      recover(depth);
      blocks_.resize(blocks);
      scopes_.resize(blocks + 1);
    }
  }
}

void RuleParser::parse_item() {
  static const std::vector<std::pair<std::string, void (RuleParser::*)()>> kItems = {
      {"let", &RuleParser::parse_let},
      {"attr", &RuleParser::parse_attr_definition},
      {"operator", &RuleParser::parse_operator},
      {"variadic", &RuleParser::parse_named_variadic},
      {"where", &RuleParser::parse_where},
      {"source", nullptr},
      {"target", nullptr},
      {"drop", &RuleParser::parse_drop},
      {"rank", &RuleParser::parse_rank},
      {"axes", &RuleParser::parse_axes},
      {"expect", &RuleParser::parse_expect},
      {"phase", &RuleParser::parse_phase},
      {"saves", &RuleParser::parse_saves},
  };
  for (const auto& [word, parse] : kItems) {
    if (at(word)) {
      advance();
      parse ? (this->*parse)() : parse_outputs(word == "source");
      return;
    }
  }
  std::vector<std::string> words;
  for (const auto& [word, parse] : kItems) {
    words.push_back(word);
  }
  if (at_kind(TokenKind::Name) && peek(1).is("=") && !is_reserved_word(peek().text) && !peek(2).is(">")) {
    report(peek().span, fmt::format("expected an item of the rule, found '{}'", peek().text),
           fmt::format("a pattern is named by: let {} = *; a number or a tuple by: attr {} = 1;", peek().text, peek().text));
    parse_let();
    return;
  }
  std::string hint(arrow_ahead() ? meant_by("=>") : item_meant_by(peek().text));
  hint = hint.empty() ? std::string(meant_by(notation_here())) : hint;
  hint = hint.empty() && at_kind(TokenKind::Name) ? nearest(peek().text, words) : hint;
  fail_here("an item of the rule", hint.empty() ? fmt::format("an item begins with one of: {}", fmt::join(words, ", ")) : hint);
}

// `let x, y = *;`
void RuleParser::skip_more_names() {
  if (failing_ || !at(",")) {
    return;
  }
  report(peek().span, "expected '=' after the name, found ','", "each name has an item of its own: let x = *; let y = *;");
  while (accept(",")) {
    if (auto more = expect_new_name("a name for the pattern")) {
      define(*more, Binding::Kind::Pattern, builder_->unreadable_pattern());
    }
  }
}

// `let x: float32 = *;`
void RuleParser::skip_type_of_name() {
  if (failing_ || !at(":")) {
    return;
  }
  report(peek().span, "expected '=' after the name, found ':'", "types stand in braces: let x = * {dtype = float32, rank = 2};");
  while (!at("=") && !at(";") && !at("}") && !at_kind(TokenKind::End)) {
    advance();
  }
}

// `let (a, b) = Split(x);`
void RuleParser::skip_names_in_parens() {
  fail_here("a name for the pattern", "a tuple has one name, its items have places: let s = Split(x, sizes); source s[0];");
  for (advance(); at_kind(TokenKind::Name) || at(","); advance()) {
    at(",") || find(peek().text) ? void() : define(peek(), Binding::Kind::Pattern, builder_->unreadable_pattern());
  }
}

void RuleParser::parse_let() {
  if (at("(")) {
    return skip_names_in_parens();
  }
  auto name = expect_new_name("a name for the pattern");
  name ? skip_more_names() : void();
  skip_type_of_name();
  if (!name || !expect("=", "after the name")) {
    return;
  }
  PatternId pattern = parse_pattern();
  if (failing_) {
    define(*name, Binding::Kind::Pattern, builder_->unreadable_pattern());
    return;
  }
  if (builder_->rule().pattern(pattern).name.empty() && !find(name->text)) {
    builder_->name(pattern, name->text);  // a second name for a pattern leaves the first in place
  }
  define(*name, Binding::Kind::Pattern, pattern);
  end_after_pattern();
}

void RuleParser::parse_attr_definition() {
  auto name = expect_new_name("a name for the attribute expression");
  if (name && at(";")) {
    return fail_here("'=' after the name", fmt::format("what a source leaves open is any: {{{} = any}}", name->text));
  }
  if (!name || !expect("=", "after the name")) {
    return;
  }
  AttrId attr = parse_attr();
  define(*name, Binding::Kind::Attr, failing_ ? builder_->any() : attr);
  if (!failing_ && builder_->rule().attr(attr).let_name.empty()) {
    builder_->let(name->text, attr);
  }
  expect(";", "at the end of the item");
}

void RuleParser::parse_operator() {
  auto name = expect_new_name("a name for the operator variable");
  if (!name) {
    return;
  }
  for (OpTrait trait : {OpTrait::Any, OpTrait::Elementwise, OpTrait::Commutative}) {
    if (accept(trait_name(trait))) {
      define(*name, Binding::Kind::Operator, 0, trait);
      expect(";", "at the end of the item");
      return;
    }
  }
  define(*name, Binding::Kind::Operator, 0);
  std::string hint = nearest(peek().text, {"any", "elementwise", "commutative"});
  fail_here("a trait", hint.empty() ? "traits: any, elementwise, commutative" : hint);
}

void RuleParser::parse_where() {
  do {
    in_where_ = true;
    AttrId condition = parse_attr();
    in_where_ = false;
    if (failing_) {
      return;
    }
    if (blocks_.empty()) {
      builder_->where(condition);
    } else {
      blocks_.back().conditions.push_back(condition);
    }
  } while (accept(","));
  expect(";", "at the end of the item");
}

std::vector<PatternId> RuleParser::parse_pattern_list() {
  std::vector<PatternId> patterns;
  do {
    patterns.push_back(parse_pattern());
  } while (accept(","));
  return patterns;
}

void RuleParser::parse_outputs(bool source) {
  std::uint32_t begin = here();
  bool again = !(source ? builder_->rule().source_outputs : builder_->rule().target_outputs).empty();
  std::vector<PatternId> outputs = parse_pattern_list();
  if (failing_) {
    return;
  }
  if (again) {
    report(span_from(begin), fmt::format("the rule has a {} already", source ? "source" : "target"),
           "several outputs are one list: a, b");
  }
  source ? builder_->source(std::move(outputs)) : builder_->target(std::move(outputs));
  end_after_pattern();
}

void RuleParser::parse_drop() {
  do {
    PatternId input = parse_reference();
    if (failing_) {
      return;
    }
    builder_->drop(input);
  } while (accept(","));
  expect(";", "at the end of the item");
}

void RuleParser::parse_rank() {
  std::uint32_t begin = here();
  PatternId input = parse_reference();
  auto low = expect_small_int("a rank");
  auto high = low;
  if (accept("..")) {
    high = expect_small_int("the highest rank");
  } else if (at("-")) {
    fail_here("';' or '..' after the rank", "ranks from 1 to 4 are written 1..4");
  }
  if (low && high && !failing_) {
    builder_->rank(input, *low, *high, span_from(begin));
  }
  expect(";", "at the end of the item");
}

void RuleParser::parse_expect() {
  static const std::vector<std::pair<std::string, Expectation>> kVerdicts = {
      {"sound", Expectation::Sound},     {"unsound", Expectation::Unsound}, {"ill_typed", Expectation::IllTyped},
      {"vacuous", Expectation::Vacuous}, {"unknown", Expectation::Unknown},
  };
  for (auto [word, verdict] : kVerdicts) {
    if (accept(word)) {
      if (verdict == Expectation::Sound && accept("exact")) {
        verdict = Expectation::SoundExact;
      } else if (verdict == Expectation::Sound && accept("real")) {
        verdict = Expectation::SoundReal;
      }
      builder_->expect(verdict);
      if (at("(")) {
        fail_here("';' at the end of the item", "it is written: expect sound exact; or: expect sound real;");
      }
      expect(";", "at the end of the item");
      return;
    }
  }
  fail_here("a verdict", "one of: sound, sound exact, sound real, unsound, ill_typed, vacuous, unknown");
}

void RuleParser::parse_phase() {
  for (Phase phase : {Phase::First, Phase::Enter, Phase::Main, Phase::Late, Phase::Leave}) {
    if (accept(phase_name(phase))) {
      builder_->phase(phase);
      expect(";", "at the end of the item");
      return;
    }
  }
  fail_here("a phase", "one of: first, enter, main, late, leave");
}

void RuleParser::parse_saves() {
  for (Saving saving : {Saving::Calls, Saving::Elements, Saving::Products}) {
    if (accept(saving_name(saving))) {
      builder_->saves(saving);
      expect(";", "at the end of the item");
      return;
    }
  }
  fail_here("what the rule saves", "one of: calls, elements, products");
}

}  // namespace vouch
