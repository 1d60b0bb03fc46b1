// Values over a merged axis as those over the axes that were merged, and choices by one condition that is written in two ways.
#include <fmt/format.h>

#include "facts/index_terms.h"
#include "term/substitute.h"
#include "theorem/coq_proof.h"

namespace vouch {

// The same reduction over fewer axes and over more: what is merged on the one side is taken apart axis by axis, outermost first.
bool CoqProof::merged_axes(const CoqSide& a, const CoqSide& b, const Facts& facts_given) {
  if (is_summed(a.term)) {
    return false;
  }
  if (a.term->bound.size() > b.term->bound.size()) {
    line("symmetry.");
    return merged_axes(b, a, facts_given);
  }
  line(fmt::format("apply (f_equal ({})).", printer_.reduction(a.term->reduction)));
  MergedIndex merged{.of = a};
  CoqSide apart = b;
  Facts facts = facts_given;
  for (std::size_t k = 0; k < b.term->bound.size(); ++k) {
    const Term extent = substitute(b.term.arg(k + 2), b.by);
    const Symbol index(fmt::format("{}~{}", b.term->bound[k].name(), ++counter_));
    if (!taken_apart(merged, extent, index, facts)) {
      return false;
    }
    apart.by.insert_or_assign(b.term->bound[k], int_var(index));
    facts.push_back(in_range(int_var(index), extent));
  }
  return merged.at == a.term->bound.size() && reduced_bodies(merged.of, apart, facts);
}

// The outermost axis of what is left of the merged one.
bool CoqProof::taken_apart(MergedIndex& merged, Term extent, Symbol index, const Facts& facts) {
  const Term reduction = merged.of.term;
  if (merged.at == reduction->bound.size()) {
    return false;
  }
  const std::string name = names_.of(index);
  const Term size = merged.size ? merged.size : substitute(reduction.arg(merged.at + 2), merged.of.by);
  if (facts_.equal(size, extent, facts)) {
    line(fmt::format("apply over_ext; [integers|intros {} {}_in].", name, name));
    merged.of.by.insert_or_assign(reduction->bound[merged.at], merged.before + int_var(index));
    merged = {.of = merged.of, .at = merged.at + 1};
    return true;
  }
  const Division parts = divide(size, extent);
  if (parts.rest != Term(0) || !facts_.entails(facts, le(1, parts.whole))) {
    return false;
  }
  const std::string inner = printer_.integer(parts.whole, {});
  line(fmt::format("apply (over_apart _ {}); [integers|integers|intros {} {}_in].", inner, name, name));
  merged.before = merged.before + parts.whole * int_var(index);
  merged.size = parts.whole;
  return true;
}

bool CoqProof::chosen_alike(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (a.term.kind() != TermKind::Select || b.term.kind() != TermKind::Select) {
    return false;
  }
  const std::string here = fresh("here");
  line("apply choose_both.");
  if (!braced([&] { return same_guards({a.term.arg(0), a.by}, {b.term.arg(0), b.by}, facts); })) {
    return false;
  }
  for (const std::size_t branch : {1, 2}) {
    const bool done = braced([&] {
      line(fmt::format("intros {}.", here));
      return equal({a.term.arg(branch), a.by}, {b.term.arg(branch), b.by}, facts);
    });
    if (!done) {
      return false;
    }
  }
  return true;
}

}  // namespace vouch
