// Guards that are one condition on both sides: the same comparisons of equal numbers, or of what grows from them.
#include <fmt/format.h>

#include <algorithm>

#include "term/comparison.h"
#include "term/substitute.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

// Strictly and everywhere, as `growing` in coq/tensor/Compared.v has it.
constexpr Fn kGrowing[] = {Fn::Exp, Fn::Atan, Fn::Sinh};

// f x compares with f y as x does with y.
const char* law_of(Term comparison) {
  switch (comparison.kind()) {
    case TermKind::RealLt: return "grows_less";
    case TermKind::RealLe: return "grows_less_or_equal";
    default: return "grows_equal";
  }
}

// What grows outermost in one of the two.
std::optional<Fn> grown_by(Term comparison) {
  for (Term arg : comparison.args()) {
    bool grows =
        arg.kind() == TermKind::Call && std::find(std::begin(kGrowing), std::end(kGrowing), arg->fn) != std::end(kGrowing);
    if (grows) {
      return arg->fn;
    }
  }
  return std::nullopt;
}

// c, where the term is f(c), or an extremum of such; nothing where it is neither.
std::optional<Term> argument_of(Term term, Fn fn) {
  if (term.kind() == TermKind::Call && term->fn == fn) {
    return term.arg(0);
  }
  bool extremum = term.kind() == TermKind::Reduce && (term->reduction == Reduction::Max || term->reduction == Reduction::Min);
  std::optional<Term> body = extremum ? argument_of(term.arg(0), fn) : std::nullopt;
  if (!body) {
    return std::nullopt;
  }
  std::vector<Term> args(term.args().begin(), term.args().end());
  args[0] = *body;
  return rebuild(term, args);
}

}  // namespace

// The goal is `g = h`, of booleans.
bool CoqProof::same_guards(const CoqSide& g, const CoqSide& h, const Facts& facts) {
  if (guard(g) == guard(h)) {
    line("reflexivity.");
    return true;
  }
  if (g.term.kind() != h.term.kind()) {
    return false;
  }
  if (g.term.kind() == TermKind::Not) {
    line("apply (f_equal negb).");
    return same_guards({g.term.arg(0), g.by}, {h.term.arg(0), h.by}, facts);
  }
  return compares_scalars(g.term) && same_comparison(g, h, facts);
}

bool CoqProof::same_comparison(const CoqSide& g, const CoqSide& h, const Facts& facts) {
  const std::optional<Fn> of_g = grown_by(g.term);
  const std::optional<Fn> of_h = grown_by(h.term);
  if (of_g && !of_h) {
    return comparison_of_grown(*of_g, g, h, facts);
  }
  if (of_h && !of_g) {
    line("symmetry.");
    return comparison_of_grown(*of_h, h, g, facts);
  }
  return same_operands(g, h, facts);
}

bool CoqProof::same_operands(const CoqSide& g, const CoqSide& h, const Facts& facts) {
  line(fmt::format("apply (f_equal2 {}).", printer_.operation(g.term.kind())));
  return braced([&] {
           return equal({g.term.arg(0), g.by}, {h.term.arg(0), h.by}, facts);
         }) &&
         braced([&] {
           return equal({g.term.arg(1), g.by}, {h.term.arg(1), h.by}, facts);
         });
}

// Of f(a) and f(b), or of extrema of such: as a and b compare.
bool CoqProof::comparison_of_grown(Fn grows, const CoqSide& g, const CoqSide& h, const Facts& facts) {
  const std::optional<Term> a = argument_of(g.term.arg(0), grows);
  const std::optional<Term> b = argument_of(g.term.arg(1), grows);
  if (!a || !b) {
    return false;
  }
  const CoqSide outer{rebuild(g.term, {call(grows, {*a}), call(grows, {*b})}), g.by};
  const CoqSide inner{rebuild(g.term, {*a, *b}), g.by};
  if (!compares_scalars(outer.term) || !compares_scalars(inner.term)) {
    return false;
  }
  line(fmt::format("transitivity {}.", guard(outer)));
  if (!braced([&] { return same_operands(g, outer, facts); })) {
    return false;
  }
  line(fmt::format("transitivity {}. {{ apply ({} {}). growing. }}", guard(inner), law_of(g.term), printer_.function(grows)));
  return same_guards(inner, h, facts);
}

}  // namespace vouch
