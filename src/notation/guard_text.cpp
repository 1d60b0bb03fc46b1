#include "notation/guard_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/fault.h"

namespace vouch {

std::string guard_text(Term guard, const GuardParts& parts) {
  auto compare = [&](const char* op) {
    const auto& side = guard.arg(0).sort() == Sort::Int ? parts.integer : parts.scalar;
    return fmt::format("{} {} {}", side(guard.arg(0)), op, side(guard.arg(1)));
  };
  switch (guard.kind()) {
    case TermKind::IntLe:
    case TermKind::RealLe: return compare("<=");
    case TermKind::IntEq:
    case TermKind::RealEq: return compare("==");
    case TermKind::RealLt: return compare("<");
    case TermKind::BoolConst: return parts.constant(guard);
    case TermKind::Not: return fmt::format("!({})", guard_text(guard.arg(0), parts));
    case TermKind::And:
    case TermKind::Or: {
      std::vector<std::string> out;
      for (Term part : guard.args()) {
        out.push_back(guard_text(part, parts));
      }
      return fmt::format("({})", fmt::join(out, guard.kind() == TermKind::And ? " && " : " || "));
    }
    default: fault("a guard that kernels do not have");
  }
}

}  // namespace vouch
