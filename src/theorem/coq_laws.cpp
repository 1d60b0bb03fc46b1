// Laws that hold bit for bit (coq/tensor/Laws.v), each a hypothesis of the theorems that use it: of floats, of integers that wrap
// around, and of truth values.
#include <fmt/format.h>

#include <algorithm>

#include "algebra/store_terms.h"
#include "term/infinity.h"
#include "term/substitute.h"
#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_lattice_call(Term term) { return term.kind() == TermKind::Call && (term->fn == Fn::Max || term->fn == Fn::Min); }

bool is_lattice_reduction(Term term) {
  return term.kind() == TermKind::Reduce && (term->reduction == Reduction::Max || term->reduction == Reduction::Min);
}

Reduction reduction_of(Fn fn) { return fn == Fn::Max ? Reduction::Max : Reduction::Min; }
Fn function_of(Reduction reduction) { return reduction == Reduction::Max ? Fn::Max : Fn::Min; }

// A value that counts where a guard holds; elsewhere it is what is never larger.
struct Padded {
  Term guard;
  Term value;
  bool chosen = false;  // written as a choice
};

std::optional<Padded> padded(Term body, Reduction reduction) {
  if (body.kind() != TermKind::Select) {
    return Padded{bool_const(true), body, false};
  }
  std::optional<bool> sign = infinite_sign(body.arg(2));
  bool none = sign && *sign == (reduction == Reduction::Min);
  return none ? std::optional(Padded{body.arg(0), body.arg(1), true}) : std::nullopt;
}

}  // namespace

std::string CoqProof::commuting(TermKind kind) {
  std::string op = printer_.operation(kind);
  std::string law = fmt::format("the_{}_commutes", op);
  laws_.emplace(law, "commutes " + op);
  return law;
}

std::string CoqProof::semilattice(Fn fn) {
  std::string law = fn == Fn::Max ? "the_max_laws" : "the_min_laws";
  laws_.emplace(law, fmt::format("semilattice {} {}", printer_.function(fn), printer_.reduction(reduction_of(fn))));
  return law;
}

bool CoqProof::of_laws(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  Mark before = mark();
  return swapped(a, b, facts) || (undo(before), sign_twice(a, b, facts)) || (undo(before), by_truths(a, b, facts)) ||
         (undo(before), same_lattice_leaves(a, b, facts)) || (undo(before), larger_of_extremum(a, b, facts)) ||
         (undo(before), padded_extremum(a, b, facts)) || undo(before);
}

bool CoqProof::swapped(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  bool commutes = a.term.kind() == TermKind::RealAdd || a.term.kind() == TermKind::RealMul;
  if (!commutes || a.term.kind() != b.term.kind()) {
    return false;
  }
  CoqSide other{rebuild(a.term, {a.term.arg(1), a.term.arg(0)}), a.by};
  line(fmt::format("transitivity {}%R. {{ apply {}. }}", scalar(other), commuting(a.term.kind())));
  return operands(printer_.operation(a.term.kind()), other, b, facts);
}

// What a sign is changed of, as it is written: the number, or one that an element of a type then holds.
std::optional<CoqProof::Signed> CoqProof::changed_sign(Term term) {
  const bool stored = term.kind() == TermKind::Call && is_store(term->fn);
  const Term negation = stored ? term.arg(0) : term;
  if (negation.kind() != TermKind::RealNeg) {
    return std::nullopt;
  }
  const std::string negated = printer_.operation(TermKind::RealNeg);
  return Signed{negation.arg(0), stored ? fmt::format("(fun a => {} ({} a))", printer_.function(term->fn), negated) : negated};
}

std::optional<CoqProof::Signed> CoqProof::changed_twice(Term term) {
  auto outer = changed_sign(term);
  auto inner = outer ? changed_sign(outer->number) : std::nullopt;
  return inner && inner->by == outer->by ? inner : std::nullopt;
}

bool CoqProof::sign_twice(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  auto twice = changed_twice(a.term);
  if (!twice && changed_twice(b.term)) {
    line("symmetry.");
    return sign_twice(b, a, facts);
  }
  if (!twice) {
    return false;
  }
  CoqSide inner{twice->number, a.by};
  laws_.emplace("the_sign_twice", "undoes " + twice->by);
  line(fmt::format("transitivity {}%R. {{ apply the_sign_twice. }}", scalar(inner)));
  return equal(inner, b, facts);
}

void CoqProof::lattice_leaves(Fn fn, const CoqSide& side, std::vector<CoqSide>& out) {
  if (side.term.kind() != TermKind::Call || side.term->fn != fn) {
    out.push_back(side);
    return;
  }
  for (Term arg : side.term.args()) {
    lattice_leaves(fn, {arg, side.by}, out);
  }
}

// Larger ones of the same numbers, in whatever order and however often.
bool CoqProof::same_lattice_leaves(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (!is_lattice_call(a.term) && !is_lattice_call(b.term)) {
    return false;
  }
  const Fn fn = is_lattice_call(a.term) ? a.term->fn : b.term->fn;
  std::vector<CoqSide> known;
  std::set<std::size_t> places[2];
  for (bool second : {false, true}) {
    std::vector<CoqSide> leaves;
    lattice_leaves(fn, second ? b : a, leaves);
    for (const CoqSide& leaf : leaves) {
      places[second ? 1 : 0].insert(place_of(leaf, known, facts));
    }
  }
  if (places[0] != places[1]) {
    return false;
  }
  line(fmt::format("semilattices {}.", semilattice(fn)));
  return true;
}

// The largest of what is larger of each and another.
bool CoqProof::larger_of_extremum(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (!is_lattice_reduction(a.term) && is_lattice_reduction(b.term)) {
    line("symmetry.");
    return larger_of_extremum(b, a, facts);
  }
  Term body = is_lattice_reduction(a.term) ? a.term.arg(0) : a.term;
  bool larger = is_lattice_reduction(a.term) && body.kind() == TermKind::Call && body->fn == function_of(a.term->reduction);
  bool free = larger && std::none_of(a.term->bound.begin(), a.term->bound.end(),
                                     [&](Symbol index) { return mentions(body.arg(1), index); });
  if (!free) {
    return false;
  }
  std::vector<Term> args(a.term.args().begin(), a.term.args().end());
  args[0] = body.arg(0);
  CoqSide outer{call(body->fn, {rebuild(a.term, args), body.arg(1)}), a.by};
  line(fmt::format("transitivity {}%R.", scalar(outer)));
  bool done = braced([&] {
    if (!there_are_values(a, outer, facts)) {
      return false;
    }
    line(fmt::format("extremum_of_larger {}.", semilattice(body->fn)));
    return true;
  });
  return done && equal(outer, b, facts);
}

// Values that are never larger are none: what pads an image, and what a window leaves out.
bool CoqProof::padded_extremum(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  bool alike = is_lattice_reduction(a.term) && same_kind(a.term, b.term);
  auto of_a = alike ? padded(a.term.arg(0), a.term->reduction) : std::nullopt;
  auto of_b = alike ? padded(b.term.arg(0), b.term->reduction) : std::nullopt;
  if (!of_a || !of_b || of_a->chosen == of_b->chosen) {
    return false;
  }
  if (of_b->chosen) {
    line("symmetry.");
    return padded_extremum(b, a, facts);
  }
  line(fmt::format("apply (largest_cover _ _ {}).", semilattice(function_of(a.term->reduction))));
  return braced([&] { return covered(a, b, true, facts); }) && braced([&] { return covered(b, a, false, facts); });
}

// Index by index; `padded_first`: it is the first of the two that is padded.
bool CoqProof::covered(const CoqSide& first, const CoqSide& second, bool padded_first, const Facts& facts_given) {
  CoqSide x = first;
  CoqSide y = second;
  Facts facts = facts_given;
  for (std::size_t k = 0; k < x.term->bound.size(); ++k) {
    Term extent = substitute(y.term.arg(k + 2), second.by);
    if (!facts_.equal(substitute(x.term.arg(k + 2), first.by), extent, facts)) {
      return false;
    }
    Symbol index(fmt::format("{}~{}", x.term->bound[k].name(), ++counter_));
    std::string name = names_.of(index);
    line(fmt::format("apply over_covered; [integers|intros {} {}_in].", name, name));
    x.by.insert_or_assign(x.term->bound[k], int_var(index));
    y.by.insert_or_assign(y.term->bound[k], int_var(index));
    facts.push_back(in_range(int_var(index), extent));
  }
  return covered_values(padded_first ? x : y, padded_first ? y : x, padded_first, facts);
}

bool CoqProof::covered_values(const CoqSide& with_padding, const CoqSide& plain, bool padded_first, const Facts& facts) {
  Padded inner = *padded(with_padding.term.arg(0), with_padding.term->reduction);
  Term window = substitute(with_padding.term.arg(1), with_padding.by);
  Term inside = substitute(inner.guard, with_padding.by);
  Term counts = substitute(plain.term.arg(1), plain.by);
  Facts there = facts;
  Facts back = facts;
  there.insert(there.end(), {window, inside});
  back.push_back(counts);
  if (!facts_.entails(there, counts) || !facts_.entails(back, window) || !facts_.entails(back, inside)) {
    return false;
  }
  const char* guards = is_true(window) && is_true(counts) ? "guard_both; "
                       : is_true(window)                  ? (padded_first ? "guard_first; " : "guard_second; ")
                       : is_true(counts)                  ? (padded_first ? "guard_second; " : "guard_first; ")
                                                          : "";
  std::string here = fresh("here");
  if (padded_first) {
    std::string held = fresh("here");
    line(fmt::format("{}apply choice_covered; [intros {} {}; holds|intros {} {}].", guards, here, held, here, held));
  } else {
    line(fmt::format("{}apply covered_by_choice; [intros {}; holds|intros {}; holds|intros {}].", guards, here, here, here));
  }
  return equal({inner.value, with_padding.by}, {plain.term.arg(0), plain.by}, padded_first ? there : back);
}

}  // namespace vouch
