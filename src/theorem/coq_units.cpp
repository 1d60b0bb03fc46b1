#include "theorem/coq_units.h"

#include <fmt/format.h>

namespace vouch {

std::string CoqUnits::lines() {
  std::string out;
  for (const NamedQuotient& q : of_.facts.quotients()) {
    out +=
        fmt::format("  destruct (ex_intro (fun q => q = {} / {}) _ eq_refl) as [{} {}].\n", of_.printer.integer(q.dividend, {}),
                    of_.printer.integer(q.divisor, {}), of_.names.of(q.name), of_.names.fresh("quotient"));
  }
  for (Term fact : of_.facts.of_quotients()) {
    out += fmt::format("  assert ({} : {}) by integers.\n", of_.names.fresh("unit"), of_.printer.proposition(fact, {}));
  }
  assert_equals(of_.facts.solved(), out);
  for (const ShortQuotient& q : of_.facts.shortened()) {
    shorten(q, out);
  }
  for (Term equation : of_.facts.shorter()) {
    out +=
        fmt::format("  assert ({} : {}) by without_factor.\n", of_.names.fresh("product"), of_.printer.proposition(equation, {}));
  }
  assert_equals(of_.facts.solved_by_shortened(), out);
  std::unordered_set<Term> seen;
  for (const InstanceCondition& c : of_.instance.assumptions) {
    settle_choices(c.guard, seen, out);
  }
  return out;
}

void CoqUnits::assert_equals(const std::vector<std::pair<Symbol, Term>>& equals, std::string& out) {
  for (const auto& [name, value] : equals) {
    if (value.sort() == Sort::Int) {
      out += fmt::format("  assert ({} : {} = {}) by integers.\n", of_.names.fresh("unit"), of_.names.of(name),
                         of_.printer.integer(value, {}));
    }
  }
}

// A quotient without a factor of both gets a name, which stands wherever the quotient is written.
void CoqUnits::shorten(const ShortQuotient& q, std::string& out) {
  std::string shorter = of_.printer.integer(floor_div(q.dividend, q.divisor), {});
  for (const ShortQuotient::Written& written : q.written) {
    std::string text = of_.printer.integer(written.quotient, {});
    if (text != shorter) {
      std::string same = of_.names.fresh("shorter");
      out += fmt::format("  assert ({0} : {1} = {2}) by (shorter_quotient {3}).\n  try rewrite {0} in *.\n  clear {0}.\n", same,
                         text, shorter, of_.printer.integer(written.factor, {}));
    }
  }
  std::string quotient = of_.names.fresh("quotient");
  out +=
      fmt::format("  destruct (ex_intro (fun q => q = {0}) _ eq_refl) as [{1} {2}].\n  try rewrite <- {2} in *.\n  clear {2}.\n",
                  shorter, of_.names.of(q.name), quotient);
}

// Of sizes that are told by an equality, those that are the same either way.
void CoqUnits::settle_choices(Term term, std::unordered_set<Term>& seen, std::string& out) {
  if (!seen.insert(term).second) {
    return;
  }
  for (Term arg : term.args()) {
    settle_choices(arg, seen, out);
  }
  bool told = term.kind() == TermKind::IntSelect && term.arg(0).kind() == TermKind::IntEq;
  if (told && of_.facts.equal(term, term.arg(2), {})) {
    std::string settled = of_.names.fresh("settled");
    out += fmt::format("  assert ({} : {} = {}) by integers.\n  try rewrite {} in *.\n", settled, of_.printer.integer(term, {}),
                       of_.printer.integer(term.arg(2), {}), settled);
  }
}

}  // namespace vouch
