// What is left of a difference without what it is divided by, and sums over periods.
#include <algorithm>
#include <iterator>

#include "algebra/equality.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

const Factor* sum_divided_by(const NormalForm& form) {
  for (const Summand& s : form) {
    for (const Factor& f : s.factors) {
      if (f.atom->kind == AtomKind::Group && f.exponent < 0) {
        return &f;
      }
    }
  }
  return nullptr;
}

bool is_bound_in(const NormalForm& form, AtomRef atom) {
  return std::any_of(form.begin(), form.end(), [&](const Summand& s) {
    return std::any_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(atom->symbols, b); });
  });
}

int exponent_in(const Summand& s, AtomRef atom) {
  auto found = std::find_if(s.factors.begin(), s.factors.end(), [&](const Factor& f) { return f.atom == atom; });
  return found == s.factors.end() ? 0 : found->exponent;
}

bool is_function(AtomRef atom, Fn fn) { return atom->kind == AtomKind::Function && atom->name == fn_name(fn); }

bool has_function(const NormalForm& form, Fn fn) {
  return std::any_of(form.begin(), form.end(), [&](const Summand& s) {
    return std::any_of(s.factors.begin(), s.factors.end(), [&](const Factor& f) {
      return is_function(f.atom, fn) || (f.atom->kind == AtomKind::Group && has_function(f.atom->args[0], fn));
    });
  });
}

// The number of values, where the guards on it say 0 <= index < that.
std::optional<Term> extent_of(Symbol index, const std::vector<Literal>& guards) {
  std::optional<Term> extent;
  bool from_zero = false;
  for (const Literal& g : guards) {
    if (g.sign || g.fact.kind() != TermKind::IntLe) {
      return std::nullopt;
    }
    Term room = g.fact.arg(1) - g.fact.arg(0);
    if (room == int_var(index)) {
      from_zero = true;
    } else if (!mentions(room + int_var(index), index)) {
      extent = room + int_var(index) + 1;
    } else {
      return std::nullopt;
    }
  }
  return guards.size() == 2 && from_zero ? extent : std::nullopt;
}

}  // namespace

// c/g + d is 0 where c + d*g is, if g is not: that is for whoever looks at what was cancelled.
std::optional<NormalForm> Equality::without_divisor(const NormalForm& form) {
  const Factor* divisor = form.size() < 2 || forms_.algebra() == Algebra::Exact ? nullptr : sum_divided_by(form);
  if (divisor == nullptr || is_bound_in(form, divisor->atom)) {
    return std::nullopt;
  }
  AtomRef atom = divisor->atom;
  int times = 0;
  for (const Summand& s : form) {
    times = std::max(times, -exponent_in(s, atom));
  }
  constexpr int kMostTimes = 4;
  if (times > kMostTimes) {
    return std::nullopt;
  }
  NormalForm out;
  for (Summand s : form) {
    const int left = times + exponent_in(s, atom);
    std::erase_if(s.factors, [&](const Factor& f) { return f.atom == atom; });
    out = forms_.sum(out, forms_.product({s}, forms_.power(atom->args[0], left)));
  }
  return out;
}

// tanh u is 1 - 2 / (1 + exp(2 u)).
std::optional<NormalForm> Equality::by_exponentials(const NormalForm& form) {
  if (forms_.algebra() == Algebra::Exact || !has_function(form, Fn::Tanh) || !has_function(form, Fn::Exp)) {
    return std::nullopt;
  }
  NormalForm out;
  for (Summand s : form) {
    NormalForm tangents = forms_.number(1);
    for (const Factor& f : s.factors) {
      if (is_function(f.atom, Fn::Tanh) && f.exponent > 0) {
        NormalForm square = forms_.function(std::string(fn_name(Fn::Exp)), {forms_.scaled(2, f.atom->args[0])});
        NormalForm rest = forms_.scaled(-2, forms_.reciprocal(forms_.sum(forms_.number(1), square)));
        tangents = forms_.product(tangents, forms_.power(forms_.sum(forms_.number(1), rest), f.exponent));
      }
    }
    std::erase_if(s.factors, [&](const Factor& f) { return is_function(f.atom, Fn::Tanh) && f.exponent > 0; });
    out = forms_.sum(out, forms_.product({s}, tangents));
  }
  return has_function(out, Fn::Tanh) ? std::nullopt : std::optional(out);
}

// Does the context say so, of it or of a multiple?
bool Equality::is_zero_here(const NormalForm& form, const Context& context) const {
  return forms_.algebra() != Algebra::Exact && std::any_of(context.signs.begin(), context.signs.end(), [&](const Literal& l) {
           const NormalForm& zero = l.sign->args[0];
           if (l.mask != kZero || l.sign->args.size() != 1 || zero.size() != form.size()) {
             return false;
           }
           return std::any_of(zero.begin(), zero.end(), [&](const Summand& s) {
             return difference_of(form, forms_.scaled(form[0].coefficient / s.coefficient, zero)).empty();
           });
         });
}

// Those that an extremum over one index of a known small range is one of.
std::optional<std::vector<NormalForm>> Equality::few_elements(const Atom& atom) {
  constexpr std::int64_t kMost = 4;
  bool extremum = atom.kind == AtomKind::Reduction && (atom.reduction == Reduction::Max || atom.reduction == Reduction::Min);
  auto extent = extremum && atom.bound.size() == 1 ? extent_of(atom.bound[0], atom.guards) : std::nullopt;
  auto count = extent ? const_int(*extent) : std::nullopt;
  if (!count || *count < 1 || *count > kMost) {
    return std::nullopt;
  }
  std::vector<NormalForm> out;
  for (std::int64_t k = 0; k < *count; ++k) {
    out.push_back(forms_.substituted(atom.args[0], {{atom.bound[0], Term(k)}}));
  }
  return out;
}

// The larger of a few elements, by each of them.
std::optional<NormalForm> Equality::by_elements(const NormalForm& form) {
  bool chooses = false;
  NormalForm out;
  bool changed = false;
  for (Summand s : form) {
    NormalForm elements = forms_.number(1);
    std::erase_if(s.factors, [&](const Factor& f) {
      chooses = chooses || is_extremum(*f.atom);
      auto all = few_elements(*f.atom);
      if (!all || f.exponent != 1) {
        return false;
      }
      const bool max = f.atom->reduction == Reduction::Max;
      elements = forms_.product(elements, forms_.largest(std::string(fn_name(max ? Fn::Max : Fn::Min)), *all));
      changed = true;
      return true;
    });
    out = forms_.sum(out, forms_.product({s}, elements));
  }
  return chooses && changed ? std::optional(out) : std::nullopt;
}

bool Equality::vanishes_otherwise(const NormalForm& form, const Context& context, int depth) {
  auto here = [&](const NormalForm& other) { return vanishes(simplified(other, context), context, depth + 1); };
  if (is_zero_here(form, context)) {
    return true;
  }
  if (auto elements = by_elements(form)) {
    return here(*elements);
  }
  if (auto exponentials = by_exponentials(form)) {
    return here(*exponentials);
  }
  NormalForm apart;
  bool split = false;
  for (const Summand& s : form) {
    auto periods = by_periods(s, context);
    split = split || periods;
    apart = forms_.sum(apart, periods.value_or(NormalForm{s}));
  }
  if (split) {
    return here(apart);
  }
  const Factor* divisor = sum_divided_by(form);
  auto whole = without_divisor(form);
  if (!whole) {
    return false;
  }
  const std::size_t at = forms_.cancelled().size();
  forms_.cancelled().push_back(divisor->atom);
  if (here(*whole)) {
    return true;
  }
  forms_.cancelled().erase(forms_.cancelled().begin() + static_cast<std::ptrdiff_t>(at));
  return false;
}

// --- sums over periods

// 0 <= index < size * count.
struct Equality::Periods {
  Symbol index;
  Term size;
  Term count;
  std::vector<Literal> range;  // what says so
};

// An index of which a quotient is read, over a whole number of its divisors.
std::optional<Equality::Periods> Equality::periods_in(const std::vector<Symbol>& bound, const std::vector<Literal>& guards,
                                                      const NormalForm& body, const Context& context) {
  std::vector<Term> quotients;
  (void)forms_.mapped(body, [&](Term t) {
    for (Term atom : deep_atoms(t)) {
      if (atom.kind() == TermKind::FloorDiv && atom.arg(0).kind() == TermKind::IntVar && !mentions_any(atom.arg(1), bound)) {
        quotients.push_back(atom);
      }
    }
    return t;
  });
  for (Term quotient : quotients) {
    Symbol index = quotient.arg(0)->symbol;
    if (std::find(bound.begin(), bound.end(), index) == bound.end()) {
      continue;
    }
    std::vector<Literal> range;
    std::copy_if(guards.begin(), guards.end(), std::back_inserter(range),
                 [&](const Literal& l) { return has_symbol(free_symbols(l), index); });
    auto extent = extent_of(index, range);
    if (!extent || mentions_any(*extent, bound)) {
      continue;
    }
    Division parts = divide(*extent, quotient.arg(1));
    if (parts.rest == Term(0) && arithmetic_.entails(context.facts, ge(quotient.arg(1), 1))) {
      return Periods{index, quotient.arg(1), parts.whole, range};
    }
  }
  return std::nullopt;
}

// The index as size * (which period) + (where in it); the guards, with the ranges of these.
Term Equality::put_apart(const Periods& periods, std::vector<Symbol>& bound, std::vector<Literal>& guards) {
  Symbol which = forms_.fresh(periods.index);
  Symbol where = forms_.fresh(periods.index);
  std::erase(bound, periods.index);
  bound.insert(bound.end(), {which, where});
  for (const Literal& l : periods.range) {
    std::erase(guards, l);
  }
  for (auto [index, extent] : {std::pair(which, periods.count), std::pair(where, periods.size)}) {
    for (Term fact : {le(0, int_var(index)), lt(int_var(index), extent)}) {
      guards.push_back({fact, nullptr, 0});
    }
  }
  return periods.size * int_var(which) + int_var(where);
}

std::optional<NormalForm> Equality::by_periods(const Summand& s, const Context& context) {
  Summand body{s.coefficient, {}, {}, s.factors};
  auto periods = s.bound.empty() ? std::nullopt : periods_in(s.bound, s.guards, {body}, context);
  if (!periods) {
    return std::nullopt;
  }
  Summand open = s;
  Term index = put_apart(*periods, open.bound, open.guards);
  std::vector<Symbol> bound = std::exchange(open.bound, {});
  NormalForm out =
      forms_.mapped_under(open, {ge(index, 0)}, [&](Term t) { return without_remainders(substitute(t, periods->index, index)); });
  for (Summand& x : out) {
    x.bound.insert(x.bound.end(), bound.begin(), bound.end());
  }
  return out;
}

std::optional<Equality::Piece> Equality::by_periods(const Piece& piece, const Context& context) {
  auto periods = periods_in(piece.bound, piece.guards, piece.body, context);
  if (!periods) {
    return std::nullopt;
  }
  Piece out = piece;
  Term index = put_apart(*periods, out.bound, out.guards);
  out.body = forms_.substituted(piece.body, {{periods->index, index}});
  return out;
}

}  // namespace vouch
