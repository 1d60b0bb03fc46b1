#include "term/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "support/fault.h"
#include "term/uninterpreted.h"

namespace vouch {
namespace {

struct FnRow {
  Fn fn;
  std::string_view name;
  int arity;
};

constexpr std::array<FnRow, kFnCount> kFns = {{
    {Fn::Exp, "exp", 1},     {Fn::Log, "log", 1},     {Fn::Sqrt, "sqrt", 1},   {Fn::Tanh, "tanh", 1},
    {Fn::Erf, "erf", 1},     {Fn::Abs, "abs", 1},     {Fn::Sign, "sign", 1},   {Fn::Floor, "floor", 1},
    {Fn::Ceil, "ceil", 1},   {Fn::Round, "round", 1}, {Fn::Trunc, "trunc", 1}, {Fn::Sin, "sin", 1},
    {Fn::Cos, "cos", 1},     {Fn::Tan, "tan", 1},     {Fn::Asin, "asin", 1},   {Fn::Acos, "acos", 1},
    {Fn::Atan, "atan", 1},   {Fn::Sinh, "sinh", 1},   {Fn::Cosh, "cosh", 1},   {Fn::Asinh, "asinh", 1},
    {Fn::Acosh, "acosh", 1}, {Fn::Atanh, "atanh", 1}, {Fn::Min, "fmin", 2},    {Fn::Max, "fmax", 2},
    {Fn::Pow, "pow", 2},     {Fn::Mod, "mod", 2},     {Fn::Fmod, "fmod", 2},   {Fn::TruncDiv, "truncdiv", 2},
}};

constexpr bool fns_in_order() {
  for (int i = 0; i < kFnCount; ++i) {
    if (static_cast<int>(kFns[static_cast<std::size_t>(i)].fn) != i) {
      return false;
    }
  }
  return true;
}
static_assert(fns_in_order(), "one row for each scalar function, in order");

const std::array<std::string, kUninterpretedCount> kUninterpretedNames = [] {
  std::array<std::string, kUninterpretedCount> out;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = fmt::format("opaque{}", k);
  }
  return out;
}();

constexpr std::array<std::string_view, 16> kWords = {"and", "or",  "not",    "true", "false", "where",   "real",    "int",
                                                     "min", "max", "select", "sum",  "prod",  "maximum", "minimum", ""};

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '\''; };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), later);
}

// Binding strengths, loosest first.
enum Level : int { kOr, kAnd, kNot, kCompare, kSum, kProduct, kUnary, kAtom };

class Printer {
 public:
  std::string print(Term t, int level) {
    std::string text;
    int own = write(t, text);
    return own < level ? "(" + text + ")" : text;
  }

 private:
  std::string joined(std::span<const Term> args, const char* separator, int level) {
    std::string out;
    for (std::size_t i = 0; i < args.size(); ++i) {
      out += (i ? separator : "") + print(args[i], level);
    }
    return out;
  }

  int infix(Term t, const char* op, int left, int right, int own, std::string& out) {
    out = print(t.arg(0), left) + op + print(t.arg(1), right);
    return own;
  }

  int function(std::string_view name, std::span<const Term> args, std::string& out) {
    out = fmt::format("{}({})", name, joined(args, ", ", kOr));
    return kAtom;
  }

  int write_sum(Term t, std::string& out) {
    for (Term summand : t.args()) {
      bool constant = summand.kind() == TermKind::IntConst;
      bool scaled = summand.kind() == TermKind::IntMul && summand.arg(0).kind() == TermKind::IntConst;
      bool negative = (constant && numerator(summand->value) < 0) || (scaled && numerator(summand.arg(0)->value) < 0);
      Term shown = negative && !out.empty() ? -summand : summand;
      out += out.empty() ? "" : negative ? " - " : " + ";
      out += print(shown, kProduct);
    }
    return kSum;
  }

  // `-1 * n` is written `-n`.
  int write_product(Term t, std::string& out) {
    if (t.arg(0).kind() == TermKind::IntConst && t.arg(0)->value == -1) {
      out = "-" + joined(t.args().subspan(1), " * ", kUnary);
      return kProduct;
    }
    out = print(t.arg(0), kProduct) + " * " + joined(t.args().subspan(1), " * ", kUnary);
    return kProduct;
  }

  int write_reduce(Term t, std::string& out) {
    out = fmt::format("{}(", reduction_name(t->reduction));
    for (std::size_t i = 0; i < t->bound.size(); ++i) {
      out += fmt::format("{}{} < {}", i ? ", " : "", print_name(t->bound[i]), print(t.arg(i + 2), kSum));
    }
    if (!is_true(t.arg(1))) {
      out += " where " + print(t.arg(1), kOr);
    }
    out += ") " + print(t.arg(0), kUnary);
    return kUnary;
  }

  // A whole constant is written with a point, so that it is told from an integer; `3/4` is one constant, since
  // integer terms have no `/`.
  static int write_real(const Rational& value, std::string& out) {
    out = to_text(value) + (is_integral(value) ? ".0" : "");
    return numerator(value) < 0 || !is_integral(value) ? kProduct : kAtom;
  }

  // `-3.0` is a constant, `-(3.0)` the negation of one.
  int write_minus(Term t, std::string& out) {
    out = "-" + print(t.arg(0), t.arg(0).kind() == TermKind::RealConst ? kAtom + 1 : kUnary);
    return kUnary;
  }

  int write_negation(Term t, std::string& out) {
    if (t.arg(0).kind() == TermKind::IntEq || t.arg(0).kind() == TermKind::RealEq) {
      return infix(t.arg(0), " != ", kSum, kSum, kCompare, out);
    }
    out = "not " + print(t.arg(0), kNot);
    return kNot;
  }

  int write(Term t, std::string& out) {
    switch (t.kind()) {
      case TermKind::IntConst: out = to_text(t->value); return numerator(t->value) < 0 ? kProduct : kAtom;
      case TermKind::RealConst: return write_real(t->value, out);
      case TermKind::BoolConst: out = t->value != 0 ? "true" : "false"; return kAtom;
      case TermKind::IntVar: out = print_name(t->symbol); return kAtom;
      case TermKind::RealVar: out = "real " + print_name(t->symbol); return kUnary;
      case TermKind::IntAdd: return write_sum(t, out);
      case TermKind::IntMul: return write_product(t, out);
      case TermKind::FloorDiv: return infix(t, " // ", kProduct, kUnary, kProduct, out);
      case TermKind::FloorMod: return infix(t, " % ", kProduct, kUnary, kProduct, out);
      case TermKind::IntMin: return function("min", t.args(), out);
      case TermKind::IntMax: return function("max", t.args(), out);
      case TermKind::IntSelect:
      case TermKind::Select: return function("select", t.args(), out);
      case TermKind::IntOf: return function("int", t.args(), out);
      case TermKind::RealOf: return function("real", t.args(), out);
      case TermKind::IntLe:
      case TermKind::RealLe: return infix(t, " <= ", kSum, kSum, kCompare, out);
      case TermKind::IntEq:
      case TermKind::RealEq: return infix(t, " == ", kSum, kSum, kCompare, out);
      case TermKind::RealLt: return infix(t, " < ", kSum, kSum, kCompare, out);
      case TermKind::And: out = joined(t.args(), " and ", kNot); return kAnd;
      case TermKind::Or: out = joined(t.args(), " or ", kAnd); return kOr;
      case TermKind::Not: return write_negation(t, out);
      case TermKind::Read: out = fmt::format("{}[{}]", print_name(t->symbol), joined(t.args(), ", ", kOr)); return kAtom;
      case TermKind::RealAdd: return infix(t, " + ", kSum, kProduct, kSum, out);
      case TermKind::RealSub: return infix(t, " - ", kSum, kProduct, kSum, out);
      case TermKind::RealMul: return infix(t, " * ", kProduct, kUnary, kProduct, out);
      case TermKind::RealDiv: return infix(t, " / ", kProduct, kUnary, kProduct, out);
      case TermKind::RealNeg: return write_minus(t, out);
      case TermKind::Call: return function(fn_name(t->fn), t.args(), out);
      case TermKind::Reduce: return write_reduce(t, out);
    }
    fault("a term of unknown kind");
  }
};

}  // namespace

bool is_reserved(std::string_view word) {
  static const std::unordered_set<std::string_view> words = [] {
    std::unordered_set<std::string_view> all(kWords.begin(), kWords.end());
    for (const FnRow& row : kFns) {
      all.insert(row.name);
    }
    return all;
  }();
  return words.contains(word);
}

std::string print_name(Symbol name) {
  if (is_identifier(name.name()) && !is_reserved(name.name())) {
    return name.name();
  }
  std::string out = "`";
  for (char c : name.name()) {
    out += c == '`' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return out + "`";
}

std::string print_term(Term term) { return Printer().print(term, kOr); }

std::string_view fn_name(Fn fn) {
  auto opaque = uninterpreted_number(fn);
  return opaque ? std::string_view(kUninterpretedNames[static_cast<std::size_t>(*opaque)])
                : kFns[static_cast<std::size_t>(fn)].name;
}
int fn_arity(Fn fn) { return uninterpreted_number(fn) ? 1 : kFns[static_cast<std::size_t>(fn)].arity; }

std::optional<Fn> parse_fn(std::string_view name) {
  for (const FnRow& row : kFns) {
    if (row.name == name) {
      return row.fn;
    }
  }
  return std::nullopt;
}

std::string_view reduction_name(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "sum";
    case Reduction::Product: return "prod";
    case Reduction::Max: return "maximum";
    case Reduction::Min: return "minimum";
  }
  return "sum";
}

}  // namespace vouch
