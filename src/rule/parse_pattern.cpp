#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "rule/foreign.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "rule/verify.h"

namespace vouch {

// Records where a new pattern stands; inside a variadic's block it is one of its templates.
PatternId RuleParser::made(PatternId pattern, std::uint32_t begin) {
  builder_->at_place(span_from(begin), pattern);
  if (!blocks_.empty()) {
    blocks_.back().templates.push_back({pattern, kNone});
  }
  return pattern;
}

PatternId RuleParser::parse_pattern() {
  if (failing_ || !enter()) {
    return builder_->unreadable_pattern();
  }
  PatternId pattern = parse_pattern_sum();
  leave();
  return pattern;
}

PatternId RuleParser::parse_conditional_pattern() {
  std::uint32_t begin = here();
  advance();
  expect("(", "before the condition");
  AttrId condition = parse_attr();
  expect(")", "after the condition");
  PatternId then = parse_pattern();
  expect("else", "after the pattern for the case that the condition holds");
  PatternId otherwise = parse_pattern();
  return failing_ ? builder_->unreadable_pattern() : made(builder_->if_else(condition, then, otherwise), begin);
}

PatternId RuleParser::parse_alternative() {
  std::uint32_t begin = here();
  advance();
  std::vector<PatternId> options = parse_operands();
  return failing_ ? builder_->unreadable_pattern() : made(builder_->alternative(std::move(options)), begin);
}

// `x + 2.0`: a number takes the other operand's dtype in the target.
PatternId RuleParser::arithmetic(std::string_view op, PatternId a, PatternId b, Span span) {
  auto id = failing_ ? std::nullopt : resolve_op(op, text_, span, diagnostics_);
  if (!id) {
    return builder_->unreadable_pattern();
  }
  for (auto [literal, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (builder_->is_literal(literal) && !builder_->is_literal(other)) {
      builder_->set_literal_like(literal, other);
    }
  }
  return made(builder_->call(*id, {a, b}), span.begin);
}

PatternId RuleParser::parse_pattern_sum() {
  std::uint32_t begin = here();
  PatternId left = parse_pattern_product();
  while (at("+") || at("-")) {
    std::string_view op = advance().is("+") ? "Add" : "Sub";
    PatternId right = parse_pattern_product();
    left = arithmetic(op, left, right, span_from(begin));
  }
  return left;
}

PatternId RuleParser::parse_pattern_product() {
  std::uint32_t begin = here();
  PatternId left = parse_pattern_unary();
  while (at("*") || at("/")) {
    if (at("*") && peek(1).is("*") && peek(1).span.begin == peek().span.end) {
      fail({here(), peek(1).span.end}, "'**' does not belong in a rule", std::string(meant_by("**")));
      break;
    }
    std::string_view op = advance().is("*") ? "Mul" : "Div";
    PatternId right = parse_pattern_unary();
    left = arithmetic(op, left, right, span_from(begin));
  }
  return left;
}

PatternId RuleParser::parse_pattern_unary() {
  std::uint32_t begin = here();
  if (!accept("-")) {
    return parse_pattern_postfix();
  }
  if (at_number()) {
    return parse_number_pattern(true);
  }
  if (!enter()) {
    return builder_->unreadable_pattern();
  }
  PatternId operand = parse_pattern_unary();
  leave();
  auto id = failing_ ? std::nullopt : resolve_op("Neg", text_, span_from(begin), diagnostics_);
  return id ? made(builder_->call(*id, {operand}), begin) : builder_->unreadable_pattern();
}

bool RuleParser::denotes_variadic(PatternId pattern) const {
  const Rule& rule = builder_->rule();
  PatternId denoted = denoted_variadic(rule, pattern);
  return denoted != kNone && rule.patterns[denoted].kind == PatternKind::Variadic;
}

RuleParser::Branch RuleParser::parse_branch(PatternId variadic) {
  expect("[", "before the branch's number");
  Branch branch{variadic, parse_attr()};
  expect("]", "after the branch's number");
  return branch;
}

// Which template of the branch is meant: the one named after a dot, or the field. With `templates_only` a dot must name
// a template; otherwise what follows it may be an attribute, which is left to the caller.
PatternId RuleParser::settle_branch(Branch branch, bool templates_only, std::uint32_t begin) {
  const Rule& rule = builder_->rule();
  const Pattern& variadic = rule.patterns[denoted_variadic(rule, branch.variadic)];
  PatternId of = variadic.operands[0];  // the field
  if (at(".") && peek(1).kind == TokenKind::Name) {
    std::vector<std::string> names;
    for (PatternId item : variadic.templates) {
      const std::string& name = rule.pattern(item).name.name();
      if (!name.empty()) {
        names.push_back(name);
      }
      of = name == peek(1).text ? item : of;
    }
    bool found = std::find(names.begin(), names.end(), peek(1).text) != names.end();
    if (!found && templates_only) {
      std::string hint = nearest(peek(1).text, names);
      fail(peek(1).span, fmt::format("the variadic has no template '{}'", peek(1).text),
           hint.empty() && !names.empty() ? fmt::format("its templates: {}", fmt::join(names, ", ")) : hint);
      return builder_->unreadable_pattern();
    }
    if (found) {
      advance();
      advance();
    }
  }
  return builder_->at_place(span_from(begin), builder_->instance(branch.variadic, of, branch.index));
}

PatternId RuleParser::parse_pattern_postfix() {
  std::uint32_t begin = here();
  PatternId pattern = parse_pattern_primary();
  while (!failing_ && (at("[") || at("."))) {
    if (at(".")) {
      std::string_view accessed = text_->text().substr(begin, last_end_ - begin);
      fail(peek().span, "a dot cannot follow this pattern: only a variadic's branch has templates to name",
           peek(2).is("(") ? call_meant_after_dot(accessed)
                           : fmt::format("an attribute is accessed within {{ … }} or 'where', and named by: attr a = {}.{};",
                                         accessed, peek(1).kind == TokenKind::Name ? peek(1).text : "rank"));
    } else if (denotes_variadic(pattern)) {
      Branch branch = parse_branch(pattern);
      if (!failing_) {
        pattern = made(settle_branch(branch, true, begin), begin);
      }
    } else {
      advance();
      AttrId index = parse_attr();
      expect("]", "after the position");
      pattern = made(builder_->projection(pattern, index), begin);
    }
  }
  return failing_ ? builder_->unreadable_pattern() : pattern;
}

// `x.transpose(…)`
std::string RuleParser::call_meant_after_dot(std::string_view of) const {
  auto near = suggest(peek(1).text, op_names());
  return fmt::format("an operator stands before its operands: {}({})", near ? *near : std::string(peek(1).text), of);
}

PatternId RuleParser::parse_pattern_primary() {
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  if (at("*") || at("const") || at("variable")) {
    return parse_leaf();
  }
  if (at_number()) {
    return parse_number_pattern(false);
  }
  if (at("(")) {
    return parse_pattern_parens();
  }
  if (at("variadic")) {
    std::uint32_t begin = here();
    advance();
    return parse_variadic_rest(begin);
  }
  if (at("if") && peek(1).is("(")) {
    return parse_conditional_pattern();
  }
  if (at("first") && peek(1).is("(") && !find("first")) {
    return parse_alternative();
  }
  if (at_kind(TokenKind::Name) && peek(1).is("(") && (!is_reserved_word(peek().text) || find_op(peek().text))) {
    return parse_call();
  }
  if (at_kind(TokenKind::Name) && peek(1).is("(") && suggest(peek().text, op_names())) {  // `sqrt(x)`
    failing_ = !resolve_op(peek().text, text_, peek().span, diagnostics_);
    builder_->set_unreadable();
    return builder_->unreadable_pattern();
  }
  if (at_kind(TokenKind::Name) && !is_reserved_word(peek().text)) {
    return parse_name_pattern();
  }
  if (at_kind(TokenKind::Bad)) {
    return skip_sign() ? parse_pattern_primary() : builder_->unreadable_pattern();
  }
  fail_here("a pattern", pattern_hint());
  return builder_->unreadable_pattern();
}

// What may be meant by what begins no pattern.
std::string RuleParser::pattern_hint() const {
  if (at_item_word()) {
    return "an item ends with ';'";
  }
  if (at_kind(TokenKind::Name) && parse_dtype(peek().text)) {
    return fmt::format("an element type is an attribute: Cast(x) {{to = {}}}, * {{dtype = {}}}", peek().text, peek().text);
  }
  return std::string(notation_here() == peek().text ? pattern_meant_by(peek().text) : std::string_view());
}

PatternId RuleParser::parse_leaf() {
  std::uint32_t begin = here();
  std::string_view word = advance().text;
  if (word != "*" && (at("(") || at_number())) {
    fail_here(fmt::format("attributes in braces after '{}'", word), "a constant with a value is written const {value = 1}");
  }
  AttrList list = parse_attributes();
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  if (list.as != kNone) {
    report(span_from(begin), "'* as' copies the attributes of an operator call, which this is not");
  }
  return made(word == "*"       ? builder_->wildcard(std::move(list.given))
              : word == "const" ? builder_->constant(std::move(list.given))
                                : builder_->variable(std::move(list.given)),
              begin);
}

PatternId RuleParser::parse_number_pattern(bool negative) {
  std::uint32_t begin = here();
  const Token& token = advance();
  return made(builder_->literal(number_of(token, negative)), begin);
}

PatternId RuleParser::parse_pattern_parens() {
  std::uint32_t begin = here();
  advance();
  std::vector<PatternId> items;
  bool is_tuple = at(")");
  while (!failing_ && !at(")")) {
    items.push_back(parse_pattern());
    if (!at(")")) {
      is_tuple = expect(",", "or ')' after an item") || is_tuple;
    }
  }
  expect(")", "at the end of the tuple");
  if (failing_) {
    return builder_->unreadable_pattern();
  }
  return is_tuple ? made(builder_->tuple_of(std::move(items)), begin) : items[0];
}

// `com.microsoft.Gelu(x)`, `onnx::Gelu(x)`: goes on to the operator, if there is one after the dots.
bool RuleParser::skip_domain() {
  std::size_t k = 0;
  auto dots = [&] { return peek(k).is(".") ? 1 : peek(k).is(":") && peek(k + 1).is(":") ? 2 : 0; };
  while (dots() != 0 && peek(k + dots()).kind == TokenKind::Name) {
    k += dots() + 1;
  }
  bool call = k > 0 && peek(k).is("(");
  while (call && k-- > 1) {
    advance();
  }
  return call;
}

// With what follows it as if it were known: that is no mistake of its own.
void RuleParser::report_unknown_pattern(const Token& name) {
  bool op = find_op(name.text).has_value();
  if (unknown_.insert(name.text).second) {
    std::string hint(op ? fmt::format("an operator is called, its attributes follow: {}(x) {{…}}", name.text)
                        : name_meant_by(name.text));
    hint = hint.empty() ? std::string(meant_by(name.text)) : hint;
    hint = hint.empty() ? nearest(name.text, names_in_scope(Binding::Kind::Pattern)) : hint;
    report(name.span, fmt::format("no pattern is named '{}' here", name.text),
           hint.empty() ? fmt::format("define it before its use: let {} = *;", name.text) : hint);
  }
  parse_attributes();
  failing_ = failing_ || op;
}

PatternId RuleParser::parse_name_pattern() {
  const Token& name = advance();
  const Binding* binding = find(name.text);
  if (binding && binding->kind == Binding::Kind::Pattern) {
    return binding->id;
  }
  if (binding) {
    report(name.span, fmt::format("'{}' is no pattern", name.text),
           binding->kind == Binding::Kind::Operator ? "an operator variable is called: f(x)"
                                                    : fmt::format("attributes belong within {{ … }} or 'where'; a constant "
                                                                  "with this value is written const {{value = {}}}",
                                                                  name.text));
  } else if ((at(".") || at(":")) && skip_domain()) {
    report(name.span, fmt::format("no pattern is named '{}' here", name.text),
           fmt::format("operators are named without their domain: {}(…)", peek().text));
    failing_ = true;
  } else {
    report_unknown_pattern(name);
  }
  return builder_->unreadable_pattern();
}

// A pattern that has a name already, or a branch of one.
PatternId RuleParser::parse_reference() {
  std::uint32_t begin = here();
  if (failing_ || !at_kind(TokenKind::Name) || is_reserved_word(peek().text)) {
    fail_here("the name of a pattern");
    return builder_->unreadable_pattern();
  }
  PatternId pattern = parse_name_pattern();
  while (!failing_ && at("[") && denotes_variadic(pattern)) {
    Branch branch = parse_branch(pattern);
    pattern = failing_ ? builder_->unreadable_pattern() : settle_branch(branch, true, begin);
  }
  return pattern;
}

}  // namespace vouch
