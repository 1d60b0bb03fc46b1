#include "algebra/normal_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "algebra/normal_form_key.h"
#include "algebra/products.h"
#include "support/fault.h"
#include "term/print.h"

namespace vouch {
namespace {

void add_symbols(std::vector<Symbol>& to, const std::vector<Symbol>& more) { to.insert(to.end(), more.begin(), more.end()); }

std::vector<Symbol> sorted_without(std::vector<Symbol> names, const std::vector<Symbol>& bound) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [&](Symbol s) { return std::find(bound.begin(), bound.end(), s) != bound.end(); });
  return names;
}

}  // namespace

bool has_symbol(const std::vector<Symbol>& sorted, Symbol symbol) {
  return std::binary_search(sorted.begin(), sorted.end(), symbol);
}

static const std::vector<Symbol>& symbols_in(const Literal& literal) {
  return literal.sign ? literal.sign->symbols : symbols_of(literal.fact);
}

std::vector<Symbol> free_symbols(const Literal& literal) { return symbols_in(literal); }

static void add_all_symbols(std::vector<Symbol>& to, const Summand& s) {
  for (const Literal& g : s.guards) {
    add_symbols(to, symbols_in(g));
  }
  for (const Factor& f : s.factors) {
    add_symbols(to, f.atom->symbols);
  }
}

std::vector<Symbol> free_symbols(const Summand& s) {
  std::vector<Symbol> out;
  add_all_symbols(out, s);
  return sorted_without(std::move(out), s.bound);
}

// In no order, and perhaps again.
static void add_free_symbols(std::vector<Symbol>& to, const Summand& s) {
  if (s.bound.empty()) {
    return add_all_symbols(to, s);
  }
  add_symbols(to, free_symbols(s));
}

std::vector<Symbol> free_symbols(const NormalForm& form) {
  std::vector<Symbol> out;
  for (const Summand& s : form) {
    add_free_symbols(out, s);
  }
  return sorted_without(std::move(out), {});
}

bool is_one_atom(const NormalForm& form, AtomKind kind) {
  return form.size() == 1 && is_one(form[0].coefficient) && form[0].bound.empty() && form[0].guards.empty() &&
         form[0].factors.size() == 1 && form[0].factors[0].exponent == 1 && form[0].factors[0].atom->kind == kind;
}

bool is_extremum(const Atom& atom) {
  return atom.kind == AtomKind::Function && (atom.name == fn_name(Fn::Max) || atom.name == fn_name(Fn::Min));
}

Reduction other_extremum(Reduction reduction) { return reduction == Reduction::Max ? Reduction::Min : Reduction::Max; }

bool is_plain(const Summand& s) { return s.bound.empty() && s.guards.empty(); }

FormBuilder::FormBuilder(Algebra algebra, ElementTypes types) : algebra_(algebra), types_(std::move(types)) {}

bool FormBuilder::is_of_integers(Symbol tensor) const {
  auto found = types_.find(tensor);
  return found != types_.end() && !is_float(found->second);
}

bool FormBuilder::is_of_unsigned(Symbol tensor) const {
  auto found = types_.find(tensor);
  return own_types_ && found != types_.end() && is_integer(found->second) && !is_signed(found->second);
}

bool FormBuilder::is_truth(Symbol tensor) const {
  auto found = types_.find(tensor);
  return found != types_.end() && found->second == DType::Bool;
}

static std::vector<Symbol> free_symbols(const Atom& atom) {
  std::vector<Symbol> names;
  if (atom.kind == AtomKind::RealVar) {
    names.push_back(atom.symbol);
  }
  for (Term index : atom.indices) {
    add_symbols(names, symbols_of(index));
  }
  for (const Literal& g : atom.guards) {
    add_symbols(names, symbols_in(g));
  }
  for (const NormalForm& arg : atom.args) {
    for (const Summand& s : arg) {
      add_free_symbols(names, s);
    }
  }
  return sorted_without(std::move(names), atom.bound);
}

static std::vector<Symbol> bound_inside(const Atom& atom) {
  std::vector<Symbol> names = atom.bound;
  auto add_guards = [&](const std::vector<Literal>& guards) {
    for (const Literal& g : guards) {
      add_symbols(names, g.sign ? g.sign->binders : std::vector<Symbol>());
    }
  };
  add_guards(atom.guards);
  for (const NormalForm& arg : atom.args) {
    for (const Summand& s : arg) {
      add_symbols(names, s.bound);
      add_guards(s.guards);
      for (const Factor& f : s.factors) {
        add_symbols(names, f.atom->binders);
      }
    }
  }
  return sorted_without(std::move(names), {});
}

AtomRef FormBuilder::intern(Atom atom) {
  AtomKey key = key_of(atom);
  if (auto found = known_.find(key); found != known_.end()) {
    return found->second;
  }
  atom.number = static_cast<std::uint32_t>(atoms_.size());
  count(1);
  for (const NormalForm& arg : atom.args) {
    count(arg.size());
  }
  atom.symbols = free_symbols(atom);
  atom.binders = bound_inside(atom);
  atoms_.push_back(std::move(atom));
  return known_.emplace(std::move(key), &atoms_.back()).first->second;
}

AtomRef FormBuilder::make_atom(AtomKind kind, Symbol symbol, std::vector<Term> indices, std::vector<NormalForm> args,
                               std::string name) {
  Atom atom;
  atom.kind = kind;
  atom.symbol = symbol;
  atom.name = std::move(name);
  atom.indices = std::move(indices);
  atom.args = std::move(args);
  return intern(std::move(atom));
}

Symbol FormBuilder::fresh(Symbol like) {
  std::string name = like.name();
  name = name.substr(0, name.find('\''));
  return Symbol(fmt::format("{}'{}", name, next_name_++));
}

// Does the literal say of a product of some of the factors that it is 0?
static bool is_zero_by(const Literal& literal, const std::vector<Factor>& factors) {
  bool says_zero = literal.sign != nullptr && literal.mask == kZero && literal.sign->args.size() == 1 &&
                   literal.sign->args[0].size() == 1 && is_plain(literal.sign->args[0][0]);
  auto is_factor = [&](const Factor& f) {
    return f.exponent > 0 && std::any_of(factors.begin(), factors.end(),
                                         [&](const Factor& other) { return other.atom == f.atom && other.exponent > 0; });
  };
  return says_zero && !literal.sign->args[0][0].factors.empty() &&
         std::all_of(literal.sign->args[0][0].factors.begin(), literal.sign->args[0][0].factors.end(), is_factor);
}

Summand FormBuilder::make(Rational coefficient, std::vector<Symbol> bound, std::vector<Literal> guards,
                          std::vector<Factor> factors) {
  Summand out{std::move(coefficient), std::move(bound), {}, {}};
  for (Literal& g : guards) {
    if (g.fact && is_true(g.fact)) {
      continue;
    }
    auto same = std::find_if(out.guards.begin(), out.guards.end(),
                             [&](const Literal& h) { return g.sign ? h.sign == g.sign : !h.sign && h.fact == g.fact; });
    std::size_t at = static_cast<std::size_t>(same - out.guards.begin());
    if (same == out.guards.end()) {
      out.guards.push_back(std::move(g));
    } else if (g.sign) {
      same->mask &= g.mask;
    }
    const Literal& now = out.guards[at];
    if (now.sign ? now.mask == 0 : is_false(now.fact)) {
      out.coefficient = 0;
    }
  }
  std::sort(factors.begin(), factors.end(), [](const Factor& a, const Factor& b) { return a.atom->number < b.atom->number; });
  for (std::size_t i = 0; i < factors.size();) {
    Factor total = factors[i];
    bool opposite = false;
    for (++i; i < factors.size() && factors[i].atom == total.atom; ++i) {
      opposite = opposite || (factors[i].exponent > 0) != (total.exponent > 0);
      total.exponent += factors[i].exponent;
    }
    if (opposite && total.exponent == 0) {  // a * 1/a is 1 for a != 0; a * a * 1/a is a for every a
      cancelled_.push_back(total.atom);
    }
    if (total.exponent != 0) {
      out.factors.push_back(total);
    }
  }
  if (algebra_ != Algebra::Exact &&
      std::any_of(out.guards.begin(), out.guards.end(), [&](const Literal& g) { return is_zero_by(g, out.factors); })) {
    out.coefficient = 0;
  }
  return out;
}

namespace {

// Equal summands, into the first of them.
void add_up(NormalForm& form) {
  std::map<std::vector<std::uint64_t>, std::size_t> at;
  std::size_t count = 0;
  for (Summand& s : form) {
    auto [place, is_new] = at.emplace(body_key(s), count);
    if (!is_new) {
      form[place->second].coefficient = plus(form[place->second].coefficient, s.coefficient);
    } else if (&s != &form[count++]) {
      form[count - 1] = std::move(s);
    }
  }
  form.resize(count);
}

}  // namespace

void FormBuilder::count(std::size_t summands) const {
  if (summands > summands_left_) {
    throw TooManySummands();
  }
  summands_left_ -= summands;
}

NormalForm FormBuilder::merged(NormalForm form) const {
  count(form.size());
  if (form.size() > 1) {
    add_up(form);
  }
  std::erase_if(form, [](const Summand& s) { return is_zero(s.coefficient); });
  return form;
}

NormalForm FormBuilder::number(const Rational& value) const {
  NormalForm out;
  if (!is_zero(value)) {
    out.emplace_back().coefficient = value;
  }
  return out;
}

NormalForm FormBuilder::single(AtomRef atom, int exponent) const {
  NormalForm out(1);
  out[0].factors.push_back({atom, exponent});
  return out;
}

NormalForm FormBuilder::integer(Term term) {
  term = without_remainders(term);
  NormalForm out;
  for (const Monomial& m : monomials(term)) {
    std::vector<Factor> factors;
    for (Term a : m.atoms) {
      if (a.kind() == TermKind::IntOf) {
        // An integer from data is that scalar.
        NormalForm rest{make(Rational(m.coefficient), {}, {}, {})};
        for (Term b : m.atoms) {
          rest = product(rest, b.kind() == TermKind::IntOf ? of(b.arg(0)) : single(make_atom(AtomKind::Whole, {}, {b}, {})));
        }
        out = sum(out, rest);
        factors.clear();
        goto next;
      }
      factors.push_back({make_atom(AtomKind::Whole, {}, {a}, {}), 1});
    }
    out.push_back(make(Rational(m.coefficient), {}, {}, std::move(factors)));
  next:;
  }
  return merged(std::move(out));
}

NormalForm FormBuilder::sum(const NormalForm& a, const NormalForm& b) const {
  NormalForm out = a;
  out.insert(out.end(), b.begin(), b.end());
  return merged(std::move(out));
}

NormalForm FormBuilder::scaled(const Rational& by, NormalForm form) const {
  for (Summand& s : form) {
    s.coefficient = times(s.coefficient, by);
  }
  return is_zero(by) ? NormalForm{} : form;
}

Summand FormBuilder::with_fresh_bound(const Summand& s) {
  if (s.bound.empty()) {
    return s;
  }
  Substitution rename;
  std::vector<Symbol> names;
  for (Symbol b : s.bound) {
    names.push_back(fresh(b));
    rename.emplace(b, int_var(names.back()));
  }
  Summand open = s;
  open.bound.clear();
  open = substituted(open, rename);
  open.bound = std::move(names);
  return open;
}

NormalForm FormBuilder::product(const NormalForm& a, const NormalForm& b) {
  NormalForm out;
  for (const Summand& x : a) {
    for (const Summand& left : b) {
      bool clash = std::any_of(x.bound.begin(), x.bound.end(),
                               [&](Symbol s) { return std::find(left.bound.begin(), left.bound.end(), s) != left.bound.end(); });
      Summand y = clash ? with_fresh_bound(left) : left;
      std::vector<Symbol> bound = x.bound;
      bound.insert(bound.end(), y.bound.begin(), y.bound.end());
      std::vector<Literal> guards = x.guards;
      guards.insert(guards.end(), y.guards.begin(), y.guards.end());
      std::vector<Factor> factors = x.factors;
      factors.insert(factors.end(), y.factors.begin(), y.factors.end());
      Summand made = make(times(x.coefficient, y.coefficient), std::move(bound), std::move(guards), std::move(factors));
      NormalForm whole =
          without_squared_roots(has_several_products(made) ? with_one_product(*this, std::move(made)) : std::move(made));
      std::move(whole.begin(), whole.end(), std::back_inserter(out));
    }
  }
  return merged(std::move(out));
}

namespace {

bool is_root(const Factor& f) { return f.atom->kind == AtomKind::Function && f.atom->name == "sqrt"; }

// a / sqrt(a) is sqrt(a), and sqrt(a) / a is 1 / sqrt(a), also for 0.
void divide_by_roots(Summand& summand) {
  for (Factor& root : summand.factors) {
    const NormalForm* inside = is_root(root) ? &root.atom->args[0] : nullptr;
    bool lone = inside && inside->size() == 1 && is_plain((*inside)[0]) && (*inside)[0].factors.size() == 1;
    for (Factor& f : summand.factors) {
      bool opposite = (f.exponent > 0) != (root.exponent > 0);
      const int halves = 2 * f.exponent + root.exponent;
      if (lone && opposite && halves != 0 && is_one_atom(*inside, f.atom->kind) && (*inside)[0].factors[0].atom == f.atom) {
        f.exponent = halves / 2;
        root.exponent = halves % 2;
      }
    }
  }
  std::erase_if(summand.factors, [](const Factor& f) { return f.exponent == 0; });
}

}  // namespace

// sign(a) * |a| = a.
std::optional<NormalForm> FormBuilder::with_signed_magnitude(const Summand& summand) {
  auto of = [](const Factor& f, Fn fn) {
    return f.exponent > 0 && f.atom->kind == AtomKind::Function && f.atom->name == fn_name(fn) ? &f.atom->args[0] : nullptr;
  };
  for (std::size_t k = 0; k < summand.factors.size(); ++k) {
    const NormalForm* sign = of(summand.factors[k], Fn::Sign);
    for (std::size_t other = 0; sign != nullptr && other < summand.factors.size(); ++other) {
      const NormalForm* magnitude = of(summand.factors[other], Fn::Abs);
      bool same =
          magnitude != nullptr && make_atom(AtomKind::Group, {}, {}, {*magnitude}) == make_atom(AtomKind::Group, {}, {}, {*sign});
      if (same) {
        NormalForm number = *sign;
        Summand rest = summand;
        --rest.factors[k].exponent;
        --rest.factors[other].exponent;
        std::erase_if(rest.factors, [](const Factor& f) { return f.exponent == 0; });
        return product({std::move(rest)}, number);
      }
    }
  }
  return std::nullopt;
}

// sqrt(a)^2 = a: a root is applied to what is not negative only.
NormalForm FormBuilder::without_squared_roots(Summand summand) {
  if (auto numbers = algebra_ == Algebra::Exact ? std::nullopt : with_signed_magnitude(summand)) {
    return *numbers;
  }
  bool roots = algebra_ != Algebra::Exact && std::any_of(summand.factors.begin(), summand.factors.end(), is_root);
  if (roots) {
    divide_by_roots(summand);
  }
  auto squared = std::find_if(summand.factors.begin(), summand.factors.end(),
                              [](const Factor& f) { return is_root(f) && std::abs(f.exponent) >= 2; });
  if (!roots || squared == summand.factors.end()) {
    NormalForm out;
    out.push_back(std::move(summand));
    return out;
  }
  NormalForm inside = power(squared->atom->args[0], squared->exponent / 2);
  squared->exponent %= 2;
  if (squared->exponent == 0) {
    summand.factors.erase(squared);
  }
  return product({std::move(summand)}, inside);
}

NormalForm FormBuilder::power(const NormalForm& form, int exponent) {
  if (exponent < 0) {
    return power(reciprocal(form), -exponent);
  }
  if (exponent == 1 && std::all_of(form.begin(), form.end(), [this](const Summand& s) { return is_as_made(s); })) {
    return merged(form);
  }
  NormalForm out = number(1);
  for (int k = 0; k < exponent; ++k) {
    out = product(out, form);
  }
  return out;
}

NormalForm FormBuilder::guarded(const std::vector<Literal>& guards, const NormalForm& form) const {
  NormalForm out;
  for (Summand s : form) {
    s.guards.insert(s.guards.begin(), guards.begin(), guards.end());
    out.push_back(const_cast<FormBuilder*>(this)->make(s.coefficient, s.bound, s.guards, s.factors));
  }
  return merged(std::move(out));
}

NormalForm FormBuilder::reduction(Reduction kind, std::vector<Symbol> bound, std::vector<Literal> guards, NormalForm body) {
  Atom atom;
  atom.kind = AtomKind::Reduction;
  atom.reduction = kind;
  atom.args = {std::move(body)};
  atom.bound = std::move(bound);
  atom.guards = std::move(guards);
  return single(intern(std::move(atom)));
}

}  // namespace vouch
