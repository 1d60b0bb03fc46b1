// Extrema of what varies by a factor and a summand only: max (c * f + d) = c * max f + d for c >= 0, and with the least for c <=
// 0.
#include <algorithm>

#include "algebra/equality.h"
#include "term/print.h"

namespace vouch {
namespace {

bool is_free(const Summand& s, const std::vector<Symbol>& bound) {
  std::vector<Symbol> names = free_symbols(s);
  return std::none_of(bound.begin(), bound.end(), [&](Symbol b) { return has_symbol(names, b); });
}

}  // namespace

unsigned Equality::signs_of(AtomRef factor, const Context& context) const {
  NormalForm form = factor->kind == AtomKind::Group ? factor->args[0] : forms_.single(factor);
  unsigned known = forms_.possible_signs(form);
  if (factor->kind == AtomKind::Whole && arithmetic_.entails(context.facts, ge(factor->indices[0], 0))) {
    known &= kZero | kPositive;
  }
  if (factor->kind == AtomKind::Whole && arithmetic_.entails(context.facts, ge(factor->indices[0], 1))) {
    known &= kPositive;
  }
  for (const Literal& l : context.signs) {
    bool same =
        l.sign->args.size() == 1 && is_one_atom(l.sign->args[0], factor->kind) && l.sign->args[0][0].factors[0].atom == factor;
    known &= same && (l.mask & kUnordered) == 0 ? l.mask : kAnySign;
  }
  return known;
}

NormalForm Equality::affine_extremum(const Atom& extremum, const Context& context) {
  auto of = [&](const NormalForm& body) { return forms_.reduction(extremum.reduction, extremum.bound, extremum.guards, body); };
  if (forms_.algebra() == Algebra::Exact) {
    return of(extremum.args[0]);
  }
  NormalForm fixed;
  NormalForm varies;
  for (const Summand& s : extremum.args[0]) {
    (is_free(s, extremum.bound) ? fixed : varies).push_back(s);
  }
  bool may_leave = varies.size() == 1 && is_plain(varies[0]);
  if ((fixed.empty() && !may_leave) || !has_value(extremum, context)) {
    return of(extremum.args[0]);
  }
  if (varies.empty()) {
    return fixed;
  }
  return forms_.sum(fixed, may_leave ? scaled_extremum(extremum, varies[0], context) : of(varies));
}

NormalForm Equality::scaled_extremum(const Atom& extremum, const Summand& body, const Context& context) {
  Summand outside{body.coefficient, {}, {}, {}};
  Summand inside{1, {}, {}, {}};
  bool flips = body.coefficient.sign() < 0;
  for (const Factor& f : body.factors) {
    bool free = is_free(Summand{1, {}, {}, {f}}, extremum.bound);
    unsigned signs = free ? signs_of(f.atom, context) : kAnySign;
    bool rises = free && ((signs & kNegative) == 0 || f.exponent % 2 == 0);
    bool falls = free && !rises && (signs & kPositive) == 0;
    flips = flips != falls;
    (rises || falls ? outside : inside).factors.push_back(f);
  }
  Atom rest = extremum;
  rest.reduction = flips ? other_extremum(extremum.reduction) : extremum.reduction;
  return forms_.product({outside}, monotone_extremum(rest, inside, context));
}

// Of the same kind it stays inside, where `moved_inside` puts it, unless it limits a choice of the other kind.
std::optional<NormalForm> Equality::choice_outside(const Atom& extremum, const Summand& body, const Context& context) {
  if (!is_one_atom({body}, AtomKind::Function) || !is_extremum(*body.factors[0].atom)) {
    return std::nullopt;
  }
  auto parted = [&](const Atom& choice) {
    std::pair<std::vector<NormalForm>, std::vector<NormalForm>> out;  // what is the same everywhere, what varies
    for (const NormalForm& arg : choice.args) {
      bool free = std::all_of(arg.begin(), arg.end(), [&](const Summand& s) { return is_free(s, extremum.bound); });
      (free ? out.first : out.second).push_back(arg);
    }
    return out;
  };
  const Atom& choice = *body.factors[0].atom;
  auto [fixed, varies] = parted(choice);
  const bool same_kind = (choice.name == fn_name(Fn::Max)) == (extremum.reduction == Reduction::Max);
  auto limits_another = [&] {
    bool other = varies.size() == 1 && is_one_atom(varies[0], AtomKind::Function) && is_extremum(*varies[0][0].factors[0].atom);
    return other && !parted(*varies[0][0].factors[0].atom).first.empty();
  };
  if (fixed.empty() || varies.empty() || (same_kind && !limits_another())) {
    return std::nullopt;
  }
  Atom rest = extremum;
  rest.args = {forms_.largest(choice.name, varies)};
  fixed.push_back(affine_extremum(rest, context));
  return forms_.largest(choice.name, fixed);
}

NormalForm Equality::spread_extremum(const NormalForm& form, const Context& context) {
  if (forms_.algebra() == Algebra::Exact || form.size() != 1 || !form[0].bound.empty() || !form[0].guards.empty()) {
    return form;
  }
  auto chosen = std::find_if(form[0].factors.begin(), form[0].factors.end(),
                             [](const Factor& f) { return f.exponent == 1 && is_extremum(*f.atom); });
  if (chosen == form[0].factors.end()) {
    return form;
  }
  bool flips = form[0].coefficient.sign() < 0;
  Summand scale{form[0].coefficient, {}, {}, {}};
  for (auto f = form[0].factors.begin(); f != form[0].factors.end(); ++f) {
    if (f == chosen) {
      continue;
    }
    unsigned signs = signs_of(f->atom, context);
    bool falls = f->exponent % 2 != 0 && (signs & kNegative) != 0;
    if (falls && (signs & kPositive) != 0) {
      return form;
    }
    flips = flips != falls;
    scale.factors.push_back(*f);
  }
  std::vector<NormalForm> scaled;
  for (const NormalForm& arg : chosen->atom->args) {
    scaled.push_back(forms_.product({scale}, arg));
  }
  bool max = (chosen->atom->name == fn_name(Fn::Max)) != flips;
  return forms_.largest(std::string(fn_name(max ? Fn::Max : Fn::Min)), scaled);
}

// Nothing: no product in it is one of an extremum and of what has one sign.
std::optional<NormalForm> Equality::with_spread_extrema(const NormalForm& form, const Context& context) {
  NormalForm out;
  bool changed = false;
  for (const Summand& s : form) {
    const Rational sign = s.coefficient.sign() < 0 ? -1 : 1;
    NormalForm one = forms_.scaled(sign, {s});
    NormalForm spread = s.factors.size() > 1 || !is_one(one[0].coefficient) ? spread_extremum(one, context) : one;
    changed = changed || spread.size() != 1 || spread[0].factors != one[0].factors;
    out = forms_.sum(out, forms_.scaled(sign, spread));
  }
  return changed ? std::optional(out) : std::nullopt;
}

static const Factor* divisor_of(const NormalForm& form) {
  for (const Summand& s : form) {
    for (const Factor& f : s.factors) {
      if (f.exponent < 0) {
        return &f;
      }
    }
  }
  return nullptr;
}

bool Equality::is_never_negative(NormalForm form, const Context& context) {
  while (const Factor* divisor = divisor_of(form)) {
    if (signs_of(divisor->atom, context) != kPositive) {
      return false;
    }
    form = forms_.product(form, forms_.single(divisor->atom, -divisor->exponent));
  }
  auto cases = forms_.split_sign(form, kNegative | kUnordered, false);
  return std::all_of(cases.begin(), cases.end(), [&](const std::vector<Literal>& one) { return contradicts(context.with(one)); });
}

}  // namespace vouch
