#include <fmt/format.h>

#include <array>
#include <utility>

#include "rule/parser.h"

namespace vouch {

AttrId RuleParser::add_attr(AttrExpr expr) {
  rule_.attrs.push_back(std::move(expr));
  return static_cast<AttrId>(rule_.attrs.size() - 1);
}

AttrId RuleParser::add_binary(BinaryOp op, AttrId a, AttrId b, Span span) {
  AttrExpr expr;
  expr.kind = AttrKind::Binary;
  expr.binary = op;
  expr.args = {a, b};
  expr.span = span;
  return add_attr(std::move(expr));
}

std::optional<AttrId> RuleParser::parse_attr() {
  Token first = peek();
  if (!enter(first.span)) {
    return std::nullopt;
  }
  auto left = parse_attr_and();
  while (left && accept_word("or")) {
    auto right = parse_attr_and();
    if (!right) {
      return std::nullopt;
    }
    left = add_binary(BinaryOp::Or, *left, *right, span_from(first));
  }
  leave();
  return left;
}

std::optional<AttrId> RuleParser::parse_attr_and() {
  Token first = peek();
  auto left = parse_attr_not();
  while (left && accept_word("and")) {
    auto right = parse_attr_not();
    if (!right) {
      return std::nullopt;
    }
    left = add_binary(BinaryOp::And, *left, *right, span_from(first));
  }
  return left;
}

std::optional<AttrId> RuleParser::parse_attr_not() {
  Token first = peek();
  if (!accept_word("not")) {
    return parse_attr_comparison();
  }
  auto operand = parse_attr_comparison();
  if (!operand) {
    return std::nullopt;
  }
  AttrExpr expr;
  expr.kind = AttrKind::Unary;
  expr.unary = UnaryOp::Not;
  expr.args = {*operand};
  expr.span = span_from(first);
  return add_attr(std::move(expr));
}

std::optional<AttrId> RuleParser::parse_attr_comparison() {
  constexpr std::array<std::pair<std::string_view, BinaryOp>, 7> kComparisons = {{{"==", BinaryOp::Eq},
                                                                                {"=", BinaryOp::Eq},
                                                                                {"!=", BinaryOp::Ne},
                                                                                {"<", BinaryOp::Lt},
                                                                                {"<=", BinaryOp::Le},
                                                                                {">", BinaryOp::Gt},
                                                                                {">=", BinaryOp::Ge}}};
  Token first = peek();
  auto left = parse_attr_sum();
  if (!left) {
    return std::nullopt;
  }
  for (const auto& [mark, op] : kComparisons) {
    if (accept(mark)) {
      auto right = parse_attr_sum();
      return right ? std::optional(add_binary(op, *left, *right, span_from(first))) : std::nullopt;
    }
  }
  return left;
}

std::optional<AttrId> RuleParser::parse_attr_sum() {
  Token first = peek();
  auto left = parse_attr_product();
  while (left && (at("+") || at("-") || at("++"))) {
    std::string mark = next().text;
    auto right = parse_attr_product();
    if (!right) {
      return std::nullopt;
    }
    BinaryOp op = mark == "+" ? BinaryOp::Add : mark == "-" ? BinaryOp::Sub : BinaryOp::Concat;
    left = add_binary(op, *left, *right, span_from(first));
  }
  return left;
}

std::optional<AttrId> RuleParser::parse_attr_product() {
  Token first = peek();
  auto left = parse_attr_unary();
  while (left && (at("*") || at("/") || at("//") || at("%"))) {
    std::string mark = next().text;
    auto right = parse_attr_unary();
    if (!right) {
      return std::nullopt;
    }
    BinaryOp op = mark == "*"    ? BinaryOp::Mul
                  : mark == "/"  ? BinaryOp::Div
                  : mark == "//" ? BinaryOp::FloorDiv
                                 : BinaryOp::Mod;
    left = add_binary(op, *left, *right, span_from(first));
  }
  return left;
}

std::optional<AttrId> RuleParser::parse_attr_unary() {
  Token first = peek();
  std::size_t signs = 0;
  while (accept("-")) {
    ++signs;
  }
  auto operand = parse_attr_postfix();
  for (; operand && signs > 0; --signs) {
    AttrExpr expr;
    expr.kind = AttrKind::Unary;
    expr.args = {*operand};
    expr.span = span_from(first);
    operand = add_attr(std::move(expr));
  }
  return operand;
}

std::optional<AttrId> RuleParser::parse_attr_postfix() {
  Token first = peek();
  auto value = parse_attr_primary();
  while (value && accept("[")) {
    auto index = parse_attr();
    if (!index || !expect("]", "after the position")) {
      return std::nullopt;
    }
    AttrExpr expr;
    expr.kind = AttrKind::Project;
    expr.args = {*value, *index};
    expr.span = span_from(first);
    value = add_attr(std::move(expr));
  }
  return value;
}

std::optional<AttrId> RuleParser::parse_number_attr() {
  Token token = next();
  AttrExpr expr;
  expr.kind = AttrKind::Value;
  expr.span = token.span;
  if (token.text.find_first_of(".eE") == std::string::npos) {
    expr.value = AttrValue(int_const(Integer(token.text)));
    return add_attr(std::move(expr));
  }
  // Exactly as written in decimal: 1e-5 is one hundred-thousandth.
  std::size_t exponent_at = token.text.find_first_of("eE");
  std::string mantissa = token.text.substr(0, exponent_at);
  long exponent = exponent_at == std::string::npos ? 0 : std::strtol(token.text.c_str() + exponent_at + 1, nullptr, 10);
  if (std::size_t point = mantissa.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(mantissa.size() - point - 1);
    mantissa.erase(point, 1);
  }
  if (exponent < -400 || exponent > 400) {
    error(token.span, "the number is out of range", "exponents run from -400 to 400");
    return std::nullopt;
  }
  Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  std::size_t digits = mantissa.find_first_not_of('0');
  Integer whole(digits == std::string::npos ? std::string("0") : mantissa.substr(digits));
  expr.value = AttrValue(real_const(exponent < 0 ? Rational(whole, power) : Rational(Integer(whole * power))));
  return add_attr(std::move(expr));
}

std::optional<AttrId> RuleParser::parse_tuple_attr(const Token& first) {
  AttrExpr tuple;
  tuple.kind = AttrKind::Tuple;
  bool comma = false;
  while (!at(")")) {
    if (!tuple.args.empty()) {
      if (!expect(",", "between items")) {
        return std::nullopt;
      }
      comma = true;
      if (at(")")) {
        break;
      }
    }
    auto item = parse_attr();
    if (!item) {
      return std::nullopt;
    }
    tuple.args.push_back(*item);
  }
  next();
  if (tuple.args.size() == 1 && !comma) {
    return tuple.args[0];
  }
  tuple.span = span_from(first);
  return add_attr(std::move(tuple));
}

std::optional<AttrId> RuleParser::parse_attr_primary() {
  Token first = peek();
  if (first.kind == TokenKind::Number) {
    return parse_number_attr();
  }
  if (first.kind == TokenKind::Text) {
    AttrExpr expr;
    expr.kind = AttrKind::Value;
    expr.value = AttrValue(next().text);
    expr.span = first.span;
    return add_attr(std::move(expr));
  }
  if (accept("(")) {
    return parse_tuple_attr(first);
  }
  if (first.kind != TokenKind::Name) {
    error(first.span, fmt::format("expected a value, found '{}'", first.text));
    return std::nullopt;
  }
  return parse_attr_name();
}

std::optional<AttrId> RuleParser::parse_attr_name() {
  Token word = next();
  AttrExpr expr;
  expr.span = word.span;
  if (word.text == "any" || word.text == "true" || word.text == "false") {
    if (word.text != "any") {
      expr.kind = AttrKind::Value;
      expr.value = AttrValue(std::int64_t{word.text == "true"});
    }
    return add_attr(std::move(expr));
  }
  if (at("[") && (word.text == "tuple" || word.text == "sum" || word.text == "product" || word.text == "minimum" ||
                  word.text == "maximum")) {
    return parse_bound(word);
  }
  if (word.text == "if" && at("(")) {
    return parse_conditional_attr(word);
  }
  if (at("(")) {
    return parse_function(word);
  }
  const Binding* binding = lookup(word.text);
  if (binding == nullptr) {
    report_unknown_name(word);
    return std::nullopt;
  }
  if (binding->kind == Binding::Kind::Symbol) {
    expr.kind = AttrKind::Symbol;
    expr.name = Symbol(word.text);
    return add_attr(std::move(expr));
  }
  auto pattern = parse_reference(word);
  return pattern ? parse_access(*pattern, word) : std::nullopt;
}

std::optional<AttrId> RuleParser::parse_access(PatternId pattern, const Token& first) {
  if (!accept(".")) {
    error(first.span, fmt::format("'{}' is a pattern; a value is expected", first.text),
          "name one of its attributes, as in `" + first.text + ".shape[0]`");
    return std::nullopt;
  }
  auto name = expect_name("an attribute");
  if (!name) {
    return std::nullopt;
  }
  AttrExpr expr;
  expr.kind = AttrKind::Access;
  expr.pattern = pattern;
  expr.name = Symbol(name->text);
  expr.span = span_from(first);
  return add_attr(std::move(expr));
}

std::optional<AttrId> RuleParser::parse_bound(const Token& word) {
  next();
  auto index = expect_name("the index");
  if (!index) {
    return std::nullopt;
  }
  bool inclusive = accept("<=");
  if (!inclusive && !expect("<", "after the index")) {
    return std::nullopt;
  }
  auto steps = parse_attr_sum();
  if (!steps || !expect("]", "after the number of steps") || !expect("(", "before the body")) {
    return std::nullopt;
  }
  if (inclusive) {
    AttrExpr one;
    one.kind = AttrKind::Value;
    one.value = AttrValue(std::int64_t{1});
    one.span = index->span;
    steps = add_binary(BinaryOp::Add, *steps, add_attr(std::move(one)), index->span);
  }
  if (lookup(index->text) != nullptr) {
    error(index->span, fmt::format("the name '{}' is taken", index->text), "every name of a rule is given once");
    return std::nullopt;
  }
  scopes_.emplace_back();
  scopes_.back().emplace(index->text, Binding{Binding::Kind::Symbol, kNone, OpTrait::Any, {}});
  auto body = parse_attr();
  scopes_.pop_back();
  if (!body || !expect(")", "after the body")) {
    return std::nullopt;
  }
  AttrExpr expr;
  expr.kind = word.text == "tuple" ? AttrKind::VarTuple : AttrKind::Reduce;
  expr.reduction = word.text == "product"   ? Reduction::Product
                   : word.text == "minimum" ? Reduction::Min
                   : word.text == "maximum" ? Reduction::Max
                                            : Reduction::Sum;
  expr.name = Symbol(index->text);
  expr.args = {*body, *steps};
  expr.span = span_from(word);
  return add_attr(std::move(expr));
}

std::optional<AttrId> RuleParser::parse_function(const Token& word) {
  constexpr std::array<std::pair<std::string_view, UnaryOp>, 5> kUnary = {{{"len", UnaryOp::Length},
                                                                         {"abs", UnaryOp::Abs},
                                                                         {"ceil", UnaryOp::Ceil},
                                                                         {"floor", UnaryOp::Floor},
                                                                         {"sqrt", UnaryOp::Sqrt}}};
  constexpr std::array<std::pair<std::string_view, BinaryOp>, 4> kBinary = {{{"min", BinaryOp::Min},
                                                                           {"max", BinaryOp::Max},
                                                                           {"divides", BinaryOp::Divides},
                                                                           {"permute", BinaryOp::Permute}}};
  next();
  std::vector<AttrId> args;
  while (!at(")")) {
    if (!args.empty() && !expect(",", "between arguments")) {
      return std::nullopt;
    }
    auto arg = parse_attr();
    if (!arg) {
      return std::nullopt;
    }
    args.push_back(*arg);
  }
  next();
  AttrExpr expr;
  expr.args = args;
  expr.span = span_from(word);
  for (const auto& [name, op] : kUnary) {
    if (name == word.text && args.size() == 1) {
      expr.kind = AttrKind::Unary;
      expr.unary = op;
      return add_attr(std::move(expr));
    }
  }
  for (const auto& [name, op] : kBinary) {
    if (name == word.text && args.size() == 2) {
      expr.kind = AttrKind::Binary;
      expr.binary = op;
      return add_attr(std::move(expr));
    }
  }
  error(word.span, fmt::format("unknown function '{}' of {} arguments", word.text, args.size()),
        "functions: len abs ceil floor sqrt of one, min max divides permute of two");
  return std::nullopt;
}

std::optional<AttrId> RuleParser::parse_conditional_attr(const Token& word) {
  next();
  auto condition = parse_attr();
  if (!condition || !expect(")", "after the condition")) {
    return std::nullopt;
  }
  auto then = parse_attr();
  if (!then) {
    return std::nullopt;
  }
  if (!accept_word("else")) {
    error(peek().span, "expected 'else' and the other value");
    return std::nullopt;
  }
  auto otherwise = parse_attr();
  if (!otherwise) {
    return std::nullopt;
  }
  AttrExpr expr;
  expr.kind = AttrKind::Conditional;
  expr.args = {*condition, *then, *otherwise};
  expr.span = span_from(word);
  return add_attr(std::move(expr));
}

}  // namespace vouch
