// Normal forms as text, for explanations.
#include <fmt/format.h>

#include <algorithm>

#include "algebra/normal_form.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {

std::string FormBuilder::text(const Literal& literal) const {
  if (!literal.sign) {
    return print_term(literal.fact);
  }
  static const char* const kRelation[] = {"in no order with", "<", "==", "<=", ">", "!=", ">=", "in order with"};
  const std::vector<NormalForm>& compared = literal.sign->args;
  std::string other = compared.size() > 1 ? text(compared[1]) : "0";
  std::string relation = kRelation[literal.mask & kAnySign];
  if ((literal.mask & kUnordered) != 0 && (literal.mask & kAnySign) != 0) {
    relation += " or unordered with";
  }
  return fmt::format("{} {} {}", text(compared[0]), relation, other);
}

std::string FormBuilder::text(AtomRef atom) const {
  std::vector<std::string> parts;
  for (Term index : atom->indices) {
    parts.push_back(print_term(index));
  }
  for (const NormalForm& arg : atom->args) {
    parts.push_back(text(arg));
  }
  std::string inside = fmt::format("{}", fmt::join(parts, ", "));
  switch (atom->kind) {
    case AtomKind::Read: return fmt::format("{}[{}]", atom->symbol.name(), inside);
    case AtomKind::RealVar: return atom->symbol.name();
    case AtomKind::Whole:
    case AtomKind::Group:
    case AtomKind::Sign: return fmt::format("({})", inside);
    case AtomKind::Function: return fmt::format("{}({})", atom->name, inside);
    case AtomKind::Reduction: {
      std::vector<std::string> guards;
      for (const Literal& g : atom->guards) {
        guards.push_back(text(g));
      }
      return fmt::format("{}{{{}}}({})", reduction_name(atom->reduction), fmt::join(guards, ", "), inside);
    }
  }
  return {};
}

std::string FormBuilder::text(const NormalForm& form) const {
  std::vector<std::string> summands;
  for (const Summand& s : form) {
    std::vector<std::string> parts;
    if (s.coefficient != 1 || s.factors.empty()) {
      parts.push_back(to_text(s.coefficient));
    }
    for (const Factor& f : s.factors) {
      parts.push_back(text(f.atom) + (f.exponent == 1 ? std::string() : fmt::format("^{}", f.exponent)));
    }
    std::string body = fmt::format("{}", fmt::join(parts, " * "));
    std::vector<std::string> guards;
    for (const Literal& g : s.guards) {
      guards.push_back(text(g));
    }
    std::vector<std::string> bound;
    for (Symbol b : s.bound) {
      bound.push_back(b.name());
    }
    if (!guards.empty() || !bound.empty()) {
      body = fmt::format("{}{}{}{} {}", bound.empty() ? "[" : "sum(", fmt::join(bound, ", "),
                         bound.empty() || guards.empty() ? "" : ": ", fmt::join(guards, ", "),
                         bound.empty() ? "] " + body : ") " + body);
    }
    summands.push_back(std::move(body));
  }
  return summands.empty() ? "0" : fmt::format("{}", fmt::join(summands, " + "));
}

}  // namespace vouch
