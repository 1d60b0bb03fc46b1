#include "notation/c_terms.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/guard_text.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {

bool CTerms::is_local(Symbol name) const {
  return std::find(kernel_.outputs.begin(), kernel_.outputs.end(), name) == kernel_.outputs.end();
}

std::string CTerms::integer(Term term) const {
  auto pair = [&](const char* name) { return fmt::format("{}({}, {})", name, integer(term.arg(0)), integer(term.arg(1))); };
  switch (term.kind()) {
    case TermKind::IntConst: return numerator(term->value).str();
    case TermKind::IntVar: return index(term->symbol);
    case TermKind::FloorDiv: return pair("vouch_div");
    case TermKind::FloorMod: return pair("vouch_mod");
    case TermKind::IntMin: return pair("vouch_min");
    case TermKind::IntMax: return pair("vouch_max");
    case TermKind::IntAdd:
    case TermKind::IntMul: {
      std::vector<std::string> parts;
      for (Term part : term.args()) {
        parts.push_back(integer(part));
      }
      return fmt::format("({})", fmt::join(parts, term.kind() == TermKind::IntAdd ? " + " : " * "));
    }
    default: fault("an integer term that kernels do not have");
  }
}

std::string CTerms::guard(Term term) const {
  return guard_text(term, {[&](Term t) { return integer(t); }, [&](Term t) { return scalar(t); },
                           [](Term t) { return is_true(t) ? "1" : "0"; }});
}

std::string CTerms::element(Symbol tensor, std::span<const Term> at) const {
  std::string out = names_.at(tensor);
  bool parameter = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), tensor) != kernel_.inputs.end() || !is_local(tensor);
  if (style_ == CStyle::Cpp && parameter && kernel_.tensor(tensor).extents() == Extents{1}) {
    return out;
  }
  for (Term index_term : at) {
    out += fmt::format("[{}]", integer(index_term));
  }
  return out;
}

std::string CTerms::scalar(Term term) const {
  auto binary = [&](const char* op) { return fmt::format("({} {} {})", scalar(term.arg(0)), op, scalar(term.arg(1))); };
  std::string suffix = kernel_.dtype == "float" ? "f" : "";
  switch (term.kind()) {
    case TermKind::Read: return element(term->symbol, term.args());
    case TermKind::RealAdd: return binary("+");
    case TermKind::RealSub: return binary("-");
    case TermKind::RealMul: return binary("*");
    case TermKind::RealDiv: return binary("/");
    case TermKind::RealNeg: return fmt::format("(-{})", scalar(term.arg(0)));
    case TermKind::RealOf: return fmt::format("({}){}", kernel_.dtype, integer(term.arg(0)));
    case TermKind::RealConst: return constant(term->value, suffix);
    case TermKind::Select: return fmt::format("({} ? {} : {})", guard(term.arg(0)), scalar(term.arg(1)), scalar(term.arg(2)));
    case TermKind::Call: return application(term, suffix);
    default: fault("a scalar term that kernels do not have");
  }
}

std::string CTerms::constant(const Rational& value, const std::string& suffix) const {
  if (kernel_.dtype == "int") {
    ensure(is_integral(value), "no fraction in an integer kernel");
    return numerator(value).str();
  }
  std::string text = fmt::format("{}", double_of(value));
  bool plain_whole = text.find_first_of(".en") == std::string::npos;
  text += plain_whole ? ".0" : "";
  return value < 0 ? fmt::format("({}{})", text, suffix) : text + suffix;
}

std::string CTerms::application(Term term, const std::string& suffix) const {
  std::vector<std::string> args;
  for (Term part : term.args()) {
    args.push_back(scalar(part));
  }
  switch (term->fn) {
    case Fn::Abs:
    case Fn::Min:
    case Fn::Max:
      return fmt::format("f{}{}({})",
                         fn_name(term->fn) == "abs" ? "abs"
                         : term->fn == Fn::Min      ? "min"
                                                    : "max",
                         suffix, fmt::join(args, ", "));
    case Fn::Sign: return fmt::format("(({} > 0) - ({} < 0))", args[0], args[0]);
    case Fn::Round: return fmt::format("rint{}({})", suffix, args[0]);
    default: return fmt::format("{}{}({})", fn_name(term->fn), suffix, fmt::join(args, ", "));
  }
}

}  // namespace vouch
