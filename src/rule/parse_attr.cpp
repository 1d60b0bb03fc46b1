#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "rule/axes.h"
#include "rule/foreign.h"
#include "rule/parse.h"
#include "rule/parser.h"
#include "tensor/dtype.h"
#include "term/infinity.h"

namespace vouch {
namespace {

constexpr std::array<std::string_view, 7> kBoundWords = {"tuple", "sum", "product", "minimum", "maximum", "all", "exists"};

struct FunctionWord {
  std::string_view word;
  std::size_t arity;
  UnaryOp unary;
  BinaryOp binary;
};
constexpr std::array<FunctionWord, 9> kFunctions = {{{"min", 2, UnaryOp::Neg, BinaryOp::Min},
                                                     {"max", 2, UnaryOp::Neg, BinaryOp::Max},
                                                     {"divides", 2, UnaryOp::Neg, BinaryOp::Divides},
                                                     {"permute", 2, UnaryOp::Neg, BinaryOp::Permute},
                                                     {"len", 1, UnaryOp::Length, BinaryOp::Add},
                                                     {"abs", 1, UnaryOp::Abs, BinaryOp::Add},
                                                     {"ceil", 1, UnaryOp::Ceil, BinaryOp::Add},
                                                     {"floor", 1, UnaryOp::Floor, BinaryOp::Add},
                                                     {"sqrt", 1, UnaryOp::Sqrt, BinaryOp::Add}}};

Integer power_of_ten(std::size_t exponent) { return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent)); }

}  // namespace

// `inf` is no reserved word: a name of the rule goes before it.
bool RuleParser::at_number() const { return at_kind(TokenKind::Int) || at_kind(TokenKind::Real) || (at("inf") && !find("inf")); }

// Exact: `0.1` is one tenth.
AttrValue RuleParser::number_of(const Token& token, bool negative) const {
  if (token.kind == TokenKind::Name) {
    return AttrValue(infinity(!negative));
  }
  std::string digits;
  std::size_t fraction = 0;
  std::int64_t exponent = 0;
  bool after_point = false;
  for (std::size_t i = 0; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c == 'e' || c == 'E') {
      exponent = std::stoll(std::string(token.text.substr(i + 1)));
      break;
    }
    after_point = after_point || c == '.';
    if (c != '.') {
      digits += c;
      fraction += after_point;
    }
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  Integer whole(digits);  // without leading zeros, which would mean base 8
  whole = negative ? Integer(-whole) : whole;
  if (token.kind == TokenKind::Int) {
    return AttrValue(int_const(whole));
  }
  exponent -= static_cast<std::int64_t>(fraction);
  Rational value(whole);
  Rational scale(power_of_ten(static_cast<std::size_t>(std::abs(exponent))));
  return AttrValue(real_const(exponent < 0 ? Rational(value / scale) : Rational(value * scale)));
}

AttrId RuleParser::parse_attr() {
  if (failing_ || !enter()) {
    return builder_->any();
  }
  AttrId attr = parse_or();
  leave();
  return attr;
}

// Left-associative operators of one precedence.
AttrId RuleParser::parse_chain(AttrReader operand, std::initializer_list<BinaryWord> words) {
  std::uint32_t begin = here();
  AttrId left = (this->*operand)();
  while (!failing_) {
    auto word = std::find_if(words.begin(), words.end(), [&](const BinaryWord& w) { return at(w.word); });
    if (word == words.end()) {
      break;
    }
    advance();
    AttrId right = (this->*operand)();
    left = attr_at(builder_->binary(word->op, left, right), begin);
  }
  return left;
}

AttrId RuleParser::parse_or() { return parse_chain(&RuleParser::parse_and, {{"or", BinaryOp::Or}}); }
AttrId RuleParser::parse_and() { return parse_chain(&RuleParser::parse_not, {{"and", BinaryOp::And}}); }

AttrId RuleParser::parse_not() {
  std::uint32_t begin = here();
  if (!accept("not")) {
    return parse_comparison();
  }
  if (!enter()) {
    return builder_->any();
  }
  AttrId operand = parse_not();
  leave();
  return attr_at(builder_->unary(UnaryOp::Not, operand), begin);
}

AttrId RuleParser::parse_comparison() {
  static constexpr std::array<BinaryWord, 7> kWords = {{{"==", BinaryOp::Eq},
                                                        {"!=", BinaryOp::Ne},
                                                        {"<", BinaryOp::Lt},
                                                        {"<=", BinaryOp::Le},
                                                        {">", BinaryOp::Gt},
                                                        {">=", BinaryOp::Ge},
                                                        {"=", BinaryOp::Eq}}};
  auto find_word = [&] {
    auto word = std::find_if(kWords.begin(), kWords.end(), [&](const BinaryWord& w) { return at(w.word); });
    return word != kWords.end() && (word->word != "=" || in_where_) && !failing_ ? word : kWords.end();
  };
  std::uint32_t begin = here();
  AttrId left = parse_attr_sum();
  auto word = find_word();
  if (word == kWords.end()) {
    return left;
  }
  advance();
  AttrId right = parse_attr_sum();
  if (find_word() != kWords.end()) {
    fail(peek().span, "comparisons do not chain",
         at("=") && peek(1).is(">") ? "at least is written >=; 'a implies b' is written: not a or b"
                                    : "join them by 'and': a < b and b < c");
  }
  return attr_at(builder_->binary(word->op, left, right), begin);
}

AttrId RuleParser::parse_attr_sum() {
  return parse_chain(&RuleParser::parse_attr_product, {{"+", BinaryOp::Add}, {"-", BinaryOp::Sub}, {"++", BinaryOp::Concat}});
}

AttrId RuleParser::parse_attr_product() {
  return parse_chain(&RuleParser::parse_attr_unary,
                     {{"*", BinaryOp::Mul}, {"//", BinaryOp::FloorDiv}, {"/", BinaryOp::Div}, {"%", BinaryOp::Mod}});
}

AttrId RuleParser::parse_attr_unary() {
  std::uint32_t begin = here();
  if (!accept("-")) {
    return parse_attr_postfix();
  }
  if (at_number() && !peek(1).is("[")) {
    return attr_at(builder_->value(number_of(advance(), true)), begin);
  }
  if (!enter()) {
    return builder_->any();
  }
  AttrId operand = parse_attr_unary();
  leave();
  return attr_at(builder_->unary(UnaryOp::Neg, operand), begin);
}

AttrId RuleParser::parse_attr_postfix() {
  std::uint32_t begin = here();
  AttrId attr = parse_attr_primary();
  while (accept("[")) {
    attr = parse_bracket(attr, begin);
  }
  if (!failing_ && at(".")) {
    fail(peek().span, "a dot cannot follow an attribute value",
         "an item of a tuple is written with brackets: x.shape[0]; only patterns have attributes: x.shape");
  }
  return attr;
}

// After `[`: a position, or a slice `t[a:b]`, which is `tuple[k < b - a](t[k + a])`.
AttrId RuleParser::parse_bracket(AttrId tuple, std::uint32_t begin) {
  AttrId low = at(":") ? kNone : parse_attr();
  if (!accept(":")) {
    expect("]", "after the position");
    return attr_at(builder_->project(tuple, low), begin);
  }
  AttrId high = at("]") ? builder_->unary(UnaryOp::Length, tuple) : parse_attr();
  expect("]", "after the slice");
  std::string index = fmt::format("k_{}", ++slices_);
  AttrId position = builder_->symbol(index);
  AttrId length = low == kNone ? high : builder_->binary(BinaryOp::Sub, high, low);
  position = low == kNone ? position : builder_->binary(BinaryOp::Add, position, low);
  return attr_at(builder_->var_tuple(index, length, attr_at(builder_->project(tuple, position), begin)), begin);
}

AttrId RuleParser::parse_attr_primary() {
  if (failing_) {
    return builder_->any();
  }
  std::uint32_t begin = here();
  if (at_number()) {
    return attr_at(builder_->value(number_of(advance(), false)), begin);
  }
  if (at_kind(TokenKind::String)) {
    return attr_at(builder_->value(AttrValue(string_of(advance()))), begin);
  }
  if (at("(")) {
    return parse_attr_parens();
  }
  if (at("if")) {
    return parse_conditional_attr();
  }
  if (at("true") || at("false")) {
    std::int64_t truth = advance().is("true");
    return attr_at(builder_->value(AttrValue(truth)), begin);
  }
  if (accept("any")) {
    return attr_at(builder_->any(), begin);
  }
  if (at_kind(TokenKind::Name) && !at_item_word()) {
    return parse_attr_name();
  }
  if (at_kind(TokenKind::Bad)) {
    return skip_sign() ? parse_attr_postfix() : builder_->any();
  }
  if (at("rank")) {  // no item begins here
    const Token& word = advance();
    fail(word.span, "expected an attribute expression, found 'rank'", "the rank of x is written x.rank");
    return builder_->any();
  }
  fail_here("an attribute expression", notation_here() == "=>" ? "at least is written >=" : "");
  return builder_->any();
}

AttrId RuleParser::parse_attr_parens() {
  std::uint32_t begin = here();
  advance();
  std::vector<AttrId> items;
  bool is_tuple = at(")");
  bool in_where = std::exchange(in_where_, false);
  while (!failing_ && !at(")")) {
    in_where_ = in_where;  // a condition in parentheses may use `=`, too
    items.push_back(parse_attr());
    if (!at(")")) {
      is_tuple = expect(",", "or ')' after an item") || is_tuple;
    }
  }
  in_where_ = in_where;
  expect(")", "at the end of the tuple");
  if (failing_) {
    return builder_->any();
  }
  return is_tuple ? attr_at(builder_->tuple(std::move(items)), begin) : items[0];
}

AttrId RuleParser::parse_conditional_attr() {
  std::uint32_t begin = here();
  advance();
  expect("(", "before the condition");
  AttrId condition = parse_attr();
  expect(")", "after the condition");
  AttrId then = parse_attr();
  expect("else", "after the value for the case that the condition holds");
  AttrId otherwise = parse_attr();
  return attr_at(builder_->conditional(condition, then, otherwise), begin);
}

AttrId RuleParser::parse_attr_name() {
  const Token& name = advance();
  if (std::find(kBoundWords.begin(), kBoundWords.end(), name.text) != kBoundWords.end()) {
    return parse_bound(name);
  }
  if (at("(") && !find(name.text)) {
    return parse_function(name);
  }
  const Binding* binding = find(name.text);
  if (!binding && parse_dtype(name.text)) {
    return builder_->at(name.span, builder_->value(AttrValue(std::string(name.text))));
  }
  if (!binding) {
    std::vector<std::string> names = names_in_scope(Binding::Kind::Attr);
    for (Binding::Kind kind : {Binding::Kind::Symbol, Binding::Kind::Pattern}) {
      std::vector<std::string> more = names_in_scope(kind);
      names.insert(names.end(), more.begin(), more.end());
    }
    std::string hint = dtype_meant_by(name.text);
    hint = hint.empty() ? std::string(meant_by(name.text)) : hint;
    hint = hint.empty() ? nearest(name.text, names) : hint;
    hint = !hint.empty() ? hint
           : at(".")     ? fmt::format("define it before its use: let {} = *;", name.text)
                         : fmt::format("define it before its use, for example: attr {} = x.shape[0];{}", name.text,
                                   tokens_[next_ - 2].is("=") && braces_ > 1 ? " what a source leaves open is any" : "");
    unknown_.insert(name.text).second ? report(name.span, fmt::format("nothing is named '{}' here", name.text), hint) : void();
    while (at(".") && peek(1).kind == TokenKind::Name) {
      advance();
      advance();
    }
    failing_ = failing_ || at("all") || at("exists");  // `for all …`: what follows is no mistake of its own
    return builder_->any();
  }
  switch (binding->kind) {
    case Binding::Kind::Pattern: return parse_access(binding->id, name.span.begin);
    case Binding::Kind::Attr: return binding->id;
    case Binding::Kind::Symbol: return builder_->at(name.span, builder_->symbol(name.text));
    case Binding::Kind::Operator: break;
  }
  report(name.span, fmt::format("'{}' is an operator variable, which has no value", name.text));
  return builder_->any();
}

// After a pattern's name: branches of variadics, then the attribute.
AttrId RuleParser::parse_access(PatternId pattern, std::uint32_t begin) {
  while (!failing_ && at("[") && denotes_variadic(pattern)) {
    Branch branch = parse_branch(pattern);
    pattern = failing_ ? builder_->unreadable_pattern() : settle_branch(branch, false, begin);
  }
  if (failing_) {
    return builder_->any();
  }
  if (at("[")) {
    fail(peek().span, "an attribute expression cannot project from a pattern", "name the projection by 'let' and access that");
    return builder_->any();
  }
  if (!at(".")) {
    builder_->readable(pattern)
        ? fail(span_from(begin), "a pattern is no attribute value",
               builder_->rule().pattern(pattern).kind == PatternKind::Const
                   ? "its elements are its .value; something of each is written: all[v in c](v >= 0)"
                   : "elements are not known where a rule fires: access one of its attributes, for example its .shape")
        : void();
    return builder_->any();
  }
  advance();
  if (!at_kind(TokenKind::Name)) {
    fail_here("the name of an attribute after '.'");
    return builder_->any();
  }
  const Token& label = advance();
  const AxisLayout* layout = layout_of(builder_->rule(), pattern);
  bool role = layout != nullptr && role_in(builder_->rule(), *layout, Symbol(label.text));
  return attr_at(role ? builder_->axes_of(pattern, label.text) : builder_->access(pattern, label.text), begin);
}

// `tuple[i < n](a)`, `sum[k <= j](a)` and their kin.
AttrId RuleParser::parse_bound(const Token& word) {
  std::uint32_t begin = word.span.begin;
  scopes_.emplace_back();
  if (!at("[")) {
    fail_here(fmt::format("'[' after '{}', before its index", word.text),
              fmt::format("for example {}[i < len(x.shape)](x.shape[i]{})", word.text,
                          word.is("all") || word.is("exists") ? " > 1" : ""));
  }
  expect("[", "before the index");
  if (word.is("all") && peek(1).is("in")) {
    return parse_each(begin);
  }
  Binder binder = parse_binder(word.is("tuple"));
  expect("]", "after the index");
  if (!at("(")) {
    fail_here("'(' before what is repeated", fmt::format("for example {}[{} < n](…)", word.text, binder.index));
  }
  expect("(", "before what is repeated");
  AttrId body = parse_attr();
  expect(")", "after what is repeated");
  scopes_.pop_back();
  return failing_ ? builder_->any() : attr_at(make_bound(word.text, binder, body), begin);
}

// `all[v in c](a)`, after the bracket.
AttrId RuleParser::parse_each(std::uint32_t begin) {
  auto element = expect_new_name("a name for the element");
  accept("in");
  Span span = peek().span;
  const Binding* constant = at_kind(TokenKind::Name) ? find(advance().text) : nullptr;
  if (!failing_ && (constant == nullptr || constant->kind != Binding::Kind::Pattern)) {
    fail(span, "'in' is followed by the name of a constant", "let c = const; … where all[v in c](v > 0);");
  }
  PatternId of = failing_ ? kNone : constant->id;
  if (element) {
    define(*element, Binding::Kind::Symbol, 0);
  }
  if (at(".")) {
    fail_here("']' after the constant", "of a list: all[i < len(x.shape)](x.shape[i] > 1)");
  }
  expect("]", "after the constant");
  expect("(", "before what holds of every element");
  AttrId body = parse_attr();
  expect(")", "after what holds of every element");
  scopes_.pop_back();
  return failing_ ? builder_->any() : attr_at(builder_->each(element->text, of, body), begin);
}

AttrId RuleParser::make_bound(std::string_view word, const Binder& binder, AttrId body) {
  if (word == "tuple") {
    return builder_->var_tuple(binder.index, binder.length, body);
  }
  if (word == "exists") {
    AttrId holds = builder_->binary(BinaryOp::Ne, body, builder_->value(AttrValue(0)));
    AttrId count = builder_->reduce(Reduction::Sum, binder.index, binder.length, holds);
    return builder_->binary(BinaryOp::Gt, count, builder_->value(AttrValue(0)));
  }
  Reduction reduction = word == "sum"       ? Reduction::Sum
                        : word == "minimum" ? Reduction::Min
                        : word == "maximum" ? Reduction::Max
                                            : Reduction::Product;  // `product`, `all`
  return builder_->reduce(reduction, binder.index, binder.length, body);
}

AttrId RuleParser::parse_function(const Token& word) {
  auto function = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const FunctionWord& f) { return f.word == word.text; });
  if (function == kFunctions.end()) {
    std::vector<std::string> words;
    for (const FunctionWord& f : kFunctions) {
      words.emplace_back(f.word);
    }
    std::string near = nearest(word.text, words);
    fail(word.span, fmt::format("there is no function '{}' of attributes", word.text),
         near.empty() ? fmt::format("functions: {}", fmt::join(words, ", ")) : near);
    return builder_->any();
  }
  advance();
  AttrId a = parse_attr();
  AttrId b = kNone;
  if (function->arity == 2) {
    expect(",", fmt::format("between the two arguments of '{}'", word.text));
    b = parse_attr();
  }
  expect(")", fmt::format("after the {} of '{}'", function->arity == 2 ? "two arguments" : "argument", word.text));
  return attr_at(function->arity == 2 ? builder_->binary(function->binary, a, b) : builder_->unary(function->unary, a),
                 word.span.begin);
}

}  // namespace vouch
