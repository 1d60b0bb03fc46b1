#include "term/parse.h"

#include <fmt/format.h>

#include <utility>

#include "term/lex.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr int kMaxDepth = 1000;
constexpr std::size_t kMaxMonomials = 10000;
constexpr std::size_t kMaxDigits = 1000;

using Parsed = std::optional<Term>;

class Parser {
 public:
  Parser(SourceRef source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics), token_(next_token(source_->text(), 0)) {}

  Parsed whole() {
    Parsed term = disjunction();
    if (term && token_.kind != TermTokenKind::End) {
      return expected("an operator or the end of the term");
    }
    return term;
  }

 private:
  // --- tokens
  void advance() { token_ = next_token(source_->text(), token_.span.end); }
  bool at(std::string_view text) const {
    return !token_.quoted && token_.text == text &&
           (token_.kind == TermTokenKind::Punctuation || token_.kind == TermTokenKind::Name);
  }
  bool accept(std::string_view text) {
    bool found = at(text);
    if (found) {
      advance();
    }
    return found;
  }
  bool expect(std::string_view text) {
    if (!accept(text)) {
      expected(fmt::format("`{}`", text));
      return false;
    }
    return true;
  }
  std::nullopt_t expected(std::string_view what) {
    std::string found = token_.kind == TermTokenKind::End ? "the end" : fmt::format("`{}`", token_.text);
    return error(token_.span, fmt::format("expected {}, found {}", what, found));
  }
  std::nullopt_t error(Span span, std::string message, std::string hint = {}) {
    diagnostics_.error(source_, span, std::move(message), std::move(hint));
    return std::nullopt;
  }
  Span since(std::uint32_t begin) const { return {begin, token_.span.begin}; }

  // --- sorts
  static const char* sort_name(Term term) {
    switch (term.sort()) {
      case Sort::Int: return "an integer";
      case Sort::Bool: return "a condition";
      case Sort::Real: return "a scalar";
    }
    return "a term";
  }
  Parsed require(Parsed term, Sort sort, std::uint32_t begin, std::string_view what) {
    if (!term || term->sort() == sort) {
      return term;
    }
    if (sort == Sort::Real && term->sort() == Sort::Int) {
      return real_of(*term);
    }
    return error(since(begin), fmt::format("expected {}, found {}", what, sort_name(*term)),
                 sort == Sort::Int && term->sort() == Sort::Real ? "an index from data is written `int(…)`" : "");
  }
  // Two operands of one sort that is no condition; integers become scalars next to a scalar.
  bool agree(Term& a, Term& b, std::uint32_t begin) {
    if (a.sort() == Sort::Bool || b.sort() == Sort::Bool) {
      error(since(begin), "a condition is no operand here");
      return false;
    }
    if (a.sort() != b.sort()) {
      a = a.sort() == Sort::Int ? real_of(a) : a;
      b = b.sort() == Sort::Int ? real_of(b) : b;
    }
    return true;
  }
  Parsed bounded(Term term, std::uint32_t begin) {
    if (term->depth > kMaxDepth) {
      return error(since(begin), fmt::format("the term is nested more than {} deep", kMaxDepth));
    }
    return term;
  }

  // --- guards
  template <class Operand>
  Parsed junction(std::string_view word, Operand operand, Term (*join)(std::span<const Term>)) {
    std::uint32_t begin = token_.span.begin;
    Parsed first = operand();
    if (!first || !at(word)) {
      return first;
    }
    std::vector<Term> parts;
    for (first = require(first, Sort::Bool, begin, "a condition"); first;) {
      parts.push_back(*first);
      if (!accept(word)) {
        return join(parts);
      }
      begin = token_.span.begin;
      first = require(operand(), Sort::Bool, begin, "a condition");
    }
    return std::nullopt;
  }
  Parsed disjunction() {
    if (++depth_ > kMaxDepth / 4) {
      return error(token_.span, fmt::format("parentheses and functions nest more than {} deep", kMaxDepth / 4));
    }
    Parsed result = junction(
        "or", [this] { return conjunction(); }, any_of);
    --depth_;
    return result;
  }
  Parsed conjunction() {
    return junction(
        "and", [this] { return negation(); }, all_of);
  }
  Parsed negation() {
    bool negated = false;
    bool any = false;
    for (; at("not"); advance()) {
      negated = !negated;
      any = true;
    }
    std::uint32_t begin = token_.span.begin;
    Parsed guard = comparison();
    if (any) {
      guard = require(guard, Sort::Bool, begin, "a condition");
    }
    return guard && negated ? negate(*guard) : guard;
  }
  std::optional<std::string> relation() {
    for (const char* op : {"<=", "<", ">=", ">", "==", "!="}) {
      if (accept(op)) {
        return op;
      }
    }
    return std::nullopt;
  }
  static Term compared(const std::string& op, Term a, Term b) {
    bool integer = a.sort() == Sort::Int;
    if (op[0] == '>') {
      std::swap(a, b);
    }
    if (op == "==" || op == "!=") {
      Term equal = integer ? eq(a, b) : real_eq(a, b);
      return op == "==" ? equal : negate(equal);
    }
    bool strict = op.size() == 1;
    return integer ? (strict ? lt(a, b) : le(a, b)) : (strict ? real_lt(a, b) : real_le(a, b));
  }
  Parsed comparison() {
    std::uint32_t begin = token_.span.begin;
    Parsed left = sum();
    std::vector<Term> links;
    while (left) {
      auto op = relation();
      if (!op) {
        return links.empty() ? left : Parsed(all_of(links));
      }
      Parsed right = sum();
      if (!right) {
        return std::nullopt;
      }
      Term a = *left;
      Term b = *right;
      if (!agree(a, b, begin)) {
        return std::nullopt;
      }
      links.push_back(compared(*op, a, b));
      left = right;
    }
    return std::nullopt;
  }

  // --- arithmetic
  Parsed sum() {
    std::uint32_t begin = token_.span.begin;
    Parsed left = product();
    while (left && (at("+") || at("-"))) {
      bool plus = at("+");
      advance();
      Parsed right = product();
      if (!right || !agree(*left, *right, begin)) {
        return std::nullopt;
      }
      left = bounded(plus ? *left + *right : *left - *right, begin);
    }
    return left;
  }
  Parsed product() {
    std::uint32_t begin = token_.span.begin;
    Parsed left = unary();
    while (left && (at("*") || at("/") || at("//") || at("%"))) {
      std::string op = token_.text;
      advance();
      Parsed right = unary();
      if (!right || !agree(*left, *right, begin)) {
        return std::nullopt;
      }
      left = multiplied(op, *left, *right, begin);
      left = left ? bounded(*left, begin) : left;
    }
    return left;
  }
  Parsed multiplied(const std::string& op, Term a, Term b, std::uint32_t begin) {
    bool integer = a.sort() == Sort::Int;
    if (op == "*") {
      if (integer && monomials(a).size() * monomials(b).size() > kMaxMonomials) {
        return error(since(begin), fmt::format("the product has more than {} monomials", kMaxMonomials));
      }
      return a * b;
    }
    if (op == "/") {
      return divided(a, b, begin);
    }
    if (!integer) {
      return error(since(begin), fmt::format("`{}` takes integers", op));
    }
    if (is_const(b) && b->value == 0) {
      return error(since(begin), fmt::format("the right side of `{}` is zero", op));
    }
    return op == "%" ? floor_mod(a, b) : floor_div(a, b);
  }
  Parsed divided(Term a, Term b, std::uint32_t begin) {
    if (a.sort() == Sort::Real) {
      return a / b;
    }
    if (!is_const(a) || !is_const(b)) {
      return error(since(begin), "`/` is division of scalars", "integers are divided by `//`, rounding down");
    }
    if (b->value == 0) {
      return error(since(begin), "the right side of `/` is zero");
    }
    return real_const(a->value / b->value);
  }
  Parsed unary() {
    std::uint32_t begin = token_.span.begin;
    int minuses = 0;
    for (; accept("-"); ++minuses) {
    }
    if (minuses > kMaxDepth) {
      return error(since(begin), "too many signs");
    }
    bool literal = token_.kind == TermTokenKind::Decimal;
    Parsed term = operand();
    if (!term || minuses == 0) {
      return term;
    }
    if (term->sort() == Sort::Bool) {
      return error(since(begin), "a condition has no sign");
    }
    for (int i = 0; i < minuses; ++i) {
      term = literal && i == 0 ? real_const(-(*term)->value) : -*term;
    }
    return bounded(*term, begin);
  }

  // --- operands
  Parsed operand() {
    if (token_.kind == TermTokenKind::Whole || token_.kind == TermTokenKind::Decimal) {
      return number();
    }
    if (accept("(")) {
      Parsed inside = disjunction();
      return inside && expect(")") ? inside : std::nullopt;
    }
    if (token_.kind != TermTokenKind::Name) {
      return expected("a term");
    }
    if (at("true") || at("false")) {
      bool value = at("true");
      advance();
      return bool_const(value);
    }
    TermToken name = std::exchange(token_, next_token(source_->text(), token_.span.end));
    return !name.quoted && is_reserved(name.text) ? word(name) : variable(name);
  }

  Parsed number() {
    TermToken literal = std::exchange(token_, next_token(source_->text(), token_.span.end));
    std::size_t exponent_at = literal.text.find_first_of("eE");
    std::string mantissa = literal.text.substr(0, exponent_at);
    int exponent = 0;
    if (exponent_at != std::string::npos) {
      std::string digits = literal.text.substr(exponent_at + 1);
      exponent = digits.size() > 5 ? static_cast<int>(kMaxDigits) + 1 : std::stoi(digits);
    }
    if (mantissa.size() > kMaxDigits || std::abs(exponent) > static_cast<int>(kMaxDigits)) {
      return error(literal.span, fmt::format("a number of more than {} digits", kMaxDigits));
    }
    if (std::size_t point = mantissa.find('.'); point != std::string::npos) {
      exponent -= static_cast<int>(mantissa.size() - point - 1);
      mantissa.erase(point, 1);
    }
    // A leading zero would make the library read octal digits.
    mantissa.erase(0, std::min(mantissa.find_first_not_of('0'), mantissa.size() - 1));
    Integer whole(mantissa);
    if (literal.kind == TermTokenKind::Whole) {
      return int_const(whole);
    }
    Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    return real_const(exponent < 0 ? Rational(whole, power) : Rational(Integer(whole * power)));
  }

  Parsed variable(const TermToken& name) {
    if (!accept("[")) {
      return int_var(name.text);
    }
    std::vector<Term> indices;
    while (!accept("]")) {
      if (!indices.empty() && !expect(",")) {
        return std::nullopt;
      }
      std::uint32_t begin = token_.span.begin;
      Parsed index = require(disjunction(), Sort::Int, begin, "an integer as index");
      if (!index) {
        return std::nullopt;
      }
      indices.push_back(*index);
    }
    return bounded(read(Symbol(name.text), std::move(indices)), name.span.begin);
  }

  Parsed word(const TermToken& name) {
    for (Reduction kind : {Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min}) {
      if (name.text == reduction_name(kind)) {
        return reduction(kind, name.span.begin);
      }
    }
    if (name.text == "real" && token_.kind == TermTokenKind::Name) {
      TermToken variable_name = std::exchange(token_, next_token(source_->text(), token_.span.end));
      return real_var(Symbol(variable_name.text));
    }
    std::vector<Term> args;
    if (!expect("(")) {
      return std::nullopt;
    }
    do {
      Parsed arg = disjunction();
      if (!arg) {
        return std::nullopt;
      }
      args.push_back(*arg);
    } while (accept(","));
    if (!expect(")")) {
      return std::nullopt;
    }
    Parsed term = applied(name, std::move(args));
    return term ? bounded(*term, name.span.begin) : term;
  }

  bool count(const TermToken& name, const std::vector<Term>& args, std::size_t wanted) {
    if (args.size() != wanted) {
      error(since(name.span.begin),
            fmt::format("`{}` takes {} argument{}, found {}", name.text, wanted, wanted == 1 ? "" : "s", args.size()));
    }
    return args.size() == wanted;
  }

  Parsed applied(const TermToken& name, std::vector<Term> args) {
    std::uint32_t begin = name.span.begin;
    if (auto fn = parse_fn(name.text)) {
      bool fits = count(name, args, static_cast<std::size_t>(fn_arity(*fn)));
      for (Term& arg : args) {
        Parsed scalar = fits ? require(arg, Sort::Real, begin, "a scalar") : std::nullopt;
        fits = scalar.has_value();
        arg = scalar.value_or(arg);
      }
      return fits ? Parsed(call(*fn, std::move(args))) : std::nullopt;
    }
    if (name.text == "real" || name.text == "int") {
      return count(name, args, 1) ? converted(name, args[0]) : std::nullopt;
    }
    if (name.text == "select") {
      bool fits = count(name, args, 3) && require(args[0], Sort::Bool, begin, "a condition") && agree(args[1], args[2], begin);
      return !fits ? std::nullopt
                   : Parsed(args[1].sort() == Sort::Int ? int_select(args[0], args[1], args[2])
                                                        : select(args[0], args[1], args[2]));
    }
    if (name.text == "min" || name.text == "max") {
      bool least = name.text == "min";
      if (!count(name, args, 2) || !agree(args[0], args[1], begin)) {
        return std::nullopt;
      }
      if (args[0].sort() == Sort::Real) {
        return call(least ? Fn::Min : Fn::Max, std::move(args));
      }
      return least ? int_min(args[0], args[1]) : int_max(args[0], args[1]);
    }
    return error(name.span, fmt::format("`{}` is a word of the language, no name", name.text),
                 "write it between backquotes to use it as a name");
  }

  Parsed converted(const TermToken& name, Term arg) {
    bool to_real = name.text == "real";
    if (arg.sort() != (to_real ? Sort::Int : Sort::Real)) {
      return error(since(name.span.begin),
                   fmt::format("`{}` takes {}, found {}", name.text, to_real ? "an integer" : "a scalar", sort_name(arg)));
    }
    return to_real ? real_of(arg) : int_of(arg);
  }

  Parsed reduction(Reduction kind, std::uint32_t begin) {
    std::vector<BoundIndex> indices;
    if (!expect("(")) {
      return std::nullopt;
    }
    do {
      if (token_.kind != TermTokenKind::Name) {
        return expected("the name of a bound index");
      }
      Symbol name(token_.text);
      advance();
      std::uint32_t extent_begin = token_.span.end;
      Parsed extent = expect("<") ? require(sum(), Sort::Int, extent_begin, "an integer as extent") : std::nullopt;
      if (!extent) {
        return std::nullopt;
      }
      indices.push_back({name, *extent});
    } while (accept(","));
    Parsed guard = bool_const(true);
    if (accept("where")) {
      std::uint32_t guard_begin = token_.span.begin;
      guard = require(disjunction(), Sort::Bool, guard_begin, "a condition");
    }
    if (!guard || !expect(")") || ++depth_ > kMaxDepth / 4) {
      return guard && depth_ > kMaxDepth / 4 ? error(token_.span, "reductions nest too deep") : std::nullopt;
    }
    std::uint32_t body_begin = token_.span.begin;
    Parsed body = require(unary(), Sort::Real, body_begin, "a scalar");
    --depth_;
    return body ? bounded(reduce(kind, indices, *guard, *body), begin) : body;
  }

  SourceRef source_;
  Diagnostics& diagnostics_;
  TermToken token_;
  int depth_ = 0;
};

}  // namespace

std::optional<Term> parse_term(SourceRef source, Diagnostics& diagnostics) {
  return Parser(std::move(source), diagnostics).whole();
}

}  // namespace vouch
