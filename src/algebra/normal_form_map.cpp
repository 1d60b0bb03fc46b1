// Normal forms with every integer term inside mapped; substitution; fresh names for what is bound.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "algebra/normal_form.h"
#include "algebra/products.h"
#include "support/fault.h"
#include "support/symbols.h"
#include "term/print.h"

namespace vouch {

// While it lives, nothing inside of what is mapped is bound by a name that the substitution replaces or brings, or that the facts
// speak of.
class FormBuilder::Avoiding {
 public:
  Avoiding(FormBuilder& forms, const Substitution& by) : forms_(forms), outer_(std::exchange(forms.avoided_, {})) {
    outer_replaced_ = std::exchange(forms.replaced_, &by);
    for (const auto& [name, value] : by) {
      forms.avoided_.push_back(name);
      add(symbols_of(value));
    }
  }
  Avoiding(FormBuilder& forms, const Facts& facts) : forms_(forms), outer_(forms.avoided_) {
    outer_replaced_ = std::exchange(forms.replaced_, nullptr);
    for (Term fact : facts) {
      add(symbols_of(fact));
    }
  }
  Avoiding(const Avoiding&) = delete;
  Avoiding& operator=(const Avoiding&) = delete;
  ~Avoiding() {
    forms_.avoided_ = std::move(outer_);
    forms_.replaced_ = outer_replaced_;
  }

 private:
  void add(const std::vector<Symbol>& names) { forms_.avoided_.insert(forms_.avoided_.end(), names.begin(), names.end()); }

  FormBuilder& forms_;
  std::vector<Symbol> outer_;
  const Substitution* outer_replaced_ = nullptr;
};

bool FormBuilder::avoids(const std::vector<Symbol>& bound) const {
  return std::none_of(bound.begin(), bound.end(), [&](Symbol b) { return contains(avoided_, b); });
}

// A substitution leaves it as it is: nothing that it replaces is free there, and nothing there need be renamed.
bool FormBuilder::is_out_of_reach(const Atom& atom) const {
  return replaced_ != nullptr && avoids(atom.binders) &&
         std::none_of(replaced_->begin(), replaced_->end(),
                      [&](const auto& entry) { return has_symbol(atom.symbols, entry.first); });
}

namespace {

// What the items become, where one of them changes; nothing is copied before.
template <class T, class F>
bool map_items(const std::vector<T>& from, std::vector<T>& to, F changed) {
  bool any = false;
  for (std::size_t k = 0; k < from.size(); ++k) {
    std::optional<T> now = changed(from[k]);
    if (now && !any) {
      to.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(k));
      any = true;
    }
    if (any) {
      to.push_back(now ? std::move(*now) : from[k]);
    }
  }
  return any;
}

template <class T>
std::optional<T> other_than(const T& before, T now) {
  return now == before ? std::nullopt : std::optional<T>(std::move(now));
}

}  // namespace

Literal FormBuilder::mapped(const Literal& literal, const IntegerMap& map) {
  if (!literal.sign) {
    return {map(literal.fact), nullptr, 0};
  }
  return {{}, mapped(literal.sign, map), literal.mask};
}

AtomRef FormBuilder::mapped(AtomRef atom, const IntegerMap& map) {
  if (is_out_of_reach(*atom)) {
    return atom;
  }
  AtomRef from = avoids(atom->bound) ? atom : with_fresh_bound(atom);
  std::vector<Term> indices;
  std::vector<Literal> guards;
  std::vector<NormalForm> args;
  bool other_indices = map_items(from->indices, indices, [&](Term t) { return other_than(t, map(t)); });
  bool other_guards = map_items(from->guards, guards, [&](const Literal& g) { return other_than(g, mapped(g, map)); });
  bool other_args = map_items(from->args, args, [&](const NormalForm& arg) { return changed(arg, map); });
  if (!other_indices && !other_guards && !other_args) {
    return from;
  }
  if (from->kind == AtomKind::Sign && !from->ordered && other_args && algebra_ != Algebra::Exact) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      args[k] = still_seen(from->args[k], std::move(args[k]), map);
    }
  }
  Atom out;
  out.kind = from->kind;
  out.symbol = from->symbol;
  out.name = from->name;
  out.reduction = from->reduction;
  out.bound = from->bound;
  out.ordered = from->ordered;
  out.indices = other_indices ? std::move(indices) : from->indices;
  out.guards = other_guards ? std::move(guards) : from->guards;
  out.args = other_args ? std::move(args) : from->args;
  return intern(std::move(out));
}

// Would `make` leave it as it is?
bool FormBuilder::is_as_made(const Summand& s) const {
  for (std::size_t k = 0; k < s.guards.size(); ++k) {
    const Literal& g = s.guards[k];
    bool may_go = g.sign ? g.mask == 0 || g.mask == kZero : is_const(g.fact);
    auto same = [&](const Literal& h) { return g.sign ? h.sign == g.sign : !h.sign && h.fact == g.fact; };
    if (may_go || std::any_of(s.guards.begin(), s.guards.begin() + static_cast<std::ptrdiff_t>(k), same)) {
      return false;
    }
  }
  bool lone = s.factors.size() == 1 && std::abs(s.factors[0].exponent) == 1;
  for (std::size_t k = 0; k < s.factors.size(); ++k) {
    const Factor& f = s.factors[k];
    bool in_order = f.exponent != 0 && (k == 0 || s.factors[k - 1].atom->number < f.atom->number);
    bool takes_part =
        !lone && f.atom->kind == AtomKind::Function && (f.atom->name == fn_name(Fn::Sqrt) || f.atom->name == fn_name(Fn::Sign));
    if (!in_order || takes_part) {
      return false;
    }
  }
  return !is_zero(s.coefficient) && !has_several_products(s);
}

std::optional<NormalForm> FormBuilder::changed(const Summand& given, const IntegerMap& map) {
  std::optional<Summand> fresh;
  if (!avoids(given.bound)) {
    fresh = with_fresh_bound(given);
  }
  const Summand& s = fresh ? *fresh : given;
  std::vector<Literal> guards;
  const bool other_guards = map_items(s.guards, guards, [&](const Literal& g) { return other_than(g, mapped(g, map)); });
  bool other = other_guards || fresh;
  std::vector<Factor> factors;
  factors.reserve(s.factors.size());
  std::optional<NormalForm> extra;
  for (const Factor& f : s.factors) {
    if (f.atom->kind != AtomKind::Whole) {
      factors.push_back({mapped(f.atom, map), f.exponent});
      other = other || factors.back().atom != f.atom;
      continue;
    }
    Term before = f.atom->indices[0];
    Term term = map(before);
    if (term == before) {
      factors.push_back(f);
      continue;
    }
    NormalForm here = power(integer(term), f.exponent);
    extra = extra ? product(*extra, here) : std::move(here);
  }
  if (!other && !extra && is_as_made(s)) {
    return std::nullopt;
  }
  NormalForm rest(1);
  rest[0] = make(s.coefficient, s.bound, other_guards ? std::move(guards) : s.guards, std::move(factors));
  return extra ? product(rest, *extra) : merged(without_squared_roots(std::move(rest[0])));
}

std::optional<NormalForm> FormBuilder::changed(const NormalForm& form, const IntegerMap& map) {
  NormalForm out;
  bool any = false;
  for (std::size_t k = 0; k < form.size(); ++k) {
    std::optional<NormalForm> here = changed(form[k], map);
    if (here && !any) {
      out.assign(form.begin(), form.begin() + static_cast<std::ptrdiff_t>(k));
      any = true;
    }
    if (here) {
      std::move(here->begin(), here->end(), std::back_inserter(out));
    } else if (any) {
      out.push_back(form[k]);
    }
  }
  return any ? std::optional(merged(std::move(out))) : std::nullopt;
}

NormalForm FormBuilder::mapped(const Summand& summand, const IntegerMap& map) {
  std::optional<NormalForm> other = changed(summand, map);
  return other ? std::move(*other) : NormalForm{summand};
}

NormalForm FormBuilder::mapped(const NormalForm& form, const IntegerMap& map) {
  std::optional<NormalForm> other = changed(form, map);
  return other ? std::move(*other) : merged(form);
}

NormalForm FormBuilder::mapped_under(const Summand& summand, const Facts& facts, const IntegerMap& map) {
  Avoiding scope(*this, facts);
  return mapped(summand, map);
}

Literal FormBuilder::mapped_under(const Literal& literal, const Facts& facts, const IntegerMap& map) {
  Avoiding scope(*this, facts);
  return mapped(literal, map);
}

static FormBuilder::IntegerMap replacing(const Substitution& by) {
  return [&by](Term t) { return without_remainders(substitute(t, by)); };
}

NormalForm FormBuilder::substituted(const NormalForm& form, const Substitution& by) {
  if (by.empty()) {
    return form;
  }
  Avoiding scope(*this, by);
  return mapped(form, replacing(by));
}

Summand FormBuilder::substituted(const Summand& s, const Substitution& by, NormalForm* rest) {
  NormalForm all;
  {
    Avoiding scope(*this, by);
    all = mapped(s, replacing(by));
  }
  if (all.empty()) {
    Summand none = s;
    none.coefficient = 0;
    return none;
  }
  if (rest) {
    rest->assign(all.begin() + 1, all.end());
  } else {
    ensure(all.size() == 1, "renaming keeps a summand one");
  }
  return all[0];
}

Literal FormBuilder::substituted(const Literal& literal, const Substitution& by) {
  Avoiding scope(*this, by);
  return mapped(literal, replacing(by));
}

AtomRef FormBuilder::substituted(AtomRef atom, const Substitution& by) {
  Avoiding scope(*this, by);
  return mapped(atom, replacing(by));
}

AtomRef FormBuilder::with_fresh_bound(AtomRef atom) {
  std::vector<Symbol> names;
  for (Symbol b : atom->bound) {
    names.push_back(fresh(b));
  }
  return with_bound(atom, std::move(names));
}

AtomRef FormBuilder::with_bound(AtomRef atom, std::vector<Symbol> names) {
  if (atom->bound.empty()) {
    return atom;
  }
  Substitution rename;
  for (std::size_t k = 0; k < names.size(); ++k) {
    rename.emplace(atom->bound[k], int_var(names[k]));
  }
  Atom open = *atom;
  open.bound.clear();
  Atom renamed = *substituted(intern(std::move(open)), rename);
  renamed.bound = std::move(names);
  return intern(std::move(renamed));
}

NormalForm FormBuilder::named_alike(const NormalForm& form, std::size_t& depth) {
  NormalForm out = form;
  for (Summand& s : out) {
    for (Factor& f : s.factors) {
      f.atom = named_alike(f.atom, depth);
    }
    s = make(s.coefficient, s.bound, s.guards, s.factors);
  }
  return merged(std::move(out));
}

// Names by how many reductions are nested inside: those inside have others, and nothing free has them.
AtomRef FormBuilder::named_alike(AtomRef atom, std::size_t& depth) {
  std::size_t inside = 0;
  Atom out = *atom;
  for (NormalForm& arg : out.args) {
    arg = named_alike(arg, inside);
  }
  AtomRef named = intern(std::move(out));
  if (named->kind == AtomKind::Reduction) {
    std::vector<Symbol> names;
    do {
      ++inside;
      names.clear();
      for (std::size_t k = 0; k < named->bound.size(); ++k) {
        names.emplace_back(fmt::format("k'{}#{}", inside, k));
      }
    } while (std::any_of(names.begin(), names.end(), [&](Symbol n) { return has_symbol(named->symbols, n); }));
    named = with_bound(named, std::move(names));
  }
  depth = std::max(depth, inside);
  return named;
}

}  // namespace vouch
