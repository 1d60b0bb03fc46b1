// That there are values of which the largest or smallest is taken: at the first index that no guard leaves out.
#include <fmt/format.h>

#include <algorithm>

#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_extremum(Term term) {
  return term.kind() == TermKind::Reduce && (term->reduction == Reduction::Max || term->reduction == Reduction::Min);
}

// Sizes that are numbers are counted out instead.
bool has_symbolic_extent(Term term) {
  for (std::size_t k = 2; k < term.args().size(); ++k) {
    if (term.arg(k).kind() != TermKind::IntConst) {
      return true;
    }
  }
  return false;
}

std::vector<Term> parts_of(Term guard) {
  return guard.kind() == TermKind::And ? std::vector<Term>(guard.args().begin(), guard.args().end()) : std::vector<Term>{guard};
}

}  // namespace

// Where an extremum is what a function makes of another: of some values, this is known of functions that grow.
bool CoqProof::there_are_values(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (is_extremum(b.term) && !is_extremum(a.term)) {
    return there_are_values(b, a, facts);
  }
  if (!is_extremum(a.term) || b.term.kind() != TermKind::Call) {
    return true;
  }
  auto args = b.term.args();
  return std::all_of(args.begin(), args.end(), [&](Term arg) {
    return !is_extremum(arg) || !has_symbolic_extent(arg) || some_value({arg, b.by}, facts);
  });
}

bool CoqProof::some_value(const CoqSide& extremum, const Facts& facts) {
  Term term = substitute(extremum.term, extremum.by);
  line(fmt::format("assert ({} : {}%R <> []).", fresh("some"), printer_.values(extremum.term, environment(extremum.by))));
  return braced([&] {
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      line(fmt::format("apply (over_some {}); [integers|].", first_value(term->bound[k], term.arg(1), facts)));
    }
    if (!is_true(term.arg(1))) {
      line("apply only_some; [lies_within|].");
    }
    line("discriminate.");
    return true;
  });
}

// The first index from 0 at which what bounds it from below holds.
std::string CoqProof::first_value(Symbol index, Term guard, const Facts& facts) {
  for (Term part : parts_of(guard)) {
    if (part.kind() != TermKind::IntLe || !mentions(part, index)) {
      continue;
    }
    Term distance = part.arg(1) - part.arg(0);
    Term start = substitute(distance, {{index, int_const(0)}});
    Term step = substitute(distance, {{index, int_const(1)}}) - start;
    if (facts_.equal(distance, start + step * int_var(index), facts) && facts_.entails(facts, le(1, step))) {
      std::string first = fresh("first");
      line(fmt::format("destruct (reaches {} {}) as ({} & ? & ? & ?); [integers|].", printer_.integer(start, {}),
                       printer_.integer(step, {}), first));
      return first;
    }
  }
  return "0";
}

}  // namespace vouch
