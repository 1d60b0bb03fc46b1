#include "theorem/coq_term.h"

#include <fmt/format.h>

#include <cctype>

#include "support/fault.h"
#include "term/print.h"

namespace vouch {
namespace {

// Words of Coq, and everything that printed terms and proofs refer to.
const std::set<std::string>& reserved() {
  static const std::set<std::string> words = {
      "as",       "at",        "cofix",   "else",    "end",        "exists",  "exists2",  "fix",      "for",        "forall",
      "fun",      "if",        "IF",      "in",      "let",        "match",   "mod",      "return",   "Prop",       "Set",
      "Type",     "SProp",     "then",    "using",   "where",      "with",    "R",        "Z",        "N",          "O",
      "S",        "I",         "True",    "False",   "true",       "false",   "bool",     "nat",      "list",       "nil",
      "cons",     "eq",        "not",     "and",     "or",         "negb",    "andb",     "orb",      "IZR",        "Rabs",
      "Rmax",     "Rmin",      "Rinv",    "Rdiv",    "exp",        "ln",      "sqrt",     "tanh",     "sin",        "cos",
      "tan",      "asin",      "acos",    "atan",    "sinh",       "cosh",    "pow",      "Int_part", "Rltb",       "Rleb",
      "Reqb",     "sum",       "over",    "only",    "product",    "maximum", "minimum",  "env",      "value",      "total",
      "term",     "body",      "guard",   "binders", "domain",     "Leaf",    "Add",      "Sub",      "Opp",        "Mul",
      "Total",    "Choose",    "When",    "Term",    "nth",        "app",     "length",   "map",      "rev_append", "holds",
      "integers", "leaf",      "cancel",  "drop",    "difference", "fulfil",  "relu",     "v",        "PI",         "up",
      "fact",     "Ropp",      "Rplus",   "Rminus",  "Rmult",      "id",      "fst",      "snd",      "pair",       "none",
      "some",     "None",      "Some",    "source",  "target",     "truth",   "element",  "elements", "u",          "t",
      "e",        "l",         "scalar",  "whole",   "fraction",   "plus",    "minus",    "times",    "divided",    "negated",
      "less",     "at_most",   "equal",   "K",       "extent",     "same",    "result",   "operator", "filled",     "truths",
      "summed",   "reading",   "Kernel",  "Syntax",  "at_ints",    "added",   "truth_at", "decides",  "Semantics",  "elementwise",
      "whole_of", "stretched", "numbers", "powers",  "unknowns",   "reduced", "outcome",  "reducer",  "reducing",   "reduces",
      "Sums",     "Product",   "Largest", "Smallest"};
  return words;
}

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    out += plain ? c : '_';
  }
  bool starts_well = !out.empty() && std::isalpha(static_cast<unsigned char>(out[0])) != 0;
  return starts_well ? out : "i" + out;
}

// Parameters of the theorem, and what is said of them, are called `the_…`: no name of a rule is.
std::string given_name(Symbol symbol) {
  std::string name = identifier(symbol.name());
  return name.starts_with("the_") ? "its_" + name : name;
}

std::string number(const Rational& value) {
  Rational size = abs(value);
  std::string text =
      is_integral(size) ? numerator(size).str() : fmt::format("({} / {})", numerator(size).str(), denominator(size).str());
  return value < 0 ? fmt::format("(- {})", text) : text;
}

}  // namespace

std::string CoqNames::fresh(const std::string& like) {
  std::string base = identifier(like);
  std::string name = base;
  for (int k = 1; reserved().contains(name) || taken_.contains(name); ++k) {
    name = fmt::format("{}_{}", base, k);
  }
  taken_.insert(name);
  return name;
}

const std::string& CoqNames::of(Symbol symbol) {
  auto at = names_.find(symbol);
  if (at == names_.end()) {
    at = names_.emplace(symbol, fresh(given_name(symbol))).first;
  }
  return at->second;
}

const std::string& CoqNames::of_tensor(Symbol symbol) {
  auto at = tensors_.find(symbol);
  if (at == tensors_.end()) {
    at = tensors_.emplace(symbol, fresh(given_name(symbol))).first;
  }
  return at->second;
}

const std::string& CoqNames::of_whole_tensor(Symbol symbol) {
  auto at = whole_tensors_.find(symbol);
  if (at == whole_tensors_.end()) {
    at = whole_tensors_.emplace(symbol, fresh(of_tensor(symbol) + "_tensor")).first;
  }
  return at->second;
}

std::optional<int> small_power(Term call) {
  if (call.kind() != TermKind::Call || call->fn != Fn::Pow || call.arg(1).kind() != TermKind::RealConst) {
    return std::nullopt;
  }
  const Rational& e = call.arg(1)->value;
  constexpr int kMost = 16;
  return is_integral(e) && e >= 0 && e <= kMost ? std::optional(static_cast<int>(numerator(e))) : std::nullopt;
}

std::string CoqPrinter::name(Symbol symbol, const CoqEnvironment& env) {
  auto at = env.find(symbol);
  return at != env.end() ? at->second : names_.of(symbol);
}

std::string CoqPrinter::joined(Term term, const char* separator, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&),
                               const CoqEnvironment& env) {
  std::string out;
  for (Term arg : term.args()) {
    out += (out.empty() ? "" : separator) + (this->*part)(arg, env);
  }
  return "(" + out + ")";
}

std::string CoqPrinter::choice(Term term, std::string (CoqPrinter::*part)(Term, const CoqEnvironment&),
                               const CoqEnvironment& env) {
  return fmt::format("(if {}%Z then {} else {})", guard(term.arg(0), env), (this->*part)(term.arg(1), env),
                     (this->*part)(term.arg(2), env));
}

std::string CoqPrinter::integer(Term term, const CoqEnvironment& env) {
  switch (term.kind()) {
    case TermKind::IntConst:
      return term->value < 0 ? fmt::format("({})", numerator(term->value).str()) : numerator(term->value).str();
    case TermKind::IntVar: return name(term->symbol, env);
    case TermKind::IntAdd: return joined(term, " + ", &CoqPrinter::integer, env);
    case TermKind::IntMul: return joined(term, " * ", &CoqPrinter::integer, env);
    case TermKind::FloorDiv: return joined(term, " / ", &CoqPrinter::integer, env);
    case TermKind::FloorMod: return joined(term, " mod ", &CoqPrinter::integer, env);
    case TermKind::IntMin: return fmt::format("(Z.min {} {})", integer(term.arg(0), env), integer(term.arg(1), env));
    case TermKind::IntMax: return fmt::format("(Z.max {} {})", integer(term.arg(0), env), integer(term.arg(1), env));
    case TermKind::IntSelect: return choice(term, &CoqPrinter::integer, env);
    case TermKind::IntOf: {
      bool real = scalars_ == CoqScalars::Reals;
      std::string part = real ? "Int_part" : parameter("the_integer", {"scalar -> Z", "", ""});
      return fmt::format("({} {}%R)", part, scalar(term.arg(0), env));
    }
    default: fault("an integer term is expected: " + print_term(term));
  }
}

std::string CoqPrinter::guard(Term term, const CoqEnvironment& env) {
  auto compared = [&](const char* how) {
    return fmt::format("({} {} {})", integer(term.arg(0), env), how, integer(term.arg(1), env));
  };
  auto scalars = [&] {
    return fmt::format("({} {}%R {}%R)", operation(term.kind()), scalar(term.arg(0), env), scalar(term.arg(1), env));
  };
  switch (term.kind()) {
    case TermKind::BoolConst: return is_true(term) ? "true" : "false";
    case TermKind::IntLe: return compared("<=?");
    case TermKind::IntEq: return compared("=?");
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: return scalars();
    case TermKind::And: return joined(term, " && ", &CoqPrinter::guard, env);
    case TermKind::Or: return joined(term, " || ", &CoqPrinter::guard, env);
    case TermKind::Not: return fmt::format("(negb {})", guard(term.arg(0), env));
    default: fault("a guard is expected: " + print_term(term));
  }
}

std::string CoqPrinter::proposition(Term term, const CoqEnvironment& env) {
  auto compared = [&](const char* how) {
    return fmt::format("({} {} {})", integer(term.arg(0), env), how, integer(term.arg(1), env));
  };
  auto scalars = [&](const char* how) {
    return scalars_ == CoqScalars::Any ? fmt::format("({} = true)", guard(term, env))
                                       : fmt::format("({} {} {})%R", scalar(term.arg(0), env), how, scalar(term.arg(1), env));
  };
  switch (term.kind()) {
    case TermKind::BoolConst: return is_true(term) ? "True" : "False";
    case TermKind::IntLe: return compared("<=");
    case TermKind::IntEq: return compared("=");
    case TermKind::RealLt: return scalars("<");
    case TermKind::RealLe: return scalars("<=");
    case TermKind::RealEq: return scalars("=");
    case TermKind::And: return joined(term, " /\\ ", &CoqPrinter::proposition, env);
    case TermKind::Or: return joined(term, " \\/ ", &CoqPrinter::proposition, env);
    case TermKind::Not: return fmt::format("(~ {})", proposition(term.arg(0), env));
    default: fault("a guard is expected: " + print_term(term));
  }
}

// An element as the tensor has it.
std::string CoqPrinter::element(Term read, const CoqEnvironment& env) {
  std::string out = names_.of_tensor(read->symbol);
  for (Term index : read.args()) {
    out += " " + integer(index, env) + "%Z";
  }
  return read.args().empty() ? out : "(" + out + ")";
}

std::string CoqPrinter::scalar(Term term, const CoqEnvironment& env) {
  return scalars_ == CoqScalars::Reals ? real(term, env) : any(term, env);
}

std::string CoqPrinter::real(Term term, const CoqEnvironment& env) {
  auto two = [&](const char* how) { return fmt::format("({} {} {})", scalar(term.arg(0), env), how, scalar(term.arg(1), env)); };
  switch (term.kind()) {
    case TermKind::RealConst: return number(term->value);
    case TermKind::RealVar: return name(term->symbol, env);
    case TermKind::RealOf: return fmt::format("(IZR {}%Z)", integer(term.arg(0), env));
    case TermKind::Read: {
      std::string out = element(term, env);
      return truths_.contains(term->symbol) ? fmt::format("(truth {})", out) : out;
    }
    case TermKind::RealAdd: return two("+");
    case TermKind::RealSub: return two("-");
    case TermKind::RealMul: return two("*");
    case TermKind::RealDiv: return two("/");
    case TermKind::RealNeg: return fmt::format("(- {})", scalar(term.arg(0), env));
    case TermKind::Call: return call(term, env);
    case TermKind::Select: return choice(term, &CoqPrinter::scalar, env);
    case TermKind::Reduce: return reduce(term, env);
    default: fault("a scalar term is expected: " + print_term(term));
  }
}

std::string CoqPrinter::call(Term term, const CoqEnvironment& env) {
  if (auto e = small_power(term)) {
    return fmt::format("({} ^ {})", scalar(term.arg(0), env), *e);
  }
  return applied(function(term->fn), term, env);
}

std::string CoqPrinter::applied(const std::string& function, Term term, const CoqEnvironment& env) {
  std::string out = function;
  for (Term arg : term.args()) {
    out += " " + scalar(arg, env);
  }
  return "(" + out + ")";
}

std::string CoqPrinter::values(Term term, const CoqEnvironment& env_given) {
  CoqEnvironment env = env_given;
  std::string head;
  std::string tail;
  for (std::size_t k = 0; k < term->bound.size(); ++k) {
    std::string extent = integer(term.arg(k + 2), env);
    env.erase(term->bound[k]);
    head += fmt::format("(over {}%Z (fun {} : Z => ", extent, names_.of(term->bound[k]));
    tail += "))";
  }
  std::string value = fmt::format("[{}]", scalar(term.arg(0), env));
  return head + (is_true(term.arg(1)) ? value : fmt::format("only {}%Z {}", guard(term.arg(1), env), value)) + tail;
}

std::string CoqPrinter::sum(Term term, const CoqEnvironment& env_given) {
  CoqEnvironment env = env_given;
  std::string head;
  std::string tail;
  for (std::size_t k = 0; k < term->bound.size(); ++k) {
    std::string extent = integer(term.arg(k + 2), env);
    env.erase(term->bound[k]);
    head += fmt::format("(∑ {} < {}, ", names_.of(term->bound[k]), extent);
    tail += ")";
  }
  std::string body = scalar(term.arg(0), env);
  return head + (is_true(term.arg(1)) ? body : fmt::format("(if {}%Z then {} else 0)", guard(term.arg(1), env), body)) + tail;
}

std::string CoqPrinter::reduce(Term term, const CoqEnvironment& env) {
  bool summed = term->reduction == Reduction::Sum && scalars_ == CoqScalars::Reals;
  return summed ? sum(term, env) : fmt::format("({} {})", reduction(term->reduction), values(term, env));
}

}  // namespace vouch
