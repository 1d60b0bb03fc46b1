// Simplification of normal forms under a context.
#include <algorithm>
#include <iterator>

#include "algebra/equality.h"
#include "algebra/fixed_atoms.h"
#include "algebra/normal_form_key.h"
#include "term/print.h"

namespace vouch {

NormalForm Equality::simplified(const NormalForm& form, const Context& context) {
  if (arithmetic_.exhausted()) {
    return form;
  }
  NormalForm out;
  for (const Summand& s : form) {
    NormalForm here = simplified(s, context);
    out.insert(out.end(), here.begin(), here.end());
  }
  return forms_.merged(out);
}

// Σ over b with b == e: b becomes e. False if there is no such index (left).
bool Equality::eliminate_point(Summand& s, NormalForm& rest) {
  for (const Literal& g : s.guards) {
    if (g.sign || g.fact.kind() != TermKind::IntEq) {
      continue;
    }
    Term difference = g.fact.arg(1) - g.fact.arg(0);
    for (Symbol b : s.bound) {
      for (const Monomial& m : monomials(difference)) {
        bool unit = m.atoms.size() == 1 && m.atoms[0] == int_var(b) && (m.coefficient == 1 || m.coefficient == -1);
        Term other = unit ? difference - int_const(m.coefficient) * int_var(b) : Term();
        if (!unit || mentions(other, b)) {
          continue;
        }
        Summand open = s;
        std::erase(open.guards, g);
        std::erase(open.bound, b);
        s = forms_.substituted(open, Substitution{{b, int_const(-m.coefficient) * other}}, &rest);
        return true;
      }
    }
  }
  return eliminate_pinned(s, rest);
}

// Σ over b with l <= b <= l: b becomes l.
bool Equality::eliminate_pinned(Summand& s, NormalForm& rest) {
  Facts facts;
  for (const Literal& g : s.guards) {
    if (!g.sign) {
      facts.push_back(g.fact);
    }
  }
  for (Symbol b : s.bound) {
    if (auto value = pinned_value(b, {&facts})) {
      Summand open = s;
      std::erase(open.bound, b);
      s = forms_.substituted(open, Substitution{{b, *value}}, &rest);
      return true;
    }
  }
  return false;
}

void Equality::drop_implied(Summand& s, const Context& context) {
  // Boxes last: they say where the others are asked.
  auto is_box = [&](const Literal& l) {
    std::vector<Symbol> names = free_symbols(l);
    return !l.sign && l.fact.kind() == TermKind::IntLe && monomials(l.fact.arg(1) - l.fact.arg(0)).size() <= 2 &&
           std::any_of(s.bound.begin(), s.bound.end(), [&](Symbol b) { return has_symbol(names, b); });
  };
  std::stable_partition(s.guards.begin(), s.guards.end(), [&](const Literal& l) { return !is_box(l); });
  for (std::size_t k = 0; k < s.guards.size();) {
    const Literal& here = s.guards[k];
    std::vector<Symbol> names = free_symbols(here);
    bool others_speak = !is_box(here) || std::any_of(s.guards.begin(), s.guards.end(), [&](const Literal& l) {
      if (l == here || is_box(l)) {
        return false;
      }
      std::vector<Symbol> theirs = free_symbols(l);
      return std::any_of(names.begin(), names.end(), [&](Symbol n) { return has_symbol(theirs, n); });
    });
    std::vector<Literal> others = s.guards;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (others_speak && entails(context.with(others), here)) {
      s.guards = std::move(others);
    } else {
      ++k;
    }
  }
}

// All that simplification of a summand looks at besides the base facts, each in its order. (What it cancels is noted the first
// time, and notes stay.)
AtomKey Equality::key_of(const Summand& s, const Context& context) {
  AtomKey key;
  add_key(key, s);
  key.push_back(arithmetic_.under({}, context.facts).facts);
  add_key(key, context.signs);
  add_key(key, split_by_);
  return key;
}

NormalForm Equality::simplified(Summand s, const Context& context) {
  if (!arithmetic_.spend()) {
    return {std::move(s)};
  }
  AtomKey key = key_of(s, context);
  if (auto found = simplified_.find(key); found != simplified_.end()) {
    return found->second;
  }
  NormalForm out = simplified_by_steps(std::move(s), context);
  if (!arithmetic_.exhausted()) {
    simplified_.emplace(std::move(key), out);
  }
  return out;
}

NormalForm Equality::simplified_by_steps(Summand s, const Context& context) {
  NormalForm rest;
  NormalForm out;
  if (context.speaks_of(s.bound)) {
    s = forms_.with_fresh_bound(s);
  }
  while (!is_zero(s.coefficient) && eliminate_point(s, rest)) {
    for (const Summand& r : rest) {
      NormalForm here = simplified(r, context);
      out.insert(out.end(), here.begin(), here.end());
    }
    rest.clear();
  }
  s = forms_.make(s.coefficient, s.bound, s.guards, s.factors);
  if (is_zero(s.coefficient) || (!s.guards.empty() && contradicts(context.with(s.guards)))) {
    return out;
  }
  for (Literal& g : s.guards) {
    if (!g.sign) {
      g.fact = simplified_guard(g.fact, context.facts);
    }
  }
  drop_implied(s, context);
  if (auto quotients = over_quotients(s, context)) {
    NormalForm here = simplified(*quotients, context);
    out.insert(out.end(), here.begin(), here.end());
    return forms_.merged(out);
  }
  Facts facts = context.with(s.guards).facts;
  for (Literal& g : s.guards) {
    if (g.sign) {
      g = forms_.mapped_under(g, facts, [&](Term t) { return simplified_index(t, facts); });
      g = simpler_sign(g, Context{facts, context.signs});
    }
  }
  std::vector<Literal> guards = std::exchange(s.guards, {});
  std::vector<Symbol> bound = std::exchange(s.bound, {});
  for (Summand x : forms_.mapped_under(s, facts, [&](Term t) { return simplified_index(t, facts); })) {
    x.guards.insert(x.guards.begin(), guards.begin(), guards.end());
    x.bound.insert(x.bound.begin(), bound.begin(), bound.end());
    for (const Summand& y : simplified_inside(x, context)) {
      for (const Summand& z : without_unused(y, context)) {
        out.push_back(z);
      }
    }
  }
  return forms_.merged(out);
}

Term Equality::simplified_guard(Term fact, const Facts& facts) {
  if (!tensors_read(fact).empty()) {
    return fact;
  }
  return simplified_index(fact, facts);
}

// A guard inside of an atom that does not depend on what is bound inside, nor outside.
std::optional<Literal> Equality::free_guard(const std::vector<NormalForm>& forms, const std::vector<Symbol>& bound) {
  for (const NormalForm& form : forms) {
    for (const Summand& s : form) {
      for (const Literal& g : s.guards) {
        std::vector<Symbol> names = free_symbols(g);
        auto hidden = [&](Symbol b) { return has_symbol(names, b); };
        if (std::none_of(s.bound.begin(), s.bound.end(), hidden) && std::none_of(bound.begin(), bound.end(), hidden)) {
          return g;
        }
      }
    }
  }
  return std::nullopt;
}

// A guard by which was split already did not vanish by it, and would not the next time.
bool Equality::may_split(const Literal& guard) const {
  constexpr std::size_t kMostSplits = 8;
  return split_by_.size() < kMostSplits && std::find(split_by_.begin(), split_by_.end(), guard) == split_by_.end();
}

NormalForm Equality::simplified_inside(const Summand& s, const Context& context) {
  auto is_nested = [](const Factor& f) {
    return f.atom->kind == AtomKind::Function || f.atom->kind == AtomKind::Group || f.atom->kind == AtomKind::Reduction;
  };
  Context here = context.with(s.guards);
  if (auto fixed = with_fixed_atoms(forms_, s, here.signs)) {
    return simplified(*fixed, context);
  }
  std::vector<Factor> plain;
  std::remove_copy_if(s.factors.begin(), s.factors.end(), std::back_inserter(plain), is_nested);
  NormalForm total{forms_.make(s.coefficient, s.bound, s.guards, std::move(plain))};
  for (const Factor& f : s.factors) {
    if (!is_nested(f)) {
      continue;
    }
    std::vector<NormalForm> args;
    const Atom atom = with_simpler_signs(*apart(f.atom, here), here);
    Context inner = here.with(atom.guards);
    for (const NormalForm& arg : atom.args) {
      args.push_back(simplified(arg, inner));
    }
    if (auto g = free_guard(args, atom.bound); g && may_split(*g)) {
      NormalForm both;
      split_by_.push_back(*g);
      for (const Literal& h : {*g, FormBuilder::negated(*g)}) {
        Summand one = s;
        one.guards.push_back(h);
        NormalForm part = simplified(one, context);
        both.insert(both.end(), part.begin(), part.end());
      }
      split_by_.pop_back();
      return forms_.merged(both);
    }
    total = forms_.product(total, rebuilt(atom, std::move(args), f.exponent, inner));
  }
  NormalForm out;
  for (const Summand& x : total) {
    out.push_back(cancel_equal(x, context));
  }
  return out;
}

NormalForm Equality::rebuilt(const Atom& atom, std::vector<NormalForm> args, int exponent, const Context& inner) {
  if (atom.kind == AtomKind::Group) {
    return forms_.power(args[0], exponent);
  }
  if (atom.kind == AtomKind::Function) {
    if (auto inside = moved_inside(atom.name, args, inner)) {
      return forms_.power(*inside, exponent);
    }
    if (is_extremum(atom)) {
      std::vector<NormalForm> spread;
      for (const NormalForm& arg : args) {
        spread.push_back(spread_extremum(arg, inner));
      }
      return forms_.power(forms_.largest(atom.name, spread), exponent);
    }
    return forms_.power(forms_.function(atom.name, std::move(args)), exponent);
  }
  Context outside = inner;  // without what the guards say
  for (const Literal& mine : atom.guards) {
    std::erase(outside.facts, mine.fact);
    std::erase(outside.signs, mine);
  }
  std::vector<Literal> guards;
  for (std::size_t k = 0; k < atom.guards.size(); ++k) {
    std::vector<Literal> others = guards;
    others.insert(others.end(), atom.guards.begin() + static_cast<std::ptrdiff_t>(k) + 1, atom.guards.end());
    const Literal& g = atom.guards[k];
    if (!entails(outside.with(others), g)) {
      guards.push_back(g);
    }
  }
  // A maximum of maxima is one over the indices of both.
  bool extremum = atom.reduction == Reduction::Max || atom.reduction == Reduction::Min;
  if (extremum && is_one_atom(args[0], AtomKind::Reduction) && args[0][0].factors[0].atom->reduction == atom.reduction) {
    const Atom& below = *args[0][0].factors[0].atom;
    std::vector<Symbol> bound = atom.bound;
    bound.insert(bound.end(), below.bound.begin(), below.bound.end());
    guards.insert(guards.end(), below.guards.begin(), below.guards.end());
    return forms_.power(forms_.reduction(atom.reduction, std::move(bound), std::move(guards), below.args[0]), exponent);
  }
  NormalForm reduced = forms_.reduction(atom.reduction, atom.bound, std::move(guards), std::move(args[0]));
  if (atom.reduction == Reduction::Product && forms_.algebra() != Algebra::Exact) {
    return forms_.power(product_over(reduced[0].factors[0].atom, outside), exponent);
  }
  return forms_.power(extremum ? affine_extremum(*reduced[0].factors[0].atom, outside) : reduced, exponent);
}

// a * 1/b where a and b are equal here, though written differently.
Summand Equality::cancel_equal(const Summand& s, const Context& context) {
  bool divides = std::any_of(s.factors.begin(), s.factors.end(), [](const Factor& f) { return f.exponent < 0; });
  if (!divides) {
    return s;
  }
  std::vector<Factor> factors = s.factors;
  Context here = context.with(s.guards);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = i + 1; j < factors.size(); ++j) {
      bool opposite = (factors[i].exponent > 0) != (factors[j].exponent > 0);
      if (opposite && same_skeleton(factors[i].atom, factors[j].atom) && equal_atoms(factors[i].atom, factors[j].atom, here)) {
        factors[i].exponent += factors[j].exponent;
        factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(j));
        if (factors[i].exponent == 0) {
          forms_.cancelled().push_back(factors[i].atom);
          factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i));
        }
        i = static_cast<std::size_t>(-1);
        break;
      }
    }
  }
  return forms_.make(s.coefficient, s.bound, s.guards, factors);
}

// Σ over l <= b <= h of what does not mention b: (h - l + 1) times it.
NormalForm Equality::without_unused(const Summand& s, const Context& context) {
  for (Symbol b : s.bound) {
    bool used = std::any_of(s.factors.begin(), s.factors.end(), [&](const Factor& f) { return has_symbol(f.atom->symbols, b); });
    std::vector<Literal> bounds;
    std::vector<Literal> rest;
    for (const Literal& g : s.guards) {
      (has_symbol(free_symbols(g), b) ? bounds : rest).push_back(g);
    }
    if (used || bounds.size() != 2) {
      continue;
    }
    std::optional<Term> low;
    std::optional<Term> high;
    for (const Literal& g : bounds) {
      Term room = g.sign || g.fact.kind() != TermKind::IntLe ? Term() : g.fact.arg(1) - g.fact.arg(0);
      if (room && !mentions(room - int_var(b), b)) {
        low = int_var(b) - room;
      } else if (room && !mentions(room + int_var(b), b)) {
        high = room + int_var(b);
      }
    }
    if (!low || !high || !arithmetic_.entails(context.with(rest).facts, ge(*high - *low + 1, 0))) {
      continue;
    }
    std::vector<Symbol> bound = s.bound;
    std::erase(bound, b);
    NormalForm out;
    for (const Summand& x :
         forms_.product({forms_.make(s.coefficient, bound, rest, s.factors)}, forms_.integer(*high - *low + 1))) {
      NormalForm here = without_unused(x, context);
      out.insert(out.end(), here.begin(), here.end());
    }
    return out;
  }
  return {s};
}

}  // namespace vouch
