#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "array/constant.h"
#include "array/foreign.h"
#include "array/parser.h"

namespace vouch::array {
namespace {

const OpRow* find_op(std::string_view name) {
  for (int i = 0; i < kOpCount; ++i) {
    const OpRow& row = op_row(static_cast<Op>(i));
    if (row.text == name) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

Built ProgramParser::expression() {
  if (!enter()) {
    return std::nullopt;
  }
  Built result = is("let") ? let_expression() : is("if") ? if_expression() : comparison();
  leave();
  return result;
}

Built ProgramParser::let_expression() {
  advance();
  std::optional<std::string> name = new_name("a name for the value");
  Built value = name && expect("=", "the name of a value") ? expression() : std::nullopt;
  if (!value || !expect("in", "the value of a name")) {
    return std::nullopt;
  }
  unsigned outside = builder_->next_level();
  return builder_->let(value, [&](const Built&) {
    data_.emplace_back(*name, outside);
    Built result = expression();
    data_.pop_back();
    return result;
  });
}

Built ProgramParser::if_expression() {
  std::uint32_t begin = token_.span.begin;
  advance();
  std::optional<Guard> condition = guard();
  if (!condition || !expect("then", "a condition")) {
    return std::nullopt;
  }
  assumed_.push_back({*condition, true, builder_->indices().bounds.size()});
  Built then = expression();
  assumed_.back().holds = false;
  Built otherwise = then && expect("else", "the first branch") ? expression() : std::nullopt;
  assumed_.pop_back();
  if (!otherwise) {
    return std::nullopt;
  }
  report_span_ = from(begin);
  return builder_->choose(*condition, then, otherwise);
}

Built ProgramParser::comparison() {
  std::uint32_t begin = token_.span.begin;
  Built left = sum();
  if (!left || (!is("<") && !is("<=") && !is("=="))) {
    return left;
  }
  Op op = is("<") ? Op::Less : is("<=") ? Op::LessEq : Op::Equal;
  advance();
  Built right = sum();
  report_span_ = from(begin);
  return right ? builder_->op(op, {left, right}) : std::nullopt;
}

Built ProgramParser::sum() {
  std::uint32_t begin = token_.span.begin;
  Built left = product();
  while (left && (is("+") || is("-"))) {
    Op op = is("+") ? Op::Add : Op::Sub;
    advance();
    Built right = product();
    report_span_ = from(begin);
    left = right ? builder_->op(op, {left, right}) : std::nullopt;
  }
  return left;
}

Built ProgramParser::product() {
  std::uint32_t begin = token_.span.begin;
  Built left = unary();
  while (left && (is("*") || is("/"))) {
    Op op = is("*") ? Op::Mul : Op::Div;
    advance();
    Built right = unary();
    report_span_ = from(begin);
    left = right ? builder_->op(op, {left, right}) : std::nullopt;
  }
  return left;
}

Built ProgramParser::unary() {
  std::uint32_t begin = token_.span.begin;
  if (!accept("-")) {
    return postfix();
  }
  bool constant = token_.kind == TokenKind::Whole || token_.kind == TokenKind::Decimal || is("inf");
  if (constant) {
    std::optional<Const> value = literal();
    if (!value) {
      return std::nullopt;
    }
    if (value->infinite || value->mantissa != 0) {
      value->negative = value->infinite;
      value->mantissa = -value->mantissa;
      return builder_->number(*value);
    }
    return builder_->apply(Op::Neg, builder_->number(*value));
  }
  if (!enter()) {
    return std::nullopt;
  }
  Built argument = unary();
  leave();
  report_span_ = from(begin);
  return argument ? builder_->apply(Op::Neg, argument) : std::nullopt;
}

Built ProgramParser::postfix() {
  std::uint32_t begin = token_.span.begin;
  Built result = atom();
  while (result && (is("[") || is("."))) {
    if (accept("[")) {
      std::optional<Index> i = index();
      if (!i || !expect("]", "a position")) {
        return std::nullopt;
      }
      report_span_ = from(begin);
      result = element(result, *i);
    } else {
      advance();
      result = apply_layout(result);
    }
  }
  return result;
}

Built ProgramParser::element(const Built& array, const Index& index) {
  if (array->type->kind != TypeKind::Array || index_below(builder_->indices(), index, array->type->size)) {
    return builder_->at(array, index);
  }
  Built guarded = guarded_read(*builder_, array, index, assumed_);
  if (!guarded) {
    fail(report_span_, fmt::format("this position cannot be proven to be in 0 <= … < {}", builder_->text(array->type->size)),
         "guard it: if i + 1 < n then xs[i + 1] else 0; or state what is known of the sizes after 'where'");
  }
  return guarded;
}

std::optional<Const> ProgramParser::literal() {
  if (accept("inf")) {
    return Const{0, 0, true, false};
  }
  if (token_.kind != TokenKind::Whole && token_.kind != TokenKind::Decimal) {
    fail(token_.span, fmt::format("expected a number, found '{}'", token_.text));
    return std::nullopt;
  }
  std::optional<Const> value = parse_const(token_.text);
  if (!value) {
    fail(token_.span, fmt::format("'{}' is not in the range of binary32 numbers", token_.text));
  }
  advance();
  return value;
}

Built ProgramParser::atom() {
  if (token_.kind == TokenKind::Whole || token_.kind == TokenKind::Decimal || is("inf")) {
    std::optional<Const> value = literal();
    return value ? builder_->number(*value) : std::nullopt;
  }
  if (is("(")) {
    return parenthesised();
  }
  if (token_.kind == TokenKind::Name) {
    const OpRow* row = find_op(token_.text);
    return row != nullptr ? function_call(*row) : is_keyword(token_.text) ? keyword_atom() : variable();
  }
  fail(here(), fmt::format("expected a term, found {}", found()), std::string(meant_by("", notation_here())));
  return std::nullopt;
}

Built ProgramParser::parenthesised() {
  std::uint32_t begin = token_.span.begin;
  advance();
  Built first = expression();
  if (first && accept(":")) {
    std::optional<Type> ascribed = type();
    if (!ascribed || !expect(")", "a type")) {
      return std::nullopt;
    }
    report_span_ = from(begin);
    return builder_->ascribe(first, *ascribed);
  }
  if (first && accept(",")) {
    Built second = expression();
    return second && expect(")", "a pair") ? builder_->pair(first, second) : std::nullopt;
  }
  return first && expect(")", "a term") ? first : std::nullopt;
}

Built ProgramParser::variable() {
  std::vector<std::string> known;
  for (std::size_t i = data_.size(); i-- > 0;) {
    if (data_[i].first == token_.text) {
      unsigned level = data_[i].second;
      advance();
      return builder_->variable(level);
    }
    known.push_back(data_[i].first);
  }
  unknown_name(known);
  return std::nullopt;
}

void ProgramParser::unknown_name(std::vector<std::string> known) {
  const std::string next = next_token(source_->text(), token_.span.end).text;
  const std::vector<std::string> names = known;
  std::string functions;
  for (int op = 0; op < kOpCount; ++op) {
    known.emplace_back(op_row(static_cast<Op>(op)).text);
    functions += (op == 0 ? "" : ", ") + known.back();
  }
  if (named_size()) {
    fail(token_.span, fmt::format("'{}' is a size, expected a number", token_.text),
         fmt::format(
             "sizes are no numbers here: take it as an input (`count: num`), or sum ones: fold i < {} with acc = 0 {{ acc + 1 }}",
             token_.text));
    return;
  }
  static constexpr std::string_view kReductions[] = {"sum", "mean", "dot", "prod", "any", "all", "argmax", "amax"};
  bool reduction = std::find(std::begin(kReductions), std::end(kReductions), token_.text) != std::end(kReductions);
  std::string meant(meant_by_name(token_.text));
  std::optional<std::string> near = reduction ? std::nullopt : suggest(token_.text, known);
  bool call = next == "(";
  fail(token_.span, fmt::format("there is no {} '{}' here", call ? "function" : "variable", token_.text),
       !meant.empty()  ? meant
       : near          ? fmt::format("did you mean '{}'?", *near)
       : reduction     ? "over an array: reduce x in xs with acc = 0 { acc + x }"
       : call          ? "functions of numbers: " + functions
       : next == "="   ? fmt::format("a value is named by: let {} = … in …", token_.text)
       : names.empty() ? ""
                       : fmt::format("names here: {}", fmt::join(names, ", ")));
}

Built ProgramParser::function_call(const OpRow& row) {
  std::uint32_t begin = token_.span.begin;
  advance();
  std::vector<Built> arguments;
  bool good = expect("(", "a function");
  for (int i = 0; good && i < row.arity; ++i) {
    Built argument = i == 0 || expect(",", fmt::format("an argument of '{}', which takes {}", row.text, row.arity))
                         ? expression()
                         : std::nullopt;
    good = argument.has_value();
    arguments.push_back(argument);
  }
  if (!good || !expect(")", "the last argument")) {
    return std::nullopt;
  }
  report_span_ = from(begin);
  return builder_->op(row.op, arguments);
}

Built ProgramParser::applied() {
  std::uint32_t begin = token_.span.begin;
  advance();
  const OpRow* row = expect("(", "'apply'") ? find_op(token_.text) : nullptr;
  if (row == nullptr) {
    fail(token_.span, fmt::format("expected a function, found '{}'", token_.text));
    return std::nullopt;
  }
  advance();
  Built argument = expect(",", "a function") ? expression() : std::nullopt;
  if (!argument || !expect(")", "'apply'")) {
    return std::nullopt;
  }
  report_span_ = from(begin);
  return builder_->apply(row->op, argument);
}

Built ProgramParser::keyword_atom() {
  std::uint32_t begin = token_.span.begin;
  if (is("map")) return map_expression();
  if (is("reduce")) return reduce_expression();
  if (is("generate")) return generate_expression();
  if (is("fold")) return fold_expression();
  if (is("fill")) return fill();
  if (is("apply")) return applied();
  bool zip = is("zip");
  bool cat = is("cat");
  if (!zip && !cat && !is("mem")) {
    fail(token_.span, fmt::format("expected a term, found '{}'", token_.text));
    return std::nullopt;
  }
  advance();
  Built first = expect("(", "a function") ? expression() : std::nullopt;
  Built second = first && (zip || cat) && expect(",", "the first argument") ? expression() : first;
  if (!second || failed_ || !expect(")", "the last argument")) {
    return std::nullopt;
  }
  report_span_ = from(begin);
  if (!zip) {
    return cat ? builder_->cat(first, second) : builder_->mem(first);
  }
  const Type& a = first->type;
  const Type& b = second->type;
  if (a->kind != TypeKind::Array || b->kind != TypeKind::Array || !same_size(a->size, b->size)) {
    fail(report_span_,
         fmt::format("zip needs two arrays of the same length, not {} and {}", builder_->text(a), builder_->text(b)));
    return std::nullopt;
  }
  return builder_->through(layout(LayoutKind::Zip), builder_->pair(first, second));
}

Built ProgramParser::fill() {
  advance();
  std::optional<Type> of = expect("(", "'fill'") ? type() : std::nullopt;
  if (!of || !expect(",", "a type")) {
    return std::nullopt;
  }
  bool negative = accept("-");
  std::optional<Const> value = literal();
  if (!value || !expect(")", "'fill'")) {
    return std::nullopt;
  }
  if (negative) {
    value->negative = value->infinite;
    value->mantissa = -value->mantissa;
  }
  return builder_->constant(*of, *value);
}

}  // namespace vouch::array
