// Numbers that come of steps, and become steps again: what a type of integers holds is no further step.
#include <fmt/format.h>

#include <algorithm>

#include "term/substitute.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_call(Term term, Fn fn) { return term.kind() == TermKind::Call && term->fn == fn; }

bool rounds(Term term) {
  return is_call(term, Fn::Floor) || is_call(term, Fn::Ceil) || is_call(term, Fn::Round) || is_call(term, Fn::Trunc);
}

// A number that is rounded to the nearest step of a type: min(max(round(x / scale) + zero, least), most), or the same without
// zero.
struct Steps {
  Term number, scale;
  std::optional<Term> zero;
  NumberRange range;
};

std::optional<Steps> steps(Term term) {
  if (!is_call(term, Fn::Min) || !is_call(term.arg(0), Fn::Max) || term.arg(1).kind() != TermKind::RealConst) {
    return std::nullopt;
  }
  Term larger = term.arg(0);
  Term sum = larger.arg(0);
  bool shifted = sum.kind() == TermKind::RealAdd;
  Term rounded = shifted ? sum.arg(0) : sum;
  if (larger.arg(1).kind() != TermKind::RealConst || !is_call(rounded, Fn::Round) || rounded.arg(0).kind() != TermKind::RealDiv) {
    return std::nullopt;
  }
  Term quotient = rounded.arg(0);
  return Steps{quotient.arg(0),
               quotient.arg(1),
               shifted ? std::optional(sum.arg(1)) : std::nullopt,
               {larger.arg(1)->value, term.arg(1)->value}};
}

bool is_largest(Term term) { return term.kind() == TermKind::Reduce && term->reduction == Reduction::Max; }

// The larger or the smaller of it and numbers, however often.
bool clamps(Term term, Term number) {
  bool extremum = is_call(term, Fn::Max) || is_call(term, Fn::Min);
  return extremum &&
         std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return arg == number || clamps(arg, number); });
}

}  // namespace

// Elements of a type with this range, whichever is chosen, or the largest of such.
bool CoqProof::are_elements(Term value, const NumberRange& range, std::set<Symbol>& read) const {
  if (is_largest(value)) {
    return are_elements(value.arg(0), range, read);
  }
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
  if (!found || !found->zero || !are_elements(value, found->range, read) || !are_elements(*found->zero, found->range, read) ||
      !facts_.is_met(real_lt(real_const(0), found->scale), facts)) {
    return false;
  }
  if (is_largest(value) && !some_value({value, {}}, facts)) {
    return false;
  }
  line(fmt::format("apply (steps_again {} ({}) ({})); [assumption|lra|lra|met|elements|elements|].", printer_.function(Fn::Round),
                   numerator(found->range.low).str(), numerator(found->range.high).str()));
  auto number_of = [&](Term step) { return (step - *found->zero) * found->scale; };
  if (is_largest(value)) {
    std::vector<Term> largest(value.args().begin(), value.args().end());
    largest[0] = number_of(largest[0]);
    CoqSide numbers{rebuild(value, largest), {}};
    line(fmt::format("transitivity {}%R.", scalar(numbers)));
    if (!braced([&] { return equal({found->number, {}}, numbers, facts); })) {
      return false;
    }
    line("number_of_largest.");
  } else if (!equal({found->number, {}}, {number_of(value), {}}, facts)) {
    return false;
  }
  of_types_.insert(read.begin(), read.end());
  roundings_.emplace(Fn::Round, Rounding::KeepsWhole);
  return true;
}

bool CoqProof::steps_of_clamped(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  auto one = steps(substitute(a.term, a.by));
  auto other = one ? steps(substitute(b.term, b.by)) : std::nullopt;
  bool same = other && one->scale == other->scale && one->zero == other->zero && one->range.low == other->range.low &&
              one->range.high == other->range.high;
  bool clamped = same && (clamps(one->number, other->number) || clamps(other->number, one->number));
  if (!clamped || !facts_.is_met(real_lt(real_const(0), one->scale), facts)) {
    return false;
  }
  std::string range = fmt::format("{} ({}) ({})", printer_.function(Fn::Round), numerator(one->range.low).str(),
                                  numerator(one->range.high).str());
  if (!one->zero) {
    line(fmt::format("apply (steps_of_clamped_from_0 {}); [assumption|assumption|lra|lra|met|lra|clamped_cases].", range));
  } else if (facts_.same(*one->zero, real_const(one->range.low), facts)) {
    std::string lowest = numerator(one->range.low).str();
    if (one->zero->kind() != TermKind::RealConst) {
      line(fmt::format("replace {}%R with (IZR ({})) by (apply (f_equal IZR); integers).", scalar({*one->zero, {}}), lowest));
    }
    line(fmt::format("apply (steps_of_clamped {} ({})); [assumption|assumption|lra|lra|lra|met|lra|clamped_cases].", range,
                     lowest));
  } else {
    return false;
  }
  roundings_.emplace(Fn::Round, Rounding::KeepsWhole);
  roundings_.emplace(Fn::Round, Rounding::Rises);
  return true;
}

// f(g(x)) = g(x), where both round to whole numbers.
bool CoqProof::rounded_again(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (!rounds(a.term) || !rounds(a.term.arg(0))) {
    return false;
  }
  CoqSide inner{a.term.arg(0), a.by};
  CoqSide given{inner.term.arg(0), a.by};
  line(fmt::format("transitivity {}%R.", scalar(inner)));
  line(fmt::format("{{ rounded_again {} {} {}%R. }}", printer_.function(a.term->fn), printer_.function(inner.term->fn),
                   scalar(given)));
  if (!equal(inner, b, facts)) {
    return false;
  }
  roundings_.emplace(inner.term->fn, Rounding::GivesWhole);
  roundings_.emplace(a.term->fn, Rounding::KeepsWhole);
  return true;
}

// A whole number, divided by 1.
bool CoqProof::quotient_by_one(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (is_call(b.term, Fn::TruncDiv) && !is_call(a.term, Fn::TruncDiv)) {
    line("symmetry.");
    return quotient_by_one(b, a, facts);
  }
  const Term one = real_const(1);
  const bool whole = b.term.kind() == TermKind::Read && facts_.is_whole(b.term->symbol);
  if (!whole || !is_call(a.term, Fn::TruncDiv) || !facts_.same(substitute(a.term.arg(1), a.by), one, facts)) {
    return false;
  }
  std::string quotient = printer_.function(a.term->fn);
  line(fmt::format("transitivity ({} {} 1)%R.", quotient, scalar(b)));
  bool same = braced([&] {
    line(fmt::format("apply (f_equal2 {}).", quotient));
    return braced([&] {
             return equal({a.term.arg(0), a.by}, b, facts);
           }) &&
           braced([&] {
             return equal({a.term.arg(1), a.by}, {one, {}}, facts);
           });
  });
  if (!same) {
    return false;
  }
  line(fmt::format("apply (quotient_by_one {}); [assumption|auto].", quotient));
  wholes_.insert(b.term->symbol);
  roundings_.emplace(a.term->fn, Rounding::KeepsWholeByOne);
  return true;
}

}  // namespace vouch
