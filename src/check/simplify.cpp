// Simplification of normal forms under a context.
#include <algorithm>

#include "check/equality.h"

namespace vouch {

Context Context::with(const std::vector<Literal>& more) const {
  Context out = *this;
  for (const Literal& l : more) {
    if (l.sign) {
      out.signs.push_back(l);
    } else {
      out.facts.push_back(l.fact);
    }
  }
  return out;
}

bool Context::speaks_of(const std::vector<Symbol>& names) const {
  return std::any_of(names.begin(), names.end(), [&](Symbol n) {
    return std::any_of(facts.begin(), facts.end(), [&](Term f) { return mentions(f, n); }) ||
           std::any_of(signs.begin(), signs.end(), [&](const Literal& l) { return has_symbol(l.sign->symbols, n); });
  });
}

AtomRef Equality::apart(AtomRef atom, const Context& context) {
  return context.speaks_of(atom->bound) ? forms_.with_fresh_bound(atom) : atom;
}

bool Equality::entails(const Context& context, const Literal& literal) {
  if (!literal.sign) {
    return arithmetic_.entails(context.facts, literal.fact);
  }
  unsigned known = 7;
  for (const Literal& l : context.signs) {
    known &= l.sign == literal.sign ? l.mask : 7U;
  }
  return (known & ~literal.mask) == 0;
}

bool Equality::contradicts(const Context& context) {
  for (std::size_t i = 0; i < context.signs.size(); ++i) {
    unsigned mask = context.signs[i].mask;
    for (std::size_t j = 0; j < i; ++j) {
      mask &= context.signs[j].sign == context.signs[i].sign ? context.signs[j].mask : 7U;
    }
    if (mask == 0) {
      return true;
    }
  }
  return arithmetic_.contradicts(context.facts) || contradicts_signs(context);
}

// Signs of sums of the same monomials, as linear constraints over the reals. They are homogeneous once the constant is
// an unknown of its own that is positive; a homogeneous system has a real solution if and only if it has an integral one.
bool Equality::contradicts_signs(const Context& context) {
  if (context.signs.size() < 2 || forms_.algebra() != Algebra::Split) {
    return false;
  }
  Facts facts{ge(int_var("scalar 1"), 1)};
  for (const Literal& l : context.signs) {
    const NormalForm& form = l.sign->args[0];
    Integer scale = 1;
    for (const Summand& s : form) {
      scale = lcm(scale, Integer(denominator(s.coefficient)));
    }
    Term total = 0;
    for (Summand s : form) {
      Term coefficient = int_const(Integer(numerator(s.coefficient * Rational(scale))));
      s.coefficient = 1;
      bool constant = s.factors.empty() && s.bound.empty() && s.guards.empty();
      total = total + coefficient * int_var(constant ? std::string("scalar 1") : "scalar " + forms_.text(NormalForm{s}));
    }
    std::vector<Term> cases;
    if ((l.mask & kNegative) != 0) {
      cases.push_back(lt(total, 0));
    }
    if ((l.mask & kZero) != 0) {
      cases.push_back(eq(total, 0));
    }
    if ((l.mask & kPositive) != 0) {
      cases.push_back(gt(total, 0));
    }
    facts.push_back(any_of(cases));
  }
  return arithmetic_.contradicts(facts);
}

// --- index terms

Term replaced(Term term, Term atom, Term by) {
  if (term == atom) {
    return by;
  }
  if (term.args().empty() || term.kind() == TermKind::IntOf) {
    return term;
  }
  std::vector<Term> args;
  bool changed = false;
  for (Term arg : term.args()) {
    args.push_back(replaced(arg, atom, by));
    changed |= args.back() != arg;
  }
  return changed ? rebuild(term, args) : term;
}

Term Equality::simplified_index(Term term, const Facts& facts) {
  if (term.args().empty()) {
    return term;
  }
  std::vector<const void*> key{term.id()};
  for (Term fact : facts) {
    key.push_back(fact.id());
  }
  std::map<std::vector<const void*>, Term>& known = arithmetic_.simplified();
  if (auto found = known.find(key); found != known.end()) {
    return found->second;
  }
  Term simpler = simplified_by_steps(term, facts);
  known.emplace(std::move(key), simpler);
  return simpler;
}

// Those of the facts, and those of the base facts.
static std::vector<ProductEquation> products_known(const Arithmetic& arithmetic, const Facts& facts) {
  std::vector<ProductEquation> products = product_equations(facts);
  products.insert(products.end(), arithmetic.base_products().begin(), arithmetic.base_products().end());
  return products;
}

Term Equality::simplified_by_steps(Term term, const Facts& facts) {
  constexpr int kMostSteps = 16;
  const std::vector<ProductEquation> products = products_known(arithmetic_, facts);
  for (int step = 0; step < kMostSteps; ++step) {
    term = rewritten(term, products);
    std::vector<Term> atoms = deep_atoms(term);
    std::stable_sort(atoms.begin(), atoms.end(), [](Term a, Term b) { return a->depth < b->depth; });
    bool changed = false;
    for (Term atom : atoms) {
      auto simpler = simpler_atom(atom, facts);
      if (simpler && *simpler != atom) {
        Term now = without_remainders(replaced(term, atom, *simpler));
        changed = now != term;
        term = now;
        if (changed) {
          break;
        }
      }
    }
    if (!changed) {
      return term;
    }
  }
  return term;
}

std::optional<Term> Equality::simpler_atom(Term atom, const Facts& facts) {
  auto holds = [&](Term fact) { return arithmetic_.entails(facts, fact); };
  switch (atom.kind()) {
    case TermKind::IntMin:
    case TermKind::IntMax: {
      bool min = atom.kind() == TermKind::IntMin;
      if (holds(le(atom.arg(0), atom.arg(1)))) {
        return atom.arg(min ? 0 : 1);
      }
      return holds(le(atom.arg(1), atom.arg(0))) ? std::optional(atom.arg(min ? 1 : 0)) : std::nullopt;
    }
    case TermKind::IntSelect:
      if (!tensors_read(atom.arg(0)).empty()) {
        return std::nullopt;
      }
      if (holds(atom.arg(0))) {
        return atom.arg(1);
      }
      return holds(negate(atom.arg(0))) ? std::optional(atom.arg(2)) : std::nullopt;
    case TermKind::FloorDiv: return simpler_quotient(atom, facts);
    case TermKind::IntOf: return simpler_item(atom, facts);
    default: return std::nullopt;
  }
}

// A number of a family: at a simpler index; or the branch of a position, where it is one that the position speaks of.
std::optional<Term> Equality::simpler_item(Term atom, const Facts& facts) {
  const Families& families = arithmetic_.families();
  auto item = families.empty() ? std::nullopt : as_family_item(atom);
  if (!item) {
    return std::nullopt;
  }
  Term at = simplified_index(item->branch, facts);
  if (at != item->branch) {
    return family_item(item->name, at);
  }
  auto position = families.positions.find(item->name);
  if (position == families.positions.end()) {
    return std::nullopt;
  }
  const auto& [find, index, before, size, total, length] = position->second;
  for (Term inside : deep_atoms(at)) {
    auto other = as_family_item(inside);
    if (!other || other->branch == atom) {
      continue;
    }
    Term begin = substitute(before, index, other->branch);
    Term goals[] = {in_range(other->branch, length), le(begin, at), lt(at, begin + substitute(size, index, other->branch))};
    if (arithmetic_.entails(facts, all_of(goals))) {
      return other->branch;
    }
  }
  return std::nullopt;
}

// e // m for m >= 1, if it is a small number, follows from an inner quotient, or shares a factor.
std::optional<Term> Equality::simpler_quotient(Term quotient, const Facts& facts) {
  Term e = quotient.arg(0);
  Term m = quotient.arg(1);
  if (!arithmetic_.is_positive(m)) {
    return std::nullopt;
  }
  auto is_quotient = [&](Term q) {
    return arithmetic_.entails(facts, ge(e - m * q, 0)) && arithmetic_.entails(facts, lt(e - m * q, m));
  };
  if (auto whole = quotient_by_equation(e, m, facts)) {
    return whole;
  }
  if (auto split = split_by_products(e, m, facts)) {
    return split;
  }
  for (std::int64_t k : {0, 1, 2, 3, -1}) {
    if (is_quotient(k)) {
      return Term(k);
    }
  }
  // (x // a) // m == x // (a * m)
  std::vector<Monomial> ms = monomials(e);
  if (ms.size() == 1 && ms[0].coefficient == 1 && ms[0].atoms.size() == 1 && ms[0].atoms[0].kind() == TermKind::FloorDiv &&
      arithmetic_.is_positive(ms[0].atoms[0].arg(1))) {
    return floor_div(ms[0].atoms[0].arg(0), ms[0].atoms[0].arg(1) * m);
  }
  for (Term inner : deep_atoms(e)) {
    if (inner.kind() != TermKind::FloorDiv) {
      continue;
    }
    Term whole = divide(e - inner.arg(0) + inner.arg(1) * inner, m).whole;
    if (whole != Term(0) && !mentions_atom(whole, quotient) && is_quotient(whole)) {
      return whole;
    }
  }
  Term direct = divide(e, m).whole;
  if (direct != Term(0) && is_quotient(direct)) {
    return direct;
  }
  return shared_factor(e, m, facts);
}

// Where e == m * whole by an equation among the facts.
std::optional<Term> Equality::quotient_by_equation(Term e, Term m, const Facts& facts) const {
  for (const Facts* known : {&arithmetic_.base(), &facts}) {
    for (Term fact : *known) {
      if (fact.kind() != TermKind::IntEq) {
        continue;
      }
      Term zero = fact.arg(1) - fact.arg(0);
      for (Term same : {e + zero, e - zero}) {
        auto [whole, rest] = divide(same, m);
        bool new_form = whole != floor_div(e, m);  // that it divides is what the equation may say
        if (rest == Term(0) && monomials_of(whole).size() <= 1 && new_form) {
          return whole;
        }
      }
    }
  }
  return std::nullopt;
}

// Where m divides a part of e, once products are written the other way.
std::optional<Term> Equality::split_by_products(Term e, Term m, const Facts& facts) const {
  for (ProductEquation& p : products_known(arithmetic_, facts)) {
    std::swap(p.from, p.to);
    Term other = rewritten(e, {p});
    if (other != e && divide(other, m).whole != Term(0)) {
      return floor_div(other, m);
    }
  }
  return std::nullopt;
}

bool Equality::mentions_atom(Term term, Term atom) {
  std::vector<Term> atoms = deep_atoms(term);
  return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
}

// (g*q + r) // (g*n) == q // n for 0 <= r < g.
std::optional<Term> Equality::shared_factor(Term e, Term m, const Facts& facts) {
  std::vector<Monomial> divisor = monomials(m);
  if (divisor.size() != 1 || divisor[0].atoms.size() + (divisor[0].coefficient != 1 ? 1U : 0U) < 2) {
    return std::nullopt;
  }
  std::vector<Term> parts = divisor[0].atoms;
  if (divisor[0].coefficient != 1) {
    parts.push_back(int_const(divisor[0].coefficient));
  }
  for (std::uint32_t set = 1; set + 1 < (1U << std::min<std::size_t>(parts.size(), 4)); ++set) {
    Term g = 1;
    Term n = 1;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      ((set >> k & 1U) != 0 ? g : n) = ((set >> k & 1U) != 0 ? g : n) * parts[k];
    }
    auto [whole, rest] = divide(e, g);
    if (whole != Term(0) && arithmetic_.is_positive(g) && arithmetic_.is_positive(n) && arithmetic_.entails(facts, ge(rest, 0)) &&
        arithmetic_.entails(facts, lt(rest, g))) {
      return floor_div(whole, n);
    }
  }
  return std::nullopt;
}

// --- summands

NormalForm Equality::simplified(const NormalForm& form, const Context& context) {
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

NormalForm Equality::simplified(Summand s, const Context& context) {
  NormalForm rest;
  NormalForm out;
  if (context.speaks_of(s.bound)) {
    s = forms_.with_fresh_bound(s);
  }
  while (s.coefficient != 0 && eliminate_point(s, rest)) {
    for (const Summand& r : rest) {
      NormalForm here = simplified(r, context);
      out.insert(out.end(), here.begin(), here.end());
    }
    rest.clear();
  }
  s = forms_.make(s.coefficient, s.bound, s.guards, s.factors);
  if (s.coefficient == 0 || (!s.guards.empty() && contradicts(context.with(s.guards)))) {
    return out;
  }
  for (Literal& g : s.guards) {
    if (!g.sign) {
      g.fact = simplified_guard(g.fact, context.facts);
    }
  }
  drop_implied(s, context);
  Facts facts = context.with(s.guards).facts;
  for (Literal& g : s.guards) {
    if (g.sign) {
      g = forms_.mapped_under(g, facts, [&](Term t) { return simplified_index(t, facts); });
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
  Context here = context.with(s.guards);
  NormalForm total{forms_.make(s.coefficient, s.bound, s.guards, {})};
  for (const Factor& f : s.factors) {
    std::vector<NormalForm> args;
    bool nested = f.atom->kind == AtomKind::Function || f.atom->kind == AtomKind::Group || f.atom->kind == AtomKind::Reduction;
    if (!nested) {
      total = forms_.product(total, forms_.single(f.atom, f.exponent));
      continue;
    }
    AtomRef atom = apart(f.atom, here);
    Context inner = here.with(atom->guards);
    for (const NormalForm& arg : atom->args) {
      args.push_back(simplified(arg, inner));
    }
    if (auto g = free_guard(args, atom->bound); g && may_split(*g)) {
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
    total = forms_.product(total, rebuilt(*atom, std::move(args), f.exponent, inner));
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
    return forms_.power(forms_.function(atom.name, std::move(args)), exponent);
  }
  std::vector<Literal> guards;
  for (std::size_t k = 0; k < atom.guards.size(); ++k) {
    Literal g = atom.guards[k];
    std::vector<Literal> others = guards;
    others.insert(others.end(), atom.guards.begin() + static_cast<std::ptrdiff_t>(k) + 1, atom.guards.end());
    Context rest = inner;
    for (const Literal& mine : atom.guards) {
      std::erase(rest.facts, mine.fact);
    }
    if (!entails(rest.with(others), g)) {
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
  return forms_.power(forms_.reduction(atom.reduction, atom.bound, std::move(guards), std::move(args[0])), exponent);
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
      if (opposite && skeleton(factors[i].atom) == skeleton(factors[j].atom) &&
          equal_atoms(factors[i].atom, factors[j].atom, here)) {
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
