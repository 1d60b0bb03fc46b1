#include "kernel/show_tk.h"

#include <fmt/format.h>

#include "term/print.h"

namespace vouch {
namespace {

std::string plain(Symbol version) { return version.name(); }

// Terms as the kernel language writes them: shapes at every read, `real(i)` and `3.0` as they are written there.
class Printer {
 public:
  explicit Printer(const TkKernel& kernel) : kernel_(kernel) {}

  std::string access(Symbol tensor, const std::vector<std::string>& at) const {
    const TkTensor& declared = kernel_.tensor(tensor);
    return fmt::format("{}<{}>[{}]", plain(tensor), fmt::join(declared.extents, ", "), fmt::join(at, ", "));
  }

  std::string scalar(Term term) const {
    auto arg = [&](std::size_t k) { return scalar(term.arg(k)); };
    switch (term.kind()) {
      case TermKind::Read: {
        std::vector<std::string> at;
        for (Term index : term.args()) {
          at.push_back(print_term(index));
        }
        return access(term->symbol, at);
      }
      case TermKind::RealAdd: return fmt::format("({} + {})", arg(0), arg(1));
      case TermKind::RealSub: return fmt::format("({} - {})", arg(0), arg(1));
      case TermKind::RealMul: return fmt::format("({} * {})", arg(0), arg(1));
      case TermKind::RealDiv: return fmt::format("({} / {})", arg(0), arg(1));
      case TermKind::RealNeg: return fmt::format("(-{})", arg(0));
      case TermKind::RealOf: return fmt::format("({})", print_term(term.arg(0)));
      case TermKind::RealConst: return to_text(term->value);
      case TermKind::Select: return fmt::format("select({}, {}, {})", guard(term.arg(0)), arg(1), arg(2));
      case TermKind::Call: {
        std::vector<std::string> args;
        for (Term part : term.args()) {
          args.push_back(scalar(part));
        }
        return fmt::format("{}({})", fn_name(term->fn), fmt::join(args, ", "));
      }
      default: return print_term(term);
    }
  }

  std::string guard(Term term) const {
    auto arg = [&](std::size_t k) { return scalar(term.arg(k)); };
    switch (term.kind()) {
      case TermKind::And:
      case TermKind::Or: {
        std::vector<std::string> parts;
        for (Term part : term.args()) {
          parts.push_back(guard(part));
        }
        return fmt::format("({})", fmt::join(parts, term.kind() == TermKind::And ? " && " : " || "));
      }
      case TermKind::Not: return "!(" + guard(term.arg(0)) + ")";
      case TermKind::IntLe: return fmt::format("{} <= {}", print_term(term.arg(0)), print_term(term.arg(1)));
      case TermKind::IntEq: return fmt::format("{} == {}", print_term(term.arg(0)), print_term(term.arg(1)));
      case TermKind::RealLt: return fmt::format("{} < {}", arg(0), arg(1));
      case TermKind::RealLe: return fmt::format("{} <= {}", arg(0), arg(1));
      case TermKind::RealEq: return fmt::format("{} == {}", arg(0), arg(1));
      default: return print_term(term);
    }
  }

  std::string summand(const TkSummand& summand) const {
    std::vector<std::string> conditions;
    for (const TkLoop& loop : summand.loops) {
      bounds(loop.begin, TermKind::IntMax, loop.name, conditions);
      bounds(loop.end, TermKind::IntMin, loop.name, conditions);
    }
    if (!is_true(summand.guard)) {
      conditions.push_back(guard(summand.guard));
    }
    std::string body = scalar(summand.body);
    return conditions.empty() ? body : fmt::format("select({}, {}, 0.0)", fmt::join(conditions, " && "), body);
  }

 private:
  static void bounds(Term bound, TermKind extremum, Symbol name, std::vector<std::string>& conditions) {
    if (bound.kind() == extremum) {
      bounds(bound.arg(0), extremum, name, conditions);
      bounds(bound.arg(1), extremum, name, conditions);
    } else {
      conditions.push_back(fmt::format("{} {} {}", name.name(), extremum == TermKind::IntMax ? ">=" : "<", print_term(bound)));
    }
  }

  const TkKernel& kernel_;
};

}  // namespace

std::string show_domains(const TkKernel& kernel) {
  std::string out;
  for (const TkStatement& statement : kernel.statements) {
    out += statement.text + "\n";
    for (const TkDomain& domain : statement.domains) {
      out += fmt::format("{}\n  index type: {}\n  domain: [{}, {})\n", domain.name.name(), domain.reduced ? "Reduce" : "Spatial",
                         domain.begin, domain.end);
    }
  }
  return out;
}

std::string print_tk(const TkKernel& kernel) {
  Printer printer(kernel);
  std::string out;
  for (const TkStatement& statement : kernel.statements) {
    std::vector<std::string> at;
    for (Symbol index : statement.indices) {
      at.push_back(index.name());
    }
    std::vector<std::string> parts;
    for (const TkSummand& summand : statement.summands) {
      parts.push_back(printer.summand(summand));
    }
    out += fmt::format("{} = {};\n", printer.access(statement.target, at), parts.empty() ? "0.0" : fmt::format("{}", fmt::join(parts, " + ")));
  }
  return out;
}

}  // namespace vouch
