#include <fmt/format.h>

#include <algorithm>

#include "rule/parse.h"
#include "rule/parser.h"
#include "rule/verify.h"

namespace vouch {

RuleParser::RuleParser(const SourceRef& source, Diagnostics& diagnostics)
    : source_(source), diagnostics_(diagnostics), tokens_(tokenize(source, diagnostics)) {}

const Token& RuleParser::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

Token RuleParser::next() {
  Token token = peek();
  position_ = std::min(position_ + 1, tokens_.size() - 1);
  return token;
}

bool RuleParser::at(std::string_view mark) const {
  return peek().kind == TokenKind::Mark && peek().text == mark;
}

bool RuleParser::at_word(std::string_view word) const {
  return peek().kind == TokenKind::Name && peek().text == word;
}

bool RuleParser::accept(std::string_view mark) {
  bool found = at(mark);
  if (found) {
    next();
  }
  return found;
}

bool RuleParser::accept_word(std::string_view word) {
  bool found = at_word(word);
  if (found) {
    next();
  }
  return found;
}

static std::string shown(const Token& token) {
  return token.kind == TokenKind::End ? std::string("the end of the file") : fmt::format("'{}'", token.text);
}

bool RuleParser::expect(std::string_view mark, std::string_view where) {
  if (accept(mark)) {
    return true;
  }
  error(peek().span, fmt::format("expected '{}' {}, found {}", mark, where, shown(peek())));
  return false;
}

std::optional<Token> RuleParser::expect_name(std::string_view what) {
  if (peek().kind == TokenKind::Name) {
    return next();
  }
  error(peek().span, fmt::format("expected {}, found {}", what, shown(peek())));
  return std::nullopt;
}

Span RuleParser::span_from(const Token& first) const {
  return {first.span.begin, position_ == 0 ? first.span.end : tokens_[position_ - 1].span.end};
}

void RuleParser::error(Span span, std::string message, std::string hint) {
  diagnostics_.error(source_, span, std::move(message), std::move(hint));
}

bool RuleParser::enter(Span span) {
  constexpr int kDeepest = 400;
  if (++depth_ <= kDeepest) {
    return true;
  }
  error(span, fmt::format("expressions nest deeper than {} levels", kDeepest), "name parts with `let`");
  return false;
}

// After an error: on to the end of the item, so that the next one is read and its errors are told too.
void RuleParser::recover() {
  int braces = 0;
  while (peek().kind != TokenKind::End) {
    if (at("{")) {
      ++braces;
    } else if (at("}")) {
      // A brace that closes something begun before the error; the rule's own stands before another rule or the end.
      bool ends_rule = peek(1).kind == TokenKind::End || (peek(1).kind == TokenKind::Name && peek(1).text == "rule");
      if (braces == 0 && ends_rule) {
        return;
      }
      braces -= braces > 0;
    } else if (at(";") && braces == 0) {
      next();
      return;
    } else if (at_word("rule") && peek(1).kind == TokenKind::Name) {
      return;
    }
    next();
  }
}

std::vector<Rule> RuleParser::parse_file() {
  std::vector<Rule> rules;
  while (peek().kind != TokenKind::End) {
    if (!at_word("rule")) {
      error(peek().span, fmt::format("expected 'rule', found {}", shown(peek())));
      while (peek().kind != TokenKind::End && !at_word("rule")) {
        next();
      }
      continue;
    }
    std::size_t errors = diagnostics_.error_count();
    auto rule = parse_rule();
    if (rule && diagnostics_.error_count() == errors && verify_rule(*rule, diagnostics_)) {
      finish_rule(*rule);
      rules.push_back(std::move(*rule));
    }
  }
  return rules;
}

std::optional<Rule> RuleParser::parse_rule() {
  std::size_t errors = diagnostics_.error_count();
  Token first = next();
  auto name = expect_name("the rule's name");
  if (!name) {
    return std::nullopt;
  }
  if (!rule_names_.insert(name->text).second) {
    error(name->span, fmt::format("the rule '{}' is defined twice", name->text));
  }
  rule_ = Rule();
  rule_.name = name->text;
  rule_.source = source_;
  scopes_.assign(1, {});
  depth_ = 0;
  if (peek().kind == TokenKind::Text) {
    rule_.doc = next().text;
  }
  if (!expect("{", "to begin the rule")) {
    return std::nullopt;
  }
  while (!at("}") && peek().kind != TokenKind::End && !(at_word("rule") && peek(1).kind == TokenKind::Name)) {
    depth_ = 0;
    if (!parse_item(false)) {
      recover();
    }
  }
  expect("}", "to end the rule");
  rule_.span = span_from(first);
  if (diagnostics_.error_count() != errors) {
    return std::nullopt;
  }
  if (rule_.source_outputs.empty() || rule_.target_outputs.empty()) {
    error(name->span, fmt::format("the rule '{}' has no {}", rule_.name,
                                  rule_.source_outputs.empty() ? "source" : "target"),
          "a rule ends in `source p;` and `target q;`");
    return std::nullopt;
  }
  return std::move(rule_);
}

bool RuleParser::parse_item(bool in_variadic) {
  if (at_word("let")) {
    return parse_let();
  }
  if (in_variadic && accept_word("yield")) {
    yielded_ = parse_pattern();
    return yielded_ && expect(";", "after the yielded pattern");
  }
  if (at_word("variadic") && peek(1).kind == TokenKind::Name) {
    return parse_variadic_block();
  }
  if (!in_variadic) {
    if (accept_word("source")) {
      return parse_outputs(rule_.source_outputs, false);
    }
    if (accept_word("target")) {
      return parse_outputs(rule_.target_outputs, true);
    }
    if (accept_word("where")) {
      return parse_where();
    }
    if (accept_word("rank")) {
      return parse_rank();
    }
    if (accept_word("expect")) {
      return parse_expect();
    }
    if (accept_word("operator")) {
      return parse_operator();
    }
  }
  std::vector<std::string> words = {"let", "variadic"};
  for (const char* word : in_variadic ? std::vector{"yield"} : std::vector{"source", "target", "where", "rank", "expect", "operator"}) {
    words.emplace_back(word);
  }
  auto near = suggest(peek().text, words);
  error(peek().span, fmt::format("expected one of {}, found {}", fmt::join(words, ", "), shown(peek())),
        near ? fmt::format("did you mean '{}'?", *near) : "");
  return false;
}

bool RuleParser::bind(const Token& name, Binding binding) {
  if (lookup(name.text) != nullptr) {
    error(name.span, fmt::format("the name '{}' is taken", name.text), "every name of a rule is given once");
    return false;
  }
  scopes_.back().emplace(name.text, std::move(binding));
  return true;
}

const RuleParser::Binding* RuleParser::lookup(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto found = scope->find(name); found != scope->end()) {
      return &found->second;
    }
  }
  return nullptr;
}

std::vector<std::string> RuleParser::names_in_scope() const {
  std::vector<std::string> names;
  for (const Scope& scope : scopes_) {
    for (const auto& [name, binding] : scope) {
      names.push_back(name);
    }
  }
  return names;
}

void RuleParser::report_unknown_name(const Token& name) {
  auto near = suggest(name.text, names_in_scope());
  error(name.span, fmt::format("the name '{}' is not defined here", name.text),
        near ? fmt::format("did you mean '{}'?", *near) : "names are given by `let` before they are used");
}

bool RuleParser::parse_let() {
  next();
  auto name = expect_name("a name");
  if (!name || !expect("=", "after the name")) {
    return false;
  }
  std::size_t before = rule_.patterns.size();
  auto pattern = parse_pattern();
  if (!pattern || !expect(";", "after the pattern")) {
    // The name is known from here on all the same, so that its uses are no errors of their own.
    scopes_.back().emplace(name->text, Binding{Binding::Kind::Pattern, add_pattern({}), OpTrait::Any, {}});
    return false;
  }
  // A second name for a pattern leaves the first in place.
  if (*pattern >= before && rule_.patterns[*pattern].name.empty()) {
    rule_.patterns[*pattern].name = Symbol(name->text);
  }
  return bind(*name, {Binding::Kind::Pattern, *pattern, OpTrait::Any, {}});
}

bool RuleParser::parse_operator() {
  auto name = expect_name("the operator variable's name");
  auto trait = name ? expect_name("a trait") : std::nullopt;
  if (!trait) {
    return false;
  }
  for (OpTrait candidate : {OpTrait::Any, OpTrait::Elementwise, OpTrait::Commutative}) {
    if (trait_name(candidate) == trait->text) {
      return bind(*name, {Binding::Kind::Operator, kNone, candidate, {}}) && expect(";", "after the trait");
    }
  }
  error(trait->span, fmt::format("unknown trait '{}'", trait->text), "traits: any, elementwise, commutative");
  return false;
}

bool RuleParser::parse_variadic_block() {
  Token first = next();
  auto name = expect_name("the variadic's name");
  if (!name || !expect("[", "before the index")) {
    return false;
  }
  auto index = expect_name("the index");
  if (!index || !expect("]", "after the index")) {
    return false;
  }
  Pattern variadic;
  variadic.kind = PatternKind::Variadic;
  variadic.name = Symbol(name->text);
  variadic.index = Symbol(index->text);
  if (accept_word("from")) {
    do {
      auto instance = expect_name("the first instance of a template");
      auto pattern = instance ? parse_reference(*instance) : std::nullopt;
      if (!pattern) {
        return false;
      }
      variadic.first.push_back(*pattern);
    } while (accept(","));
  }
  if (accept_word("min")) {
    Token number = next();
    if (number.kind != TokenKind::Number || number.text.size() > 6 || number.text.find('.') != std::string::npos) {
      error(number.span, fmt::format("expected the least number of instances, found {}", shown(number)));
      return false;
    }
    variadic.min_length = static_cast<std::uint32_t>(std::stoul(number.text));
  }
  if (!expect("{", "to begin the variadic")) {
    return false;
  }
  auto outer_templates = std::exchange(block_templates_, {});
  auto outer_yield = std::exchange(yielded_, std::nullopt);
  auto block_start = static_cast<PatternId>(rule_.patterns.size());
  scopes_.emplace_back();
  scopes_.back().emplace(index->text, Binding{Binding::Kind::Symbol, kNone, OpTrait::Any, {}});
  bool ok = true;
  while (ok && !at("}") && peek().kind != TokenKind::End) {
    ok = parse_item(true);
  }
  Binding binding;
  for (const auto& [inner_name, inner] : scopes_.back()) {
    if (inner.kind == Binding::Kind::Pattern && inner.pattern >= block_start) {
      binding.templates.emplace(inner_name, inner.pattern);
    }
  }
  scopes_.pop_back();
  auto yielded = std::exchange(yielded_, outer_yield);
  block_templates_ = std::move(outer_templates);
  if (!ok || !expect("}", "to end the variadic")) {
    return false;
  }
  if (!yielded) {
    error(name->span, fmt::format("the variadic '{}' yields no pattern", name->text), "end its block in `yield p;`");
    return false;
  }
  // Templates: the yielded pattern, then the others in order of writing; `from` names first instances in this order.
  variadic.operands = {*yielded};
  variadic.templates = {*yielded};
  for (PatternId id = block_start; id < rule_.patterns.size(); ++id) {
    if (id != *yielded) {
      variadic.templates.push_back(id);
    }
  }
  variadic.span = span_from(first);
  binding.pattern = add_pattern(std::move(variadic));
  return bind(*name, std::move(binding));
}

bool RuleParser::parse_outputs(std::vector<PatternId>& outputs, bool target) {
  if (!outputs.empty()) {
    error(peek().span, fmt::format("the rule's {} is given twice", target ? "target" : "source"));
    return false;
  }
  do {
    auto pattern = parse_pattern();
    if (!pattern) {
      return false;
    }
    outputs.push_back(*pattern);
  } while (accept(","));
  return expect(";", target ? "after the target" : "after the source");
}

bool RuleParser::parse_where() {
  auto condition = parse_attr();
  if (!condition) {
    return false;
  }
  rule_.constraints.push_back(*condition);
  return expect(";", "after the condition");
}

bool RuleParser::parse_rank() {
  auto name = expect_name("an input of the rule");
  if (!name) {
    return false;
  }
  const Binding* binding = lookup(name->text);
  if (binding == nullptr || binding->kind != Binding::Kind::Pattern) {
    report_unknown_name(*name);
    return false;
  }
  auto number = [&]() -> std::optional<std::uint32_t> {
    Token token = next();
    if (token.kind == TokenKind::Number && token.text.size() == 1) {
      return static_cast<std::uint32_t>(token.text[0] - '0');
    }
    error(token.span, fmt::format("expected a rank from 0 to 9, found {}", shown(token)));
    return std::nullopt;
  };
  auto from = number();
  auto to = from && accept("..") ? number() : from;
  if (!to) {
    return false;
  }
  rule_.ranks.push_back({binding->pattern, *from, *to});
  return expect(";", "after the rank");
}

bool RuleParser::parse_expect() {
  auto word = expect_name("a verdict");
  if (!word) {
    return false;
  }
  if (word->text == "sound") {
    rule_.expectation = Expectation::Sound;
  } else if (word->text == "unsound") {
    rule_.expectation = Expectation::Unsound;
  } else if (word->text == "ill_typed") {
    rule_.expectation = Expectation::IllTyped;
  } else {
    error(word->span, fmt::format("unknown verdict '{}'", word->text), "verdicts: sound, unsound, ill_typed");
    return false;
  }
  return expect(";", "after the verdict");
}

std::optional<std::vector<Rule>> parse_rules(const SourceRef& source, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  std::vector<Rule> rules = RuleParser(source, diagnostics).parse_file();
  return diagnostics.error_count() == errors ? std::optional(std::move(rules)) : std::nullopt;
}

}  // namespace vouch
