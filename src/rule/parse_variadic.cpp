#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "rule/parser.h"

namespace vouch {

// `i`, `i < n` or `k <= j`; the index is defined in the innermost scope, its bound does not see it.
RuleParser::Binder RuleParser::parse_binder(bool optional_length) {
  Binder binder;
  auto name = expect_new_name("an index");
  if (!name) {
    return binder;
  }
  binder.index = name->text;
  std::uint32_t begin = here();
  if (accept("<=")) {
    begin = here();
    AttrId last = parse_attr_sum();
    AttrId one = builder_->value(AttrValue(1));
    binder.length = attr_at(builder_->binary(BinaryOp::Add, last, one), begin);
  } else if (accept("<")) {
    binder.length = parse_attr_sum();
  } else if (!optional_length) {
    fail_here("'<' or '<=' and a bound after the index");
  }
  define(*name, Binding::Kind::Symbol, 0);
  return binder;
}

std::uint32_t RuleParser::parse_min() {
  if (!accept("min")) {
    return 1;
  }
  Span span = peek().span;
  std::uint32_t least = expect_small_int("the least number of branches").value_or(1);
  if (least == 0) {
    report(span, "a variadic has at least one branch", "write 'min 1', or leave it out");
  }
  return least;
}

std::vector<PatternId> RuleParser::parse_from() {
  std::vector<PatternId> first;
  if (accept("from")) {
    do {
      first.push_back(accept("_") ? kNone : parse_pattern());
    } while (accept(","));
  }
  return first;
}

// `from` names the first instance of the field, then of each named pattern of the block, in order.
void RuleParser::set_first_instances(PatternId field, const std::vector<PatternId>& first, Span span) {
  std::vector<RuleBuilder::Template>& templates = blocks_.back().templates;
  std::vector<RuleBuilder::Template*> named;
  for (RuleBuilder::Template& item : templates) {
    if (item.pattern == field) {
      named.insert(named.begin(), &item);
    } else if (!builder_->rule().pattern(item.pattern).name.empty()) {
      named.push_back(&item);
    }
  }
  if (named.size() != first.size()) {
    report(span, fmt::format("'from' names {} first instances for {} patterns", first.size(), named.size()),
           "one for the pattern that is yielded, then one for each 'let' of the block, in order");
    return;
  }
  for (std::size_t k = 0; k < first.size(); ++k) {
    named[k]->first = first[k];
  }
}

void RuleParser::parse_named_variadic() {
  std::uint32_t begin = here();
  auto name = expect_new_name("a name for the variadic");
  PatternId variadic = parse_variadic_rest(begin);
  if (!name) {
    return;
  }
  define(*name, Binding::Kind::Pattern, variadic);
  if (!failing_) {
    builder_->name(variadic, name->text);
    accept(";");
  }
}

// After `variadic` and its name: `[i < n] from p, q min 2 { … }`.
PatternId RuleParser::parse_variadic_rest(std::uint32_t begin) {
  if (failing_ || !enter()) {
    return builder_->unreadable_pattern();
  }
  std::size_t blocks = blocks_.size();
  std::size_t scopes = scopes_.size();
  Binder binder;
  scopes_.emplace_back();
  if (expect("[", "before the variadic's index")) {
    binder = parse_binder(true);
    expect("]", "after the variadic's index");
  }
  std::uint32_t from = here();
  std::vector<PatternId> first = parse_from();
  Span from_span = span_from(from);
  std::uint32_t least = parse_min();
  blocks_.emplace_back();
  PatternId field = parse_block();
  if (!failing_ && !first.empty()) {
    set_first_instances(field, first, from_span);
  }
  Block block = std::move(blocks_[blocks]);
  blocks_.resize(blocks);
  scopes_.resize(scopes);
  leave();
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  for (AttrId condition : block.conditions) {
    builder_->require(field, condition);
  }
  return made(builder_->variadic(field, std::move(block.templates), binder.index, binder.length, least), begin);
}

// An item of a block; false if what follows is its field.
bool RuleParser::parse_block_item() {
  if (failing_) {
    return false;
  }
  if (accept("let")) {
    parse_let();
  } else if (accept("attr")) {
    parse_attr_definition();
  } else if (accept("where")) {
    parse_where();
  } else if (accept("drop")) {
    parse_drop();
  } else if (at("variadic") && peek(1).kind == TokenKind::Name) {
    advance();
    parse_named_variadic();
  } else {
    return false;
  }
  return true;
}

PatternId RuleParser::parse_block() {
  if (!expect("{", "before the variadic's branch")) {
    return builder_->unreadable_pattern();
  }
  std::uint32_t depth = braces_;
  std::size_t blocks = blocks_.size();
  std::size_t scopes = scopes_.size();
  while (parse_block_item()) {
    if (failing_) {
      recover(depth);
      blocks_.resize(blocks);
      scopes_.resize(scopes);
    }
  }
  if (at("}")) {
    fail(peek().span, "the variadic's block yields no pattern", "end it with 'yield p;'");
  }
  accept("yield");
  PatternId field = parse_pattern();
  accept(";");
  if (!failing_ && !at("}")) {
    fail_here("'}' after the variadic's branch", "a block ends with the pattern that it yields");
  }
  if (!failing_) {
    advance();
    return field;
  }
  while (!at_kind(TokenKind::End) && !(braces_ <= depth && at("}"))) {
    advance();
  }
  failing_ = !at("}");
  if (!failing_) {
    advance();
  }
  blocks_.resize(blocks);
  scopes_.resize(scopes);
  return builder_->unreadable_pattern();
}

}  // namespace vouch
