// Proofs of equality by structure: what is the same operation on both sides, and choices.
#include <fmt/format.h>

#include <algorithm>

#include "theorem/coq_proof.h"

namespace vouch {
namespace {

Symbol named(const std::string& like, int number) { return Symbol(fmt::format("{}~{}", like, number)); }

}  // namespace

std::optional<std::string> CoqProof::prove(Term a, Term b, const Facts& facts) {
  out_.clear();
  of_types_.clear();
  wholes_.clear();
  roundings_.clear();
  laws_.clear();
  bool done = equal({a, {}}, {b, {}}, facts);
  if (!done && reason_.empty()) {
    reason_ = "no law that holds bit for bit was found to prove it";
  }
  return done ? std::optional(out_) : std::nullopt;
}

CoqEnvironment CoqProof::environment(const Substitution& by) {
  CoqEnvironment env;
  for (const auto& [symbol, value] : by) {
    env.emplace(symbol, printer_.integer(value, {}));
  }
  return env;
}

void CoqProof::line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n"; }

bool CoqProof::undo(const Mark& to) {
  out_.resize(to.length);
  indent_ = to.indent;
  laws_ = to.laws;
  return false;
}

bool CoqProof::braced(const std::function<bool()>& inside) {
  line("{");
  ++indent_;
  bool done = inside();
  --indent_;
  line("}");
  return done;
}

bool CoqProof::equal(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  constexpr int kDeepest = 60;
  if (fuel_ <= 0 || depth_ > kDeepest) {
    reason_ = "too much work";
    return false;
  }
  --fuel_;
  ++depth_;
  Mark before = mark();
  bool done =
      structural(a, b, facts) || (undo(before), over_reals() ? of_reals(a, b, facts) : of_laws(a, b, facts)) || undo(before);
  --depth_;
  return done;
}

// By laws that hold of real numbers.
bool CoqProof::of_reals(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  Mark before = mark();
  return steps_again(a, b, facts) || (undo(before), steps_of_clamped(a, b, facts)) ||
         (undo(before), rounded_again(a, b, facts)) || (undo(before), quotient_by_one(a, b, facts)) ||
         (undo(before), algebraic(a, b, facts)) || undo(before);
}

bool CoqProof::structural(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (a.term == b.term && scalar(a) == scalar(b)) {
    line("reflexivity.");
    return true;
  }
  if (a.term.kind() == TermKind::Select || b.term.kind() == TermKind::Select) {
    return choice(a, b, facts);
  }
  return same_head(a, b, facts);
}

bool CoqProof::by_cases(Term guard, const std::string& text, const Facts& facts, const std::function<bool(const Facts&)>& rest) {
  std::string here = fresh("here");
  line(fmt::format("apply (by_cases {}%Z); intros {}.", text, here));
  for (Term half : {guard, negate(guard)}) {
    Facts more = facts;
    more.push_back(half);
    bool done = braced([&] {
      if (facts_.contradicts(more)) {
        line("exfalso; integers.");
        return true;
      }
      return rest(more);
    });
    if (!done) {
      return false;
    }
  }
  return true;
}

// A choice on either side: into the branch that is taken, or both where nothing is known.
bool CoqProof::choice(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  for (bool left : {true, false}) {
    const CoqSide& side = left ? a : b;
    if (side.term.kind() != TermKind::Select) {
      continue;
    }
    Term guard = substitute(side.term.arg(0), side.by);
    for (bool wanted : {true, false}) {
      if (facts_.entails(facts, wanted ? guard : negate(guard))) {
        line(fmt::format("apply choose_{}{}; [holds|].", wanted ? "true" : "false", left ? "" : "_r"));
        CoqSide inner{side.term.arg(wanted ? 1 : 2), side.by};
        return equal(left ? inner : a, left ? b : inner, facts);
      }
    }
  }
  Mark before = mark();
  if (chosen_alike(a, b, facts) || undo(before)) {
    return true;
  }
  const CoqSide& side = a.term.kind() == TermKind::Select ? a : b;
  Term guard = substitute(side.term.arg(0), side.by);
  std::string text = printer_.guard(side.term.arg(0), environment(side.by));
  return by_cases(guard, text, facts, [&](const Facts& more) { return structural(a, b, more); });
}

bool CoqProof::same_head(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  Term x = a.term;
  Term y = b.term;
  const bool reduce = x.kind() == TermKind::Reduce && y.kind() == TermKind::Reduce;  // whose axes may be merged
  if (!reduce && (x.kind() != y.kind() || x->symbol != y->symbol || x.args().size() != y.args().size())) {
    return false;
  }
  switch (x.kind()) {
    case TermKind::Read:
      for (std::size_t k = 0; k < x.args().size(); ++k) {
        if (!facts_.equal(substitute(x.arg(k), a.by), substitute(y.arg(k), b.by), facts)) {
          return false;
        }
      }
      line("same_read.");
      return true;
    case TermKind::RealOf:
      if (!facts_.equal(substitute(x.arg(0), a.by), substitute(y.arg(0), b.by), facts)) {
        return false;
      }
      line(fmt::format("apply (f_equal {}). integers.", printer_.operation(x.kind())));
      return true;
    case TermKind::RealDiv:
      return (over_reals() && shifted_exponentials(a, b, facts)) || operands(printer_.operation(x.kind()), a, b, facts);
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealNeg: return operands(printer_.operation(x.kind()), a, b, facts);
    case TermKind::Call:
      if (x->fn != y->fn) {
        return false;
      }
      if (over_reals() && (small_power(x) || small_power(y))) {
        if (small_power(x) != small_power(y)) {
          return false;
        }
        line(fmt::format("apply (f_equal (fun base => base ^ {})%R).", *small_power(x)));
        return equal({x.arg(0), a.by}, {y.arg(0), b.by}, facts);
      }
      return operands(printer_.function(x->fn), a, b, facts);
    case TermKind::Reduce: return reductions(a, b, facts);
    default: return false;
  }
}

bool CoqProof::operands(const std::string& step, const CoqSide& a, const CoqSide& b, const Facts& facts) {
  std::size_t count = a.term.args().size();
  line(fmt::format("apply (f_equal{} {}).", count == 2 ? "2" : "", step));
  for (std::size_t k = 0; k < count; ++k) {
    if (!braced([&] { return equal({a.term.arg(k), a.by}, {b.term.arg(k), b.by}, facts); })) {
      return false;
    }
  }
  return true;
}

// Exponentials by their sums, whose exponents are not the same but differ by one number.
bool CoqProof::shifted_exponentials(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  auto is_exponential = [](Term t) { return t.kind() == TermKind::Call && t->fn == Fn::Exp; };
  for (const CoqSide* side : {&a, &b}) {
    Term sum = side->term.arg(1);
    bool of_exponentials = is_exponential(side->term.arg(0)) && sum.kind() == TermKind::Reduce &&
                           sum->reduction == Reduction::Sum && sum->bound.size() == 1 && is_true(sum.arg(1)) &&
                           is_exponential(sum.arg(0));
    if (!of_exponentials) {
      return false;
    }
  }
  Mark before = mark();
  bool alike = structural({a.term.arg(0).arg(0), a.by}, {b.term.arg(0).arg(0), b.by}, facts);
  undo(before);
  Term extent = substitute(a.term.arg(1).arg(2), a.by);
  if (alike || !facts_.equal(extent, substitute(b.term.arg(1).arg(2), b.by), facts)) {
    return false;
  }
  std::string index = fresh("k");
  line(fmt::format("apply exponentials_shifted; [integers|intros {} {}_in; algebra].", index, index));
  return true;
}

// The same reduction over the same box: index by index.
bool CoqProof::reductions(const CoqSide& a_given, const CoqSide& b_given, const Facts& facts_given) {
  CoqSide a = a_given;
  CoqSide b = b_given;
  Facts facts = facts_given;
  Term x = a.term;
  Term y = b.term;
  if (x->reduction != y->reduction) {
    return false;
  }
  if (x->bound.size() != y->bound.size()) {
    return merged_axes(a, b, facts);
  }
  bool sums = is_summed(x);
  if (!sums) {
    line(fmt::format("apply (f_equal ({})).", printer_.reduction(x->reduction)));
  }
  for (std::size_t k = 0; k < x->bound.size(); ++k) {
    Term extent = substitute(x.arg(k + 2), a.by);
    if (!facts_.equal(extent, substitute(y.arg(k + 2), b.by), facts)) {
      return false;
    }
  }
  for (std::size_t k = 0; k < x->bound.size(); ++k) {
    Term extent = substitute(y.arg(k + 2), b_given.by);
    Symbol index = named(std::string(x->bound[k].name()), ++counter_);
    std::string name = names_.of(index);
    line(fmt::format("apply {}_ext; [integers|intros {} {}_in].", sums ? "sum" : "over", name, name));
    a.by.insert_or_assign(x->bound[k], int_var(index));
    b.by.insert_or_assign(y->bound[k], int_var(index));
    facts.push_back(in_range(int_var(index), extent));
  }
  return reduced_bodies(a, b, facts);
}

bool CoqProof::reduced_bodies(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  Term g = substitute(a.term.arg(1), a.by);
  Term h = substitute(b.term.arg(1), b.by);
  bool sums = is_summed(a.term);
  CoqSide x{a.term.arg(0), a.by};
  CoqSide y{b.term.arg(0), b.by};
  Facts inside = facts;
  inside.push_back(g);
  Facts other = facts;
  other.push_back(h);
  if (is_true(g) && is_true(h)) {
    if (!sums) {
      line("apply one_ext.");
    }
    return equal(x, y, facts);
  }
  const bool follow = facts_.entails(inside, h) && facts_.entails(other, g);
  std::string here = fresh("here");
  if (!follow) {
    line(fmt::format("apply {}.", sums ? "choose_both" : "only_same"));
    if (!braced([&] { return same_guards({a.term.arg(1), a.by}, {b.term.arg(1), b.by}, facts); })) {
      return false;
    }
    if (sums) {
      line("2: reflexivity.");
    }
    line(fmt::format("intros {}.", here));
  } else if (is_true(g) || is_true(h)) {
    line(fmt::format("apply {}{}; [holds|].", sums ? "choose_true" : "only_true", is_true(g) ? "_r" : ""));
  } else if (sums) {
    line(fmt::format("apply choose_both; [same_guards|intros {}|reflexivity].", here));
  } else {
    line(fmt::format("apply only_ext; [intros ?; integers|intros ?; integers|intros {}].", here));
  }
  if (!sums) {
    line("apply one_ext.");
  }
  return equal(x, y, inside);
}

}  // namespace vouch
