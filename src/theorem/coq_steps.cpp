// Numbers that come of steps, and become steps again: what a type of integers holds is no further step.
#include <fmt/format.h>

#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_call(Term term, Fn fn) { return term.kind() == TermKind::Call && term->fn == fn; }

// A number that is rounded to the nearest step of a type: min(max(round(x / scale) + zero, least), most).
struct Steps {
  Term number, scale, zero;
  NumberRange range;
};

std::optional<Steps> steps(Term term) {
  if (!is_call(term, Fn::Min) || !is_call(term.arg(0), Fn::Max) || term.arg(1).kind() != TermKind::RealConst) {
    return std::nullopt;
  }
  Term larger = term.arg(0);
  Term sum = larger.arg(0);
  if (larger.arg(1).kind() != TermKind::RealConst || sum.kind() != TermKind::RealAdd || !is_call(sum.arg(0), Fn::Round) ||
      sum.arg(0).arg(0).kind() != TermKind::RealDiv) {
    return std::nullopt;
  }
  Term quotient = sum.arg(0).arg(0);
  return Steps{quotient.arg(0), quotient.arg(1), sum.arg(1), {larger.arg(1)->value, term.arg(1)->value}};
}

}  // namespace

// Elements of a type with this range, whichever is chosen.
bool CoqProof::are_elements(Term value, const NumberRange& range, std::set<Symbol>& read) const {
  if (value.kind() == TermKind::Select) {
    return are_elements(value.arg(1), range, read) && are_elements(value.arg(2), range, read);
  }
  if (value.kind() != TermKind::Read) {
    return false;
  }
  auto own = facts_.elements_of(value->symbol);
  read.insert(value->symbol);
  return own && own->low == range.low && own->high == range.high;
}

bool CoqProof::steps_again(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (!steps(a.term)) {
    return false;
  }
  auto found = steps(substitute(a.term, a.by));
  Term value = substitute(b.term, b.by);
  std::set<Symbol> read;
  if (!found || !are_elements(value, found->range, read) || !are_elements(found->zero, found->range, read) ||
      !facts_.is_assumed(real_lt(real_const(0), found->scale))) {
    return false;
  }
  line(fmt::format("apply (steps_again {} ({}) ({})); [assumption|lra|lra|assumption|elements|elements|].",
                   printer_.function(Fn::Round), numerator(found->range.low).str(), numerator(found->range.high).str()));
  if (!equal({found->number, {}}, {(value - found->zero) * found->scale, {}}, facts)) {
    return false;
  }
  of_types_.insert(read.begin(), read.end());
  roundings_.insert(Fn::Round);
  return true;
}

}  // namespace vouch
