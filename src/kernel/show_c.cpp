#include <fmt/format.h>

#include <algorithm>

#include "kernel/show_tk.h"
#include "kernel/tk_interval.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {
namespace {

constexpr const char* kHelpers =
    "static inline int64_t vouch_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }\n"
    "static inline int64_t vouch_mod(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }\n"
    "static inline int64_t vouch_min(int64_t a, int64_t b) { return a < b ? a : b; }\n"
    "static inline int64_t vouch_max(int64_t a, int64_t b) { return a > b ? a : b; }\n";

class CPrinter {
 public:
  CPrinter(const TkKernel& kernel, CStyle style) : kernel_(kernel), style_(style), names_(plain_names(kernel)) {}

  std::string signature() const {
    std::vector<std::string> parameters;
    for (Symbol input : kernel_.inputs) {
      parameters.push_back(parameter(input, style_ == CStyle::C));
    }
    for (Symbol output : kernel_.outputs) {
      parameters.push_back(parameter(output, false));
    }
    return fmt::format("{} {}({})", style_ == CStyle::C ? "int" : "void", kernel_.name, fmt::join(parameters, ", "));
  }

  std::string body() const {
    std::string out;
    std::string freed;
    for (const TkStatement& statement : kernel_.statements) {
      if (is_local(statement.target)) {
        out += allocation(statement.target);
        freed += fmt::format("  free({});\n", names_.at(statement.target));
      }
    }
    for (const TkStatement& statement : kernel_.statements) {
      out += print_statement(statement);
    }
    return out + freed + (style_ == CStyle::C ? "  return 0;\n" : "");
  }

 private:
  bool is_local(Symbol name) const { return std::find(kernel_.outputs.begin(), kernel_.outputs.end(), name) == kernel_.outputs.end(); }

  std::string dims(Symbol tensor, std::size_t from = 0) const {
    std::string out;
    const Extents& extents = kernel_.tensor(tensor).extents;
    for (std::size_t a = from; a < extents.size(); ++a) {
      out += fmt::format("[{}]", extents[a]);
    }
    return out;
  }

  std::string parameter(Symbol tensor, bool constant) const {
    std::string name = names_.at(tensor);
    if (style_ == CStyle::Cpp) {
      bool scalar = kernel_.tensor(tensor).extents == Extents{1};
      return scalar ? fmt::format("{} &{}", kernel_.dtype, name) : fmt::format("{} (&{}){}", kernel_.dtype, name, dims(tensor));
    }
    return fmt::format("{}{} {}{}", constant ? "const " : "", kernel_.dtype, name, dims(tensor));
  }

  std::string allocation(Symbol tensor) const {
    std::string name = names_.at(tensor);
    std::string type = fmt::format("{} (*){}", kernel_.dtype, dims(tensor, 1));
    std::string no_memory = style_ == CStyle::C ? "return 1" : "std::abort()";
    return fmt::format("  {} (*{}){} = ({})malloc(sizeof({}) * {}u);\n  if (!{}) {};\n", kernel_.dtype, name, dims(tensor, 1), type,
                       kernel_.dtype + dims(tensor, 1), kernel_.tensor(tensor).extents[0], name, no_memory);
  }

  std::string print_statement(const TkStatement& statement) const {
    const Extents& extents = kernel_.tensor(statement.target).extents;
    std::string out = fmt::format("#pragma omp parallel for collapse({}) schedule(static)\n", extents.size());
    std::string pad = "  ";
    for (std::size_t a = 0; a < extents.size(); ++a, pad += "  ") {
      std::string i = index(statement.indices[a]);
      out += fmt::format("{}for (int64_t {} = 0; {} < {}; ++{}){}\n", pad, i, i, extents[a], i, a + 1 == extents.size() ? " {" : "");
    }
    out += fmt::format("{}{} vouch_sum = 0;\n", pad, kernel_.dtype);
    for (const TkSummand& summand : statement.summands) {
      out += print_summand(summand, pad);
    }
    std::vector<Term> at;
    for (Symbol name : statement.indices) {
      at.push_back(int_var(name));
    }
    out += fmt::format("{}{} = vouch_sum;\n{}}}\n", pad, element(statement.target, at), pad.substr(2));
    return out;
  }

  std::string print_summand(const TkSummand& summand, std::string pad) const {
    std::string out;
    std::vector<Symbol> loops;
    for (const TkLoop& loop : summand.loops) {
      loops.push_back(loop.name);
    }
    // A part of the guard stands outside of every loop that it does not name.
    std::vector<Term> parts;
    if (summand.guard.kind() == TermKind::And) {
      parts.assign(summand.guard.args().begin(), summand.guard.args().end());
    } else if (!is_true(summand.guard)) {
      parts.push_back(summand.guard);
    }
    for (std::size_t depth = 0; depth <= loops.size(); ++depth) {
      for (Term part : parts) {
        if (level(part, loops) == depth) {
          out += fmt::format("{}if ({})\n", pad, guard(part));
          pad += "  ";
        }
      }
      if (depth < loops.size()) {
        const TkLoop& loop = summand.loops[depth];
        std::string i = index(loop.name);
        out += fmt::format("{}for (int64_t {} = {}; {} < {}; ++{})\n", pad, i, integer(loop.begin), i, integer(loop.end), i);
        pad += "  ";
      }
    }
    return out + fmt::format("{}vouch_sum += {};\n", pad, scalar(summand.body));
  }

  static std::size_t level(Term part, const std::vector<Symbol>& loops) {
    std::size_t deepest = 0;
    for (Symbol name : free_variables(part)) {
      auto at = std::find(loops.begin(), loops.end(), name);
      deepest = at == loops.end() ? deepest : std::max(deepest, static_cast<std::size_t>(at - loops.begin()) + 1);
    }
    return deepest;
  }

  static std::string index(Symbol name) { return "i_" + name.name(); }

  std::string integer(Term term) const {
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

  std::string guard(Term term) const {
    bool ints = !term.args().empty() && term.arg(0).sort() == Sort::Int;
    auto compare = [&](const char* op) {
      auto side = [&](std::size_t k) { return ints ? integer(term.arg(k)) : scalar(term.arg(k)); };
      return fmt::format("({} {} {})", side(0), op, side(1));
    };
    switch (term.kind()) {
      case TermKind::BoolConst: return is_true(term) ? "1" : "0";
      case TermKind::IntLe:
      case TermKind::RealLe: return compare("<=");
      case TermKind::IntEq:
      case TermKind::RealEq: return compare("==");
      case TermKind::RealLt: return compare("<");
      case TermKind::Not: return "!" + guard(term.arg(0));
      case TermKind::And:
      case TermKind::Or: {
        std::vector<std::string> parts;
        for (Term part : term.args()) {
          parts.push_back(guard(part));
        }
        return fmt::format("({})", fmt::join(parts, term.kind() == TermKind::And ? " && " : " || "));
      }
      default: fault("a guard that kernels do not have");
    }
  }

  std::string element(Symbol tensor, std::span<const Term> at) const {
    std::string out = names_.at(tensor);
    bool parameter = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), tensor) != kernel_.inputs.end() || !is_local(tensor);
    if (style_ == CStyle::Cpp && parameter && kernel_.tensor(tensor).extents == Extents{1}) {
      return out;
    }
    for (Term index_term : at) {
      out += fmt::format("[{}]", integer(index_term));
    }
    return out;
  }

  std::string scalar(Term term) const {
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

  std::string constant(const Rational& value, const std::string& suffix) const {
    if (kernel_.dtype == "int") {
      return is_integral(value) ? numerator(value).str() : fault_text();
    }
    std::string text = fmt::format("{}", double_of(value));
    bool plain_whole = text.find_first_of(".en") == std::string::npos;
    text += plain_whole ? ".0" : "";
    return value < 0 ? fmt::format("({}{})", text, suffix) : text + suffix;
  }

  [[noreturn]] static std::string fault_text() { fault("a fraction in an integer kernel"); }

  std::string application(Term term, const std::string& suffix) const {
    std::vector<std::string> args;
    for (Term part : term.args()) {
      args.push_back(scalar(part));
    }
    switch (term->fn) {
      case Fn::Abs:
      case Fn::Min:
      case Fn::Max: return fmt::format("f{}{}({})", fn_name(term->fn) == "abs" ? "abs" : term->fn == Fn::Min ? "min" : "max", suffix, fmt::join(args, ", "));
      case Fn::Sign: return fmt::format("(({} > 0) - ({} < 0))", args[0], args[0]);
      case Fn::Round: return fmt::format("rint{}({})", suffix, args[0]);
      default: return fmt::format("{}{}({})", fn_name(term->fn), suffix, fmt::join(args, ", "));
    }
  }

  const TkKernel& kernel_;
  CStyle style_;
  std::unordered_map<Symbol, std::string> names_;
};

}  // namespace

CText print_c(const TkKernel& kernel, CStyle style, const std::string& header_name) {
  CPrinter printer(kernel, style);
  CText out;
  std::string declaration = printer.signature();
  bool c = style == CStyle::C;
  out.header = c ? fmt::format("#pragma once\n#ifdef __cplusplus\nextern \"C\"\n#endif\n{};\n", declaration)
                 : fmt::format("#pragma once\n{};\n", declaration);
  out.source = fmt::format("#include \"{}\"\n\n#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n{}\n{}\n{} {{\n{}}}\n",
                           header_name, c ? "" : "#include <cstdlib>\n", kHelpers, declaration, printer.body());
  return out;
}

}  // namespace vouch
