// Normal forms with every integer term inside mapped; substitution; fresh names for what is bound.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "algebra/normal_form.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {

Literal FormBuilder::mapped(const Literal& literal, const IntegerMap& map) {
  if (!literal.sign) {
    return {map(literal.fact), nullptr, 0};
  }
  return {{}, mapped(literal.sign, map), literal.mask};
}

AtomRef FormBuilder::mapped(AtomRef atom, const IntegerMap& map) {
  const Atom& from = avoids(atom->bound) ? *atom : *with_fresh_bound(atom);
  std::vector<Term> indices;
  for (Term index : from.indices) {
    indices.push_back(map(index));
  }
  if (from.guards.empty() && from.args.empty() && indices == from.indices) {
    return &from;
  }
  Atom out;
  out.kind = from.kind;
  out.symbol = from.symbol;
  out.name = from.name;
  out.reduction = from.reduction;
  out.bound = from.bound;
  out.ordered = from.ordered;
  out.indices = std::move(indices);
  for (const Literal& g : from.guards) {
    out.guards.push_back(mapped(g, map));
  }
  for (const NormalForm& arg : from.args) {
    out.args.push_back(mapped(arg, map));
  }
  return intern(std::move(out));
}

NormalForm FormBuilder::mapped(const Summand& given, const IntegerMap& map) {
  std::optional<Summand> fresh;
  if (!avoids(given.bound)) {
    fresh = with_fresh_bound(given);
  }
  const Summand& s = fresh ? *fresh : given;
  std::vector<Literal> guards;
  for (const Literal& g : s.guards) {
    guards.push_back(mapped(g, map));
  }
  std::vector<Factor> factors;
  std::optional<NormalForm> extra;
  for (const Factor& f : s.factors) {
    if (f.atom->kind != AtomKind::Whole) {
      factors.push_back({mapped(f.atom, map), f.exponent});
      continue;
    }
    Term term = map(f.atom->indices[0]);
    NormalForm here = power(integer(term), f.exponent);
    extra = extra ? product(*extra, here) : std::move(here);
  }
  NormalForm rest(1);
  rest[0] = make(s.coefficient, s.bound, std::move(guards), std::move(factors));
  return extra ? product(rest, *extra) : merged(without_squared_roots(std::move(rest[0])));
}

NormalForm FormBuilder::mapped(const NormalForm& form, const IntegerMap& map) {
  NormalForm out;
  for (const Summand& s : form) {
    NormalForm here = mapped(s, map);
    std::move(here.begin(), here.end(), std::back_inserter(out));
  }
  return merged(std::move(out));
}

FormBuilder::IntegerMap FormBuilder::avoiding(const Substitution& by) {
  avoided_.clear();
  for (const auto& [name, value] : by) {
    avoided_.insert(name);
    const std::vector<Symbol>& brought = symbols_of(value);
    avoided_.insert(brought.begin(), brought.end());
  }
  return [&by](Term t) { return without_remainders(substitute(t, by)); };
}

bool FormBuilder::avoids(const std::vector<Symbol>& bound) const {
  return std::none_of(bound.begin(), bound.end(), [&](Symbol b) { return avoided_.contains(b); });
}

namespace {

// While it lives, the names that the facts speak of are avoided too.
class AlsoAvoided {
 public:
  AlsoAvoided(std::set<Symbol>& avoided, const Facts& facts) : avoided_(avoided), outer_(avoided) {
    for (Term fact : facts) {
      const std::vector<Symbol>& names = symbols_of(fact);
      avoided_.insert(names.begin(), names.end());
    }
  }
  AlsoAvoided(const AlsoAvoided&) = delete;
  AlsoAvoided& operator=(const AlsoAvoided&) = delete;
  ~AlsoAvoided() { avoided_ = std::move(outer_); }

 private:
  std::set<Symbol>& avoided_;
  std::set<Symbol> outer_;
};

}  // namespace

NormalForm FormBuilder::mapped_under(const Summand& summand, const Facts& facts, const IntegerMap& map) {
  AlsoAvoided scope(avoided_, facts);
  return mapped(summand, map);
}

Literal FormBuilder::mapped_under(const Literal& literal, const Facts& facts, const IntegerMap& map) {
  AlsoAvoided scope(avoided_, facts);
  return mapped(literal, map);
}

NormalForm FormBuilder::substituted(const NormalForm& form, const Substitution& by) {
  if (by.empty()) {
    return form;
  }
  std::set<Symbol> outer = avoided_;
  NormalForm out = mapped(form, avoiding(by));
  avoided_ = std::move(outer);
  return out;
}

Summand FormBuilder::substituted(const Summand& s, const Substitution& by, NormalForm* rest) {
  std::set<Symbol> outer = avoided_;
  NormalForm all = mapped(s, avoiding(by));
  avoided_ = std::move(outer);
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
  std::set<Symbol> outer = avoided_;
  Literal out = mapped(literal, avoiding(by));
  avoided_ = std::move(outer);
  return out;
}

AtomRef FormBuilder::substituted(AtomRef atom, const Substitution& by) {
  std::set<Symbol> outer = avoided_;
  AtomRef out = mapped(atom, avoiding(by));
  avoided_ = std::move(outer);
  return out;
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
