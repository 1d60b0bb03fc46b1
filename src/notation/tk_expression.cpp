#include "notation/tk_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "notation/tk_foreign.h"
#include "notation/tk_meaning.h"
#include "support/how_many.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr int kDeepest = 200;
constexpr std::size_t kMostDigits = 400;  // the largest double has 309
constexpr std::int64_t kLargestExponent = 400;

// `-05`; more digits than matter are more than is allowed.
std::int64_t exponent_of(std::string_view text) {
  bool negative = text[0] == '-';
  std::int64_t value = 0;
  for (char c : text.substr(text[0] == '-' || text[0] == '+' ? 1 : 0)) {
    value = std::min<std::int64_t>(10 * value + (c - '0'), kLargestExponent + 1);
  }
  return negative ? -value : value;
}

bool is_of_extents(const TkToken& token) {
  constexpr std::string_view kPunctuation[] = {"+", "-", "*", "//", "(", ")", ","};
  return token.kind == TkTokenKind::Whole || token.kind == TkTokenKind::Name ||
         std::find(std::begin(kPunctuation), std::end(kPunctuation), token.text) != std::end(kPunctuation);
}

}  // namespace

Term TkReader::as_scalar(Term term) const {
  if (term.sort() != Sort::Int) {
    return term;
  }
  return term.kind() == TermKind::IntConst ? real_const(term->value) : real_of(term);
}

std::optional<Term> TkReader::as_guard(const Operand& operand) {
  if (operand.term.sort() == Sort::Bool) {
    return operand.term;
  }
  fail(operand.span, "expected a condition, found a value",
       fmt::format("compare it: `{} != 0`", source_->text().substr(operand.span.begin, operand.span.end - operand.span.begin)));
  return std::nullopt;
}

std::optional<std::vector<TkAddend>> TkReader::scalar() {
  operators_ = 0;
  comparisons_ = 0;
  Parsed parsed = disjunction();
  if (!parsed) {
    return std::nullopt;
  }
  if (parsed->term.sort() == Sort::Bool) {
    fail(parsed->span, "expected a value, found a condition",
         token_.text == "?" ? std::string(tk_meant_by("", "?", ' ')) : "use `select(condition, 1, 0)`");
    return std::nullopt;
  }
  for (TkAddend& addend : parsed->addends) {
    addend.term = as_scalar(addend.term);
  }
  return std::move(parsed->addends);
}

TkReader::Parsed TkReader::disjunction() {
  if (++depth_ > kDeepest) {
    fail(token_.span, fmt::format("nested deeper than {}", kDeepest));
    return std::nullopt;
  }
  Parsed left = conjunction();
  while (left && accept("||")) {
    Parsed right = conjunction();
    std::optional<Term> a = as_guard(*left);
    std::optional<Term> b = right ? as_guard(*right) : std::nullopt;
    left = a && b ? Parsed(whole(either(*a, *b), joined(left->span, right->span), {&*left, &*right})) : std::nullopt;
  }
  --depth_;
  return left;
}

TkReader::Parsed TkReader::conjunction() {
  Parsed left = comparison();
  while (left && accept("&&")) {
    Parsed right = comparison();
    std::optional<Term> a = as_guard(*left);
    std::optional<Term> b = right ? as_guard(*right) : std::nullopt;
    left = a && b ? Parsed(whole(both(*a, *b), joined(left->span, right->span), {&*left, &*right})) : std::nullopt;
  }
  return left;
}

TkReader::Parsed TkReader::comparison() {
  Parsed left = additive();
  if (!left || token_.kind != TkTokenKind::Punctuation) {
    return left;
  }
  for (std::string_view op : {"<", "<=", ">", ">=", "==", "!="}) {
    if (token_.text == op) {
      take();
      Parsed right = additive();
      return right ? compare_terms(op, *left, *right) : std::nullopt;
    }
  }
  return left;
}

TkReader::Parsed TkReader::compare_terms(std::string_view op, const Operand& a, const Operand& b) {
  Span span = joined(a.span, b.span);
  if (!one_more(comparisons_, "comparisons", span)) {
    return std::nullopt;
  }
  if (a.term.sort() == Sort::Bool || b.term.sort() == Sort::Bool) {
    fail(span, "expected values on both sides of a comparison, found a condition");
    return std::nullopt;
  }
  bool ints = a.term.sort() == Sort::Int && b.term.sort() == Sort::Int;
  Term x = ints ? a.term : as_scalar(a.term);
  Term y = ints ? b.term : as_scalar(b.term);
  auto less = [&](Term p, Term q) { return ints ? lt(p, q) : real_lt(p, q); };
  auto at_most = [&](Term p, Term q) { return ints ? le(p, q) : real_le(p, q); };
  auto same = [&](Term p, Term q) { return ints ? eq(p, q) : real_eq(p, q); };
  Term guard = op == "<"    ? less(x, y)
               : op == "<=" ? at_most(x, y)
               : op == ">"  ? less(y, x)
               : op == ">=" ? at_most(y, x)
               : op == "==" ? same(x, y)
                            : opposite(same(x, y));
  return whole(guard, span, {&a, &b});
}

TkReader::Parsed TkReader::additive() {
  Parsed left = product();
  while (left && token_.kind == TkTokenKind::Punctuation && (token_.text == "+" || token_.text == "-")) {
    std::string_view op = take().text;
    Parsed right = product();
    left = right ? combine(op, *left, *right) : std::nullopt;
  }
  return left;
}

TkReader::Parsed TkReader::product() {
  Parsed left = unary();
  while (left && token_.kind == TkTokenKind::Punctuation &&
         (token_.text == "*" || token_.text == "/" || token_.text == "//" || token_.text == "%")) {
    std::string_view op = take().text;
    Parsed right = unary();
    left = right ? combine(op, *left, *right) : std::nullopt;
  }
  return left;
}

// Signs and negations are applied from the innermost outwards, each to what its operand is.
TkReader::Parsed TkReader::unary() {
  std::vector<TkToken> signs;
  while (token_.kind == TkTokenKind::Punctuation && (token_.text == "-" || token_.text == "!")) {
    signs.push_back(take());
    if (!one_more(operators_, "operators", signs.back().span)) {
      return std::nullopt;
    }
  }
  Parsed inner = atom();
  for (auto sign = signs.rbegin(); inner && sign != signs.rend(); ++sign) {
    inner = sign->text == "-" ? negative(*inner, sign->span) : inverted(*inner, sign->span);
  }
  return inner;
}

TkReader::Parsed TkReader::atom() {
  TkToken token = token_;
  if (token.kind == TkTokenKind::Whole || token.kind == TkTokenKind::Decimal) {
    return number();
  }
  if (accept("(")) {
    Parsed inner = disjunction();
    if (!inner || !expect(")")) {
      return std::nullopt;
    }
    inner->span = {token.span.begin, last_end_};
    return inner;
  }
  if (token.kind != TkTokenKind::Name) {
    char before = token.span.begin > 0 ? source_->text()[token.span.begin - 1] : ' ';
    fail(place(), fmt::format("expected a tensor, an index, a number or '(', found {}", found()),
         std::string(tk_meant_by("", token.text, before)));
    return std::nullopt;
  }
  take();
  Symbol name(token.text);
  auto size = sizes_.find(std::string(token.text));
  if (in_shape_ > 0) {
    Term value = size != sizes_.end() ? Term(size->second) : int_var(name);
    return name_size(token) ? Parsed(whole(value, token.span, {})) : std::nullopt;
  }
  if (token_.text == "(") {
    return function(token);
  }
  // `n < 3` compares an index, `A<3>` is a tensor. Conditions stand in `select` alone.
  bool shape = token_.text == "<" && (in_condition_ == 0 ? find(name) || !index_places.contains(name) : shape_follows());
  if (shape || token_.text == "[" || find(name)) {
    auto read_at = access(token);
    if (!read_at) {
      return std::nullopt;
    }
    Span span{token.span.begin, last_end_};
    read_at->guarded = guarded_ > 0;
    reads.push_back(*read_at);
    Term element = element_at(name, read_at->at, read_at->shape);
    return Operand{element, span, {{element, read_at->names}}};
  }
  if (size != sizes_.end() || named_sizes.has(name)) {
    return whole(size != sizes_.end() ? Term(size->second) : int_var(name), token.span, {});
  }
  index_places.emplace(name, token.span);
  bool summed = std::find(spatial.begin(), spatial.end(), name) == spatial.end();
  return Operand{int_var(name), token.span, {{int_var(name), summed ? std::vector<Symbol>{name} : std::vector<Symbol>{}}}};
}

// Extents up to `>`, then `[`: nowhere else do these two stand together. Only a scalar goes without subscripts.
bool TkReader::shape_follows() const {
  const TkToken first = next_tk_token(source_->text(), token_.span.end);
  TkToken last = first;
  int tokens = 0;
  while (is_of_extents(last)) {
    last = next_tk_token(source_->text(), last.span.end);
    ++tokens;
  }
  TkToken next = next_tk_token(source_->text(), last.span.end);
  bool scalar = tokens == 1 && (first.kind == TkTokenKind::Name || first.text == "1");
  bool operand =
      next.kind == TkTokenKind::Whole || next.kind == TkTokenKind::Decimal || next.kind == TkTokenKind::Name || next.text == "(";
  return tokens > 0 && last.text == ">" && (next.text == "[" || (scalar && !operand));
}

TkReader::Parsed TkReader::number() {
  TkToken token = take();
  if (token.text.size() > kMostDigits) {
    fail(token.span, fmt::format("a number of more than {} digits", kMostDigits));
    return std::nullopt;
  }
  std::string digits(token.text.substr(0, token.text.find_first_of("eE")));
  std::int64_t exponent = digits.size() == token.text.size() ? 0 : exponent_of(token.text.substr(digits.size() + 1));
  if (exponent > kLargestExponent || exponent < -kLargestExponent) {
    fail(token.span, fmt::format("'{}' has an exponent beyond {}", token.text, kLargestExponent));
    return std::nullopt;
  }
  std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));  // not octal
  Integer value(digits);
  if (token.kind == TkTokenKind::Whole && digits.size() <= 18) {
    return whole(int_const(value), token.span, {});
  }
  Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  return whole(real_const(exponent < 0 ? Rational(value, power) : Rational(value * power)), token.span, {});
}

TkReader::Parsed TkReader::function(const TkToken& name) {
  bool is_select = name.text == "select";
  auto fn = parse_fn(name.text == "fmin" ? "min" : name.text == "fmax" ? "max" : name.text);
  if (name.text == "max" || name.text == "fmax") {
    fn = Fn::Max;
  } else if (name.text == "min" || name.text == "fmin") {
    fn = Fn::Min;
  }
  if (!is_select && !fn) {
    static const std::vector<std::string> kFunctions = {"exp", "log", "sqrt",   "tanh", "erf", "abs",
                                                        "max", "min", "select", "sin",  "cos", "pow"};
    std::string meant(tk_meant_by_function(name.text));
    auto near = suggest(name.text, kFunctions);
    fail(name.span, fmt::format("unknown function '{}'", name.text),
         !meant.empty() ? meant
         : near         ? fmt::format("did you mean '{}'?", *near)
                        : fmt::format("functions: {}", fmt::join(kFunctions, ", ")));
    return std::nullopt;
  }
  expect("(");
  std::vector<Operand> args;
  do {
    int& context = args.empty() ? in_condition_ : guarded_;
    context += is_select ? 1 : 0;
    Parsed arg = disjunction();
    context -= is_select ? 1 : 0;
    if (!arg) {
      return std::nullopt;
    }
    args.push_back(*arg);
  } while (accept(","));
  if (!expect(")")) {
    return std::nullopt;
  }
  Span span{name.span.begin, last_end_};
  std::size_t arity = is_select ? 3 : static_cast<std::size_t>(fn_arity(*fn));
  if (args.size() != arity) {
    bool over_index = args.size() == 1 && (fn == Fn::Max || fn == Fn::Min);
    fail(span, fmt::format("'{}' takes {}, found {}", name.text, how_many(arity, "argument"), args.size()),
         over_index ? "it is of two elements; over an index there are sums alone: write a functional program (.fun)" : "");
    return std::nullopt;
  }
  if (is_select) {
    return select_of(args, span);
  }
  std::vector<Term> terms;
  for (const Operand& arg : args) {
    if (arg.term.sort() == Sort::Bool) {
      fail(arg.span, "expected a value, found a condition");
      return std::nullopt;
    }
    terms.push_back(as_scalar(arg.term));
  }
  return whole(call(*fn, terms), span, args);
}

TkReader::Parsed TkReader::select_of(const std::vector<Operand>& args, Span span) {
  auto guard = as_guard(args[0]);
  if (!guard) {
    return std::nullopt;
  }
  for (std::size_t k = 1; k < 3; ++k) {
    if (args[k].term.sort() == Sort::Bool) {
      fail(args[k].span, "expected a value, found a condition");
      return std::nullopt;
    }
  }
  return whole(select(*guard, as_scalar(args[1].term), as_scalar(args[2].term)), span, args);
}

}  // namespace vouch
