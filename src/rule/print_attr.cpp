#include <fmt/format.h>

#include <algorithm>

#include "rule/printer.h"
#include "term/infinity.h"

namespace vouch {
namespace {

// Binding strengths, loosest first.
enum Level : int { kOr, kAnd, kNot, kCompare, kSum, kProduct, kUnary, kAtom };

Level level_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or: return kOr;
    case BinaryOp::And: return kAnd;
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge: return kCompare;
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Concat: return kSum;
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod: return kProduct;
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Divides:
    case BinaryOp::Permute: return kAtom;
  }
  return kAtom;
}

std::string_view unary_word(UnaryOp op) {
  switch (op) {
    case UnaryOp::Neg: return "-";
    case UnaryOp::Not: return "not ";
    case UnaryOp::Length: return "len";
    case UnaryOp::Abs: return "abs";
    case UnaryOp::Ceil: return "ceil";
    case UnaryOp::Floor: return "floor";
    case UnaryOp::Sqrt: return "sqrt";
  }
  return "";
}

std::string_view reduction_word(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "sum";
    case Reduction::Product: return "product";
    case Reduction::Max: return "maximum";
    case Reduction::Min: return "minimum";
  }
  return "sum";
}

// Is this a comparison, or joined of such? A product of them is written `all`.
bool is_condition(const AttrExpr& expr) {
  static constexpr BinaryOp kConditions[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt,  BinaryOp::Le,
                                             BinaryOp::Gt, BinaryOp::Ge, BinaryOp::And, BinaryOp::Or};
  return (expr.kind == AttrKind::Unary && expr.unary == UnaryOp::Not) ||
         (expr.kind == AttrKind::Binary &&
          std::find(std::begin(kConditions), std::end(kConditions), expr.binary) != std::end(kConditions));
}

// A finite decimal with a point where there is one (denominators of 2 and 5 only), else a quotient.
std::string decimal(const Rational& value) {
  Integer scaled(numerator(value));
  Integer rest(denominator(value));
  std::size_t digits = 0;
  while (rest != 1) {
    Integer shared = rest % 10 == 0 ? Integer(10) : rest % 5 == 0 ? Integer(5) : rest % 2 == 0 ? Integer(2) : Integer(0);
    if (shared == 0) {
      return Integer(numerator(value)).str() + ".0 / " + Integer(denominator(value)).str();
    }
    scaled *= 10 / shared;
    rest /= shared;
    ++digits;
  }
  std::string text = scaled.str();
  bool negative = text[0] == '-';
  text.erase(0, negative ? 1 : 0);
  if (text.size() <= digits) {
    text.insert(0, digits + 1 - text.size(), '0');
  }
  text.insert(text.size() - digits, ".");
  return (negative ? "-" : "") + text + (digits == 0 ? "0" : "");
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace

std::string print_value(const AttrValue& value) {
  if (value.string()) {
    return quoted(*value.string());
  }
  if (value.number() && value.number()->sort() == Sort::Real && is_const(*value.number())) {
    return decimal((*value.number())->value);
  }
  if (auto positive = value.number() ? infinite_sign(*value.number()) : std::nullopt) {
    return *positive ? "inf" : "-inf";
  }
  return value.text();
}

std::string RulePrinter::attr(AttrId id, int level) {
  if (auto named = attr_names_.find(id); named != attr_names_.end() && defined_attrs_.contains(id)) {
    return named->second;
  }
  std::string out;
  int own = write(rule_.attr(id), out);
  return own < level ? "(" + out + ")" : out;
}

std::string RulePrinter::attrs(const std::vector<AttrId>& ids) {
  std::string out;
  for (AttrId id : ids) {
    out += (out.empty() ? "" : ", ") + attr(id);
  }
  return out;
}

int RulePrinter::write(const AttrExpr& expr, std::string& out) {
  switch (expr.kind) {
    case AttrKind::Value:
      out = print_value(expr.value);
      return out.find('/') != std::string::npos && expr.value.number() ? kProduct : out[0] == '-' ? kUnary : kAtom;
    case AttrKind::Any: out = "any"; return kAtom;
    case AttrKind::Absent: out = "_"; return kAtom;
    case AttrKind::Access: out = use(expr.pattern) + "." + expr.name.name(); return kAtom;
    case AttrKind::Unary: return write_unary(expr, out);
    case AttrKind::Binary: return write_binary(expr, out);
    case AttrKind::Tuple: out = fmt::format("({}{})", attrs(expr.args), expr.args.size() == 1 ? "," : ""); return kAtom;
    case AttrKind::Project: out = fmt::format("{}[{}]", attr(expr.args[0], kAtom), attr(expr.args[1])); return kAtom;
    case AttrKind::Symbol: out = symbol_name(expr.name); return kAtom;
    case AttrKind::VarTuple:
    case AttrKind::Reduce: return write_bound(expr, out);
    case AttrKind::Each: return write_each(expr, out);
    case AttrKind::Axes: out = axes(expr); return kAtom;
    case AttrKind::Conditional:
      out = fmt::format("if ({}) {} else {}", attr(expr.args[0]), attr(expr.args[1]), attr(expr.args[2]));
      return -1;  // always in parentheses within something else, because its end is open
  }
  return kAtom;
}

int RulePrinter::write_unary(const AttrExpr& expr, std::string& out) {
  if (expr.unary != UnaryOp::Neg && expr.unary != UnaryOp::Not) {
    out = fmt::format("{}({})", unary_word(expr.unary), attr(expr.args[0]));
    return kAtom;
  }
  bool neg = expr.unary == UnaryOp::Neg;
  std::string operand = attr(expr.args[0], neg ? kUnary : kNot);
  // `-2` would read as a number.
  bool number = neg && operand[0] >= '0' && operand[0] <= '9';
  out = fmt::format("{}{}", unary_word(expr.unary), number ? "(" + operand + ")" : operand);
  return neg ? kUnary : kNot;
}

int RulePrinter::write_binary(const AttrExpr& expr, std::string& out) {
  Level own = level_of(expr.binary);
  if (own == kAtom) {
    out = fmt::format("{}({})", binary_op_text(expr.binary), attrs(expr.args));
    return kAtom;
  }
  int left = own == kCompare ? kSum : own;
  out = fmt::format("{} {} {}", attr(expr.args[0], left), binary_op_text(expr.binary), attr(expr.args[1], own + 1));
  return own;
}

int RulePrinter::write_bound(const AttrExpr& expr, std::string& out) {
  bool all = expr.kind != AttrKind::VarTuple && expr.reduction == Reduction::Product && is_condition(rule_.attr(expr.args[0]));
  std::string_view word = all ? "all" : expr.kind == AttrKind::VarTuple ? "tuple" : reduction_word(expr.reduction);
  std::string length = expr.args.size() > 1 ? " < " + attr(expr.args[1], kSum) : "";
  std::string index = bind_symbol(expr.name);
  out = fmt::format("{}[{}{}]({})", word, index, length, attr(expr.args[0]));
  unbind_symbol();
  return kAtom;
}

int RulePrinter::write_each(const AttrExpr& expr, std::string& out) {
  std::string constant = use(rule_.attr(expr.args[1]).pattern);
  std::string element = bind_symbol(expr.name);
  out = fmt::format("all[{} in {}]({})", element, constant, attr(expr.args[0]));
  unbind_symbol();
  return kAtom;
}

}  // namespace vouch
