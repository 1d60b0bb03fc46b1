// What operations are called: those of the reals, and, over any scalars, the parameters that stand for them.
#include <fmt/format.h>

#include <cctype>

#include "algebra/store_terms.h"
#include "support/fault.h"
#include "term/infinity.h"
#include "term/print.h"
#include "term/uninterpreted.h"
#include "theorem/coq_term.h"

namespace vouch {
namespace {

struct OperationWords {
  const char* real;
  const char* any;
  const char* kernel;
};

OperationWords words_of(TermKind kind) {
  switch (kind) {
    case TermKind::RealAdd: return {"Rplus", "plus", "Add"};
    case TermKind::RealSub: return {"Rminus", "minus", "Sub"};
    case TermKind::RealMul: return {"Rmult", "times", "Mul"};
    case TermKind::RealDiv: return {"Rdiv", "divided", "Div"};
    case TermKind::RealNeg: return {"Ropp", "negated", "Neg"};
    case TermKind::RealOf: return {"IZR", "whole", ""};
    case TermKind::RealLt: return {"Rltb", "less", "Less"};
    case TermKind::RealLe: return {"Rleb", "at_most", "LessEq"};
    case TermKind::RealEq: return {"Reqb", "equal", "Equal"};
    default: fault("an operation on scalars is expected");
  }
}

const char* type_of(TermKind kind) {
  switch (kind) {
    case TermKind::RealNeg: return "scalar -> scalar";
    case TermKind::RealOf: return "Z -> scalar";
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: return "scalar -> scalar -> bool";
    default: return "scalar -> scalar -> scalar";
  }
}

// What the standard library's reals have; empty: it has none.
std::string word_of_reals(Fn fn) {
  switch (fn) {
    case Fn::Exp:
    case Fn::Sqrt:
    case Fn::Tanh:
    case Fn::Sin:
    case Fn::Cos:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Atan:
    case Fn::Sinh:
    case Fn::Cosh: return std::string(fn_name(fn));
    case Fn::Log: return "ln";
    case Fn::Abs: return "Rabs";
    case Fn::Max: return "Rmax";
    case Fn::Min: return "Rmin";
    default: return {};
  }
}

// `the_float32_to_int8`
std::string parameter_name(Fn fn) {
  std::string out = "the_" + called(fn);
  for (char& c : out) {
    c = c == ' ' ? '_' : c;
  }
  return out;
}

const char* word_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "sum";
    case Reduction::Product: return "product";
    case Reduction::Max: return "maximum";
    case Reduction::Min: return "minimum";
  }
  return "";
}

}  // namespace

std::string kernel_operation(Fn fn, CoqScalars scalars) {
  switch (fn) {
    case Fn::Max: return "Max";
    case Fn::Min: return "Min";
    case Fn::Sign:
    case Fn::Trunc:
    case Fn::Mod:
    case Fn::Fmod: return "";
    case Fn::TruncDiv: return scalars == CoqScalars::Any ? "Div" : "";
    default: break;
  }
  std::string out = uninterpreted_number(fn) ? "" : std::string(fn_name(fn));
  if (!out.empty()) {
    out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  }
  return out;
}

const char* kernel_reduction(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return "";
    case Reduction::Product: return "Product";
    case Reduction::Max: return "Largest";
    case Reduction::Min: return "Smallest";
  }
  return "";
}

std::string kernel_conversion(DType from, DType to) {
  auto constructor = [](DType dtype) -> std::string {
    unsigned width = bit_width(dtype);
    bool is_held = !is_float8(dtype) && (dtype == DType::Bool || width >= 8);
    const char* kind = dtype == DType::BFloat16 ? "BF" : is_float(dtype) ? "F" : is_signed(dtype) ? "I" : "U";
    return !is_held ? "" : dtype == DType::Bool ? "Syntax.B8" : fmt::format("Syntax.{}{}", kind, width);
  };
  std::string source = constructor(from);
  std::string target = constructor(to);
  return source.empty() || target.empty() ? "" : fmt::format("(Syntax.Cast {} {})", source, target);
}

std::string called(Fn fn) { return uninterpreted_number(fn) ? store_text(fn) : std::string(fn_name(fn)); }

std::string CoqPrinter::parameter(const std::string& name, CoqParameter parameter) {
  parameters_.emplace(name, std::move(parameter));
  return name;
}

std::string CoqPrinter::operation(TermKind kind) {
  OperationWords words = words_of(kind);
  if (scalars_ == CoqScalars::Reals) {
    return words.real;
  }
  switch (kind) {
    case TermKind::RealOf: return parameter(words.any, {type_of(kind), "(whole_of K)", ""});
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: return parameter(words.any, {type_of(kind), "", words.kernel});
    default:
      return parameter(
          words.any,
          {type_of(kind), fmt::format("(Semantics.op{} K Syntax.{})", kind == TermKind::RealNeg ? 1 : 2, words.kernel), ""});
  }
}

// An element is what the operation gives: its scalars round, or wrap around.
std::string CoqPrinter::function_of_kernels(Fn fn) const {
  std::string operation = kernel_operation(fn, scalars_);
  return is_store(fn)        ? "(fun stored : Semantics.num K => stored)"
         : operation.empty() ? ""
                             : fmt::format("(Semantics.op{} K Syntax.{})", fn_arity(fn), operation);
}

std::string CoqPrinter::function(Fn fn) {
  const std::string real = scalars_ == CoqScalars::Reals ? word_of_reals(fn) : "";
  if (!real.empty()) {
    return real;
  }
  const std::string type = scalar_type();
  return parameter(parameter_name(fn), {fn_arity(fn) == 1 ? type + " -> " + type : type + " -> " + type + " -> " + type,
                                        function_of_kernels(fn), ""});
}

bool CoqPrinter::converts(Fn conversion, const std::string& of_kernels) {
  auto at = parameters_.find(parameter_name(conversion));
  std::string applied = fmt::format("(Semantics.op1 K {})", of_kernels);
  if (at == parameters_.end() || at->second.of_kernels.empty()) {
    function(conversion);
    parameters_.at(parameter_name(conversion)).of_kernels = applied;
    return true;
  }
  return at->second.of_kernels == applied;
}

std::string CoqPrinter::of_nothing(Reduction reduction) {
  bool largest = reduction == Reduction::Max;
  return parameter(largest ? "the_least" : "the_greatest",
                   {"R", fmt::format("(Semantics.cst K (Syntax.Infinity {}))", largest), ""});
}

std::string CoqPrinter::reduction(Reduction reduction) {
  std::string word = word_of(reduction);
  if (scalars_ == CoqScalars::Any) {
    const char* joined = kernel_reduction(reduction);
    std::string of_kernels = reduction == Reduction::Sum ? "(added K)" : fmt::format("(reduced K {})", joined);
    return parameter("the_" + word, {"list scalar -> scalar", of_kernels, ""});
  }
  bool extremum = reduction == Reduction::Max || reduction == Reduction::Min;
  return extremum ? word + " " + of_nothing(reduction) : word;
}

std::string CoqPrinter::any_number(const Rational& value) {
  if (is_integral(value)) {
    return fmt::format("({} ({})%Z)", operation(TermKind::RealOf), numerator(value).str());
  }
  return fmt::format("({} ({})%Z {}%Z)", parameter("fraction", {"Z -> Z -> scalar", "", ""}), numerator(value).str(),
                     denominator(value).str());
}

std::string CoqPrinter::any(Term term, const CoqEnvironment& env) {
  switch (term.kind()) {
    case TermKind::RealConst: return any_number(term->value);
    case TermKind::RealVar: return name(term->symbol, env);
    case TermKind::RealOf: return fmt::format("({} {}%Z)", operation(TermKind::RealOf), integer(term.arg(0), env));
    case TermKind::Read: {
      std::string out = element(term, env);
      return is_truth(term->symbol) ? fmt::format("(if {} then {} else {})", out, any_number(1), any_number(0)) : out;
    }
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealDiv:
    case TermKind::RealNeg: return applied(operation(term.kind()), term, env);
    case TermKind::Call: return applied(function(term->fn), term, env);
    case TermKind::Select: return choice(term, &CoqPrinter::scalar, env);
    case TermKind::Reduce: return infinite_sign(term) ? fmt::format("({} [])", reduction(term->reduction)) : reduce(term, env);
    default: fault("a scalar term is expected: " + print_term(term));
  }
}

}  // namespace vouch
