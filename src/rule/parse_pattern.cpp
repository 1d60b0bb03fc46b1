#include <fmt/format.h>

#include "rule/parser.h"

namespace vouch {

PatternId RuleParser::add_pattern(Pattern pattern) {
  rule_.patterns.push_back(std::move(pattern));
  return static_cast<PatternId>(rule_.patterns.size() - 1);
}

PatternId RuleParser::add_arithmetic(std::string_view op, std::vector<PatternId> operands, Span span) {
  Pattern call;
  call.kind = PatternKind::Call;
  call.op = find_op(op);
  call.operands = std::move(operands);
  call.span = span;
  return add_pattern(std::move(call));
}

std::optional<PatternId> RuleParser::parse_pattern() {
  Token first = peek();
  if (!enter(first.span)) {
    return std::nullopt;
  }
  auto left = parse_pattern_product();
  while (left && (at("+") || at("-"))) {
    bool plus = next().text == "+";
    auto right = parse_pattern_product();
    if (!right) {
      return std::nullopt;
    }
    left = add_arithmetic(plus ? "Add" : "Sub", {*left, *right}, span_from(first));
  }
  leave();
  return left;
}

std::optional<PatternId> RuleParser::parse_pattern_product() {
  Token first = peek();
  auto left = parse_pattern_unary();
  while (left && (at("*") || at("/"))) {
    bool times = next().text == "*";
    auto right = parse_pattern_unary();
    if (!right) {
      return std::nullopt;
    }
    left = add_arithmetic(times ? "Mul" : "Div", {*left, *right}, span_from(first));
  }
  return left;
}

std::optional<PatternId> RuleParser::parse_pattern_unary() {
  Token first = peek();
  std::vector<Token> signs;
  while (at("-")) {
    signs.push_back(next());
  }
  auto operand = parse_pattern_postfix();
  for (std::size_t i = signs.size(); operand && i-- > 0;) {
    operand = add_arithmetic("Neg", {*operand}, span_from(signs[i]));
  }
  return operand;
}

// `p[i]`: an item of a tuple.
std::optional<PatternId> RuleParser::parse_pattern_postfix() {
  Token first = peek();
  auto pattern = parse_pattern_primary();
  while (pattern && accept("[")) {
    auto index = parse_attr();
    if (!index || !expect("]", "after the item's position")) {
      return std::nullopt;
    }
    Pattern projection;
    projection.kind = PatternKind::Projection;
    projection.operands = {*pattern};
    projection.attributes = {{Symbol("index"), *index, span_from(first)}};
    projection.span = span_from(first);
    pattern = add_pattern(std::move(projection));
  }
  return pattern;
}

std::optional<std::vector<PatternId>> RuleParser::parse_pattern_list(std::string_view closing) {
  std::vector<PatternId> out;
  while (!at(closing)) {
    if (!out.empty() && !expect(",", "between patterns")) {
      return std::nullopt;
    }
    auto item = parse_pattern();
    if (!item) {
      return std::nullopt;
    }
    out.push_back(*item);
  }
  next();
  return out;
}

std::optional<PatternId> RuleParser::parse_pattern_primary() {
  Token first = peek();
  Pattern pattern;
  if (accept("*")) {
    pattern.span = first.span;
    return add_pattern(std::move(pattern));
  }
  if (first.kind == TokenKind::Number) {
    return parse_number_pattern();
  }
  if (accept("(")) {
    auto items = parse_pattern_list(")");
    if (!items) {
      return std::nullopt;
    }
    if (items->size() == 1) {
      return items->front();
    }
    pattern.kind = PatternKind::Tuple;
    pattern.operands = std::move(*items);
    pattern.span = span_from(first);
    return add_pattern(std::move(pattern));
  }
  auto name = expect_name("a pattern");
  if (!name) {
    return std::nullopt;
  }
  if (name->text == "const" || name->text == "variable") {
    pattern.kind = name->text == "const" ? PatternKind::Const : PatternKind::Variable;
    if (at("{") && !parse_attributes(pattern)) {
      return std::nullopt;
    }
    pattern.span = span_from(first);
    return add_pattern(std::move(pattern));
  }
  if (name->text == "variadic" && at("[")) {
    return parse_inline_variadic(first);
  }
  if (name->text == "if" && at("(")) {
    return parse_conditional_pattern(first);
  }
  if (name->text == "first" && at("(") && lookup("first") == nullptr) {
    next();
    auto options = parse_pattern_list(")");
    if (!options) {
      return std::nullopt;
    }
    pattern.kind = PatternKind::Alternative;
    pattern.operands = std::move(*options);
    pattern.span = span_from(first);
    return add_pattern(std::move(pattern));
  }
  return at("(") ? parse_call(*name) : parse_reference(*name);
}

std::optional<PatternId> RuleParser::parse_number_pattern() {
  Token first = peek();
  auto value = parse_number_attr();
  if (!value) {
    return std::nullopt;
  }
  Pattern pattern;
  pattern.kind = PatternKind::Const;
  pattern.attributes = {{Symbol("value"), *value, first.span}};
  pattern.span = first.span;
  return add_pattern(std::move(pattern));
}

std::optional<PatternId> RuleParser::parse_call(const Token& name) {
  Pattern call;
  call.kind = PatternKind::Call;
  const Binding* bound = lookup(name.text);
  if (bound != nullptr && bound->kind == Binding::Kind::Operator) {
    call.op_variable = Symbol(name.text);
    call.trait = bound->trait;
  } else if (auto op = find_op(name.text)) {
    call.op = op;
  } else {
    auto near = suggest(name.text, op_names());
    error(name.span, fmt::format("unknown operator '{}'", name.text),
          near ? fmt::format("did you mean '{}'?", *near) : "`vouch ops` lists the operators");
    return std::nullopt;
  }
  next();
  auto operands = parse_pattern_list(")");
  if (!operands) {
    return std::nullopt;
  }
  call.operands = std::move(*operands);
  if (at("{") && !parse_attributes(call)) {
    return std::nullopt;
  }
  call.span = span_from(name);
  return add_pattern(std::move(call));
}

std::optional<PatternId> RuleParser::parse_reference(const Token& name) {
  const Binding* binding = lookup(name.text);
  if (binding == nullptr || binding->kind != Binding::Kind::Pattern) {
    if (binding != nullptr) {
      error(name.span, fmt::format("'{}' is no pattern", name.text));
    } else {
      report_unknown_name(name);
    }
    return std::nullopt;
  }
  PatternId id = binding->pattern;
  // `v[i].w` is an instance of a template; `v[i]` alone the instance of what the variadic yields.
  if (rule_.patterns[id].kind == PatternKind::Variadic && at("[")) {
    return parse_instance(*binding, id, name);
  }
  return id;
}

std::optional<PatternId> RuleParser::parse_instance(const Binding& variadic, PatternId id, const Token& name) {
  next();
  auto selector = parse_attr();
  if (!selector || !expect("]", "after the instance's position")) {
    return std::nullopt;
  }
  PatternId chosen = rule_.patterns[id].operands[0];
  if (at(".") && peek(1).kind == TokenKind::Name && variadic.templates.contains(peek(1).text)) {
    next();
    chosen = variadic.templates.at(next().text);
  }
  Pattern instance;
  instance.kind = PatternKind::Instance;
  instance.operands = {id, chosen};
  instance.selector = *selector;
  instance.span = span_from(name);
  return add_pattern(std::move(instance));
}

std::optional<PatternId> RuleParser::parse_inline_variadic(const Token& first) {
  next();
  auto index = expect_name("the index");
  if (!index || !expect("<", "after the index")) {
    return std::nullopt;
  }
  auto length = parse_attr_sum();
  if (!length || !expect("]", "after the length") || !expect("{", "before the item")) {
    return std::nullopt;
  }
  auto start = static_cast<PatternId>(rule_.patterns.size());
  scopes_.emplace_back();
  scopes_.back().emplace(index->text, Binding{Binding::Kind::Symbol, kNone, OpTrait::Any, {}});
  auto item = parse_pattern();
  scopes_.pop_back();
  if (!item || !expect("}", "after the item")) {
    return std::nullopt;
  }
  Pattern variadic;
  variadic.kind = PatternKind::Variadic;
  variadic.operands = {*item};
  variadic.index = Symbol(index->text);
  variadic.length = *length;
  for (PatternId id = start; id < rule_.patterns.size(); ++id) {
    variadic.templates.push_back(id);
  }
  variadic.span = span_from(first);
  return add_pattern(std::move(variadic));
}

std::optional<PatternId> RuleParser::parse_conditional_pattern(const Token& first) {
  next();
  auto condition = parse_attr();
  if (!condition || !expect(")", "after the condition")) {
    return std::nullopt;
  }
  auto then = parse_pattern();
  if (!then) {
    return std::nullopt;
  }
  if (!accept_word("else")) {
    error(peek().span, "expected 'else' and the other pattern");
    return std::nullopt;
  }
  auto otherwise = parse_pattern();
  if (!otherwise) {
    return std::nullopt;
  }
  Pattern pattern;
  pattern.kind = PatternKind::Conditional;
  pattern.operands = {*then, *otherwise};
  pattern.selector = *condition;
  pattern.span = span_from(first);
  return add_pattern(std::move(pattern));
}

// `strides, padding as first`: each named attribute equals that of another pattern.
bool RuleParser::parse_same_as(Pattern& pattern) {
  std::vector<Token> names;
  do {
    auto name = expect_name("an attribute");
    if (!name) {
      return false;
    }
    names.push_back(*name);
  } while (accept(","));
  if (!accept_word("as")) {
    error(peek().span, fmt::format("expected '=' and a value, or 'as' and a pattern, found '{}'", peek().text));
    return false;
  }
  auto other_name = expect_name("a pattern");
  auto other = other_name ? parse_reference(*other_name) : std::nullopt;
  if (!other) {
    return false;
  }
  for (const Token& name : names) {
    AttrExpr access;
    access.kind = AttrKind::Access;
    access.pattern = *other;
    access.name = Symbol(name.text);
    access.span = name.span;
    pattern.attributes.push_back({Symbol(name.text), add_attr(std::move(access)), name.span});
  }
  return true;
}

bool RuleParser::parse_attributes(Pattern& pattern) {
  next();
  while (!at("}")) {
    if (!pattern.attributes.empty() && !expect(",", "between attributes")) {
      return false;
    }
    if (!(peek(1).kind == TokenKind::Mark && peek(1).text == "=")) {
      if (!parse_same_as(pattern)) {
        return false;
      }
      continue;
    }
    auto name = expect_name("an attribute");
    if (!name) {
      return false;
    }
    next();
    auto value = parse_attr();
    if (!value) {
      return false;
    }
    pattern.attributes.push_back({Symbol(name->text), *value, name->span});
  }
  next();
  return true;
}

}  // namespace vouch
