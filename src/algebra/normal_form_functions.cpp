// Functions of normal forms, and the laws that they have.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "algebra/logarithm.h"
#include "algebra/normal_form.h"
#include "algebra/products.h"
#include "term/print.h"

namespace vouch {
namespace {

// Its negation is it with the other coefficient, the sign of zero included.
bool changes_sign(const NormalForm& form) {
  bool single = form.size() == 1 && form[0].bound.empty() && form[0].guards.empty();
  return single && (form[0].factors.empty() || (form[0].factors.size() == 1 && form[0].factors[0].atom->kind != AtomKind::Whole));
}

bool is_rounding(const std::string& name) { return name == "floor" || name == "ceil" || name == "round" || name == "trunc"; }

bool is_whole(const FormBuilder& forms, const NormalForm& form);

// What is rounded, signs, the larger and the smaller of whole numbers (of none, what is infinite is rounded to itself), what is
// read of integers.
bool is_whole(const FormBuilder& forms, const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::Whole: return true;
    case AtomKind::Read: return forms.is_of_integers(atom.symbol);
    case AtomKind::Reduction:
      return (atom.reduction == Reduction::Max || atom.reduction == Reduction::Min) && is_whole(forms, atom.args[0]);
    case AtomKind::Function: break;
    default: return false;
  }
  return is_rounding(atom.name) || atom.name == fn_name(Fn::Sign) ||
         (is_extremum(atom) &&
          std::all_of(atom.args.begin(), atom.args.end(), [&](const NormalForm& arg) { return is_whole(forms, arg); }));
}

// Sums and products of those.
bool is_whole(const FormBuilder& forms, const NormalForm& form) {
  return std::all_of(form.begin(), form.end(), [&](const Summand& s) {
    return is_integral(s.coefficient) && std::all_of(s.factors.begin(), s.factors.end(),
                                                     [&](const Factor& f) { return f.exponent > 0 && is_whole(forms, *f.atom); });
  });
}

// What the function leaves as it is; where no law of arithmetic is used, bit for bit.
bool keeps(const FormBuilder& forms, const std::string& name, const NormalForm& arg) {
  bool of_one = is_one_atom(arg, AtomKind::Function);
  if (is_rounding(name)) {
    return is_whole(forms, arg) && (of_one || forms.algebra() != Algebra::Exact);
  }
  return of_one && name == arg[0].factors[0].atom->name && (name == "abs" || name == "sign");
}

// Of a form and its negation the one is as it is written here, the other is not.
bool is_negated(const NormalForm& form) {
  auto numbers = [](const Summand& s) {
    std::vector<std::pair<std::uint32_t, int>> out;
    for (const Factor& f : s.factors) {
      out.emplace_back(f.atom->number, f.exponent);
    }
    return std::pair(out.empty(), out);
  };
  auto lead =
      std::min_element(form.begin(), form.end(), [&](const Summand& a, const Summand& b) { return numbers(a) < numbers(b); });
  return lead != form.end() && lead->coefficient.sign() < 0;
}

// f(-x) is -f(x), or f(x); a rounding upwards is one downwards of the negation.
std::optional<NormalForm> function_of_negated(FormBuilder& forms, const std::string& name, const NormalForm& arg) {
  static const std::set<std::string> kOdd{"sin",  "asin", "atan",  "sinh",  "asinh", "atanh",
                                          "tanh", "erf",  "round", "trunc", "sign"};
  static const std::set<std::string> kEven{"cos", "cosh", "abs"};
  if (name == "ceil") {
    return forms.scaled(-1, forms.function("floor", {forms.scaled(-1, arg)}));
  }
  if (!is_negated(arg) || !(kOdd.contains(name) || kEven.contains(name))) {
    return std::nullopt;
  }
  return forms.scaled(kOdd.contains(name) ? -1 : 1, forms.function(name, {forms.scaled(-1, arg)}));
}

bool is_of_factors(const NormalForm& form) { return form.size() == 1 && is_plain(form[0]) && !form[0].factors.empty(); }

// |c a b| is |c| |a| |b|.
std::optional<NormalForm> magnitude_of_product(FormBuilder& forms, const NormalForm& arg) {
  if (forms.algebra() != Algebra::Real || !is_of_factors(arg)) {
    return std::nullopt;
  }
  NormalForm out = forms.number(abs(arg[0].coefficient));
  for (const Factor& f : arg[0].factors) {
    bool product = f.atom->kind == AtomKind::Function && f.atom->name == kProductOf;
    if (auto known = product ? magnitude_of_factors(forms, f.atom->args[0]) : std::nullopt) {
      out = forms.product(out, forms.power(*known, f.exponent));
      continue;
    }
    bool signless = f.exponent % 2 == 0 || forms.is_never_negative(f.atom);
    AtomRef magnitude = signless ? f.atom : forms.make_atom(AtomKind::Function, {}, {}, {forms.single(f.atom)}, "abs");
    out = forms.product(out, forms.single(magnitude, f.exponent));
  }
  return out;
}

NormalForm named_root(FormBuilder& forms, NormalForm of) {
  return forms.single(forms.make_atom(AtomKind::Function, {}, {}, {std::move(of)}, "sqrt"));
}

NormalForm root_of_number(FormBuilder& forms, const Rational& number) {
  Integer above = boost::multiprecision::sqrt(numerator(number));
  Integer below = boost::multiprecision::sqrt(denominator(number));
  bool square = above * above == numerator(number) && below * below == denominator(number);
  return square ? forms.number(Rational(above) / Rational(below)) : named_root(forms, forms.number(number));
}

// The root of what all summands share is that of a factor that is never negative; of an even power it is the magnitude of
// another.
std::optional<NormalForm> root_of_product(FormBuilder& forms, const NormalForm& arg) {
  if (forms.algebra() != Algebra::Real || arg.empty()) {
    return std::nullopt;
  }
  std::vector<Factor> apart = common_factors(arg);
  std::erase_if(apart, [&](const Factor& f) { return f.exponent % 2 != 0 && !forms.is_never_negative(f.atom); });
  NormalForm rest = without_factors(arg, apart);
  NormalForm out = forms.number(1);
  const bool scaled = rest.size() == 1 && rest[0].coefficient.sign() > 0 && !is_one(rest[0].coefficient);
  if (scaled) {
    out = root_of_number(forms, rest[0].coefficient);
    rest[0].coefficient = 1;
  }
  for (const Factor& f : apart) {
    bool even = f.exponent % 2 == 0;
    NormalForm root = even ? forms.function("abs", {forms.single(f.atom)}) : named_root(forms, forms.single(f.atom));
    out = forms.product(out, forms.power(root, even ? f.exponent / 2 : f.exponent));
  }
  if (rest.size() == 1 && is_plain(rest[0]) && rest[0].factors.empty() && is_one(rest[0].coefficient)) {
    return out;
  }
  return apart.empty() && !scaled ? std::nullopt : std::optional(forms.product(out, named_root(forms, rest)));
}

// floor(u + k) is floor(u) + k for whole k.
std::optional<NormalForm> floor_of_shifted(FormBuilder& forms, const NormalForm& arg) {
  NormalForm shift;
  NormalForm rest;
  for (const Summand& s : arg) {
    (is_whole(forms, NormalForm{s}) ? shift : rest).push_back(s);
  }
  return shift.empty() ? std::nullopt : std::optional(forms.sum(forms.function("floor", {rest}), shift));
}

// round(u + k) is round(u) + k for even k: of two whole numbers that are equally near, the even one stays even.
std::optional<NormalForm> round_of_shifted(FormBuilder& forms, const NormalForm& arg) {
  NormalForm shift;
  NormalForm rest;
  for (const Summand& s : arg) {
    Summand half = s;
    half.coefficient /= 2;
    (is_whole(forms, NormalForm{half}) ? shift : rest).push_back(s);
  }
  return shift.empty() ? std::nullopt : std::optional(forms.sum(forms.function("round", {rest}), shift));
}

// f(g(u)) is u, where g(u) has a value for every u, so that no NaN is lost, and f undoes g. (asin(sin(u)) is not u: another angle
// may have the same sine.)
std::optional<NormalForm> function_of_inverse(FormBuilder& forms, const std::string& name, const NormalForm& arg) {
  static const std::map<std::string, std::string> kUndoes{{"asinh", "sinh"}, {"sinh", "asinh"}, {"atanh", "tanh"}};
  if (!is_one_atom(arg, AtomKind::Function)) {
    return std::nullopt;
  }
  const Atom& inner = *arg[0].factors[0].atom;
  if (auto of = kUndoes.find(name); of != kUndoes.end() && of->second == inner.name) {
    return inner.args[0];
  }
  return name == "acosh" && inner.name == "cosh" ? std::optional(forms.function("abs", inner.args)) : std::nullopt;
}

// What is rounded down, or towards 0, and divided by whole numbers, and rounded likewise, is rounded once. Downwards the number
// is to be positive. (By 0, too: 1/0 is 0 here.)
std::optional<NormalForm> rounding_of_quotient(FormBuilder& forms, const std::string& name, const NormalForm& arg) {
  if (arg.size() != 1 || !is_plain(arg[0]) || !is_integral(1 / arg[0].coefficient)) {
    return std::nullopt;
  }
  const bool down = name == "floor";
  NormalForm divisors = forms.number(arg[0].coefficient);
  const NormalForm* rounded = nullptr;
  for (const Factor& f : arg[0].factors) {
    bool inner = f.exponent == 1 && !rounded && f.atom->kind == AtomKind::Function && f.atom->name == name;
    if (inner) {
      rounded = &f.atom->args[0];
    } else if (f.exponent > 0 || down || !is_whole(forms, *f.atom)) {
      return std::nullopt;
    } else {
      divisors = forms.product(divisors, forms.single(f.atom, f.exponent));
    }
  }
  bool once = rounded && !(down && arg[0].coefficient.sign() < 0) && !(is_one(arg[0].coefficient) && arg[0].factors.size() == 1);
  return once ? std::optional(forms.function(name, {forms.product(*rounded, divisors)})) : std::nullopt;
}

std::optional<NormalForm> function_over_reals(FormBuilder& forms, const std::string& name, const NormalForm& arg) {
  if (name == "log") {
    return logarithm(forms, arg);
  }
  if (name == "tan") {
    return forms.product(forms.function("sin", {arg}), forms.reciprocal(forms.function("cos", {arg})));
  }
  if (name == "sqrt") {
    return root_of_product(forms, arg);
  }
  if (name == "abs") {
    return magnitude_of_product(forms, arg);
  }
  if (const unsigned signs = name == fn_name(Fn::Sign) ? forms.possible_signs(arg) : kAnySign;
      signs == kPositive || signs == kNegative) {
    return forms.number(signs == kPositive ? 1 : -1);
  }
  if (auto undone = function_of_inverse(forms, name, arg)) {
    return undone;
  }
  if (auto shifted = name == "round" ? round_of_shifted(forms, arg) : std::nullopt) {
    return shifted;
  }
  if (name == "floor" || name == "trunc") {
    if (auto once = rounding_of_quotient(forms, name, arg)) {
      return once;
    }
    if (auto shifted = name == "floor" ? floor_of_shifted(forms, arg) : std::nullopt) {
      return shifted;
    }
  }
  if (name == kProductOf) {
    return product_of_factors(forms, arg);
  }
  if (name == kFactor) {
    return factors_of(forms, arg);
  }
  return function_of_negated(forms, name, arg);
}

}  // namespace

bool FormBuilder::is_whole(const NormalForm& form) const { return vouch::is_whole(*this, form); }

NormalForm FormBuilder::function(const std::string& name, std::vector<NormalForm> args) {
  if (name == "exp" && algebra_ != Algebra::Exact) {
    return exponential(args[0]);
  }
  if (name == "neg" && changes_sign(args[0])) {
    return scaled(-1, args[0]);
  }
  if (args.size() == 1 && keeps(*this, name, args[0])) {
    return args[0];
  }
  if (args.size() == 1 && algebra_ != Algebra::Exact) {
    if (auto known = function_over_reals(*this, name, args[0])) {
      return *known;
    }
  }
  return single(make_atom(AtomKind::Function, {}, {}, std::move(args), name));
}

std::optional<NormalForm> FormBuilder::applied_last(const std::string& name, const std::vector<NormalForm>& operands) {
  static const std::set<std::string> kGrowFromZero{"tanh", "erf", "atan", "sinh", "asinh", "floor", "round", "trunc"};
  const std::string* by = nullptr;
  std::vector<NormalForm> args;
  for (const NormalForm& form : operands) {
    const std::string* own = is_one_atom(form, AtomKind::Function) ? &form[0].factors[0].atom->name : nullptr;
    if (!form.empty() && (own == nullptr || (by != nullptr && *own != *by))) {
      return std::nullopt;
    }
    by = own == nullptr ? by : own;
    args.push_back(own == nullptr ? NormalForm{} : form[0].factors[0].atom->args[0]);
  }
  const bool only_calls = std::none_of(operands.begin(), operands.end(), [](const NormalForm& form) { return form.empty(); });
  bool grows = by != nullptr && (kGrowFromZero.contains(*by) || (only_calls && *by == fn_name(Fn::Exp)));
  if (algebra_ == Algebra::Exact || operands.size() < 2 || !grows) {
    return std::nullopt;
  }
  return function(std::string(*by), {largest(name, args)});
}

std::optional<NormalForm> FormBuilder::rounded_last(const std::string& name, const std::vector<NormalForm>& operands) {
  if (algebra_ == Algebra::Exact || operands.size() != 2) {
    return std::nullopt;
  }
  auto is_number = [](const NormalForm& form) { return form.empty() || (form.size() == 1 && form[0].factors.empty()); };
  const std::size_t at = is_number(operands[0]) ? 1 : 0;
  NormalForm shift;
  NormalForm rounded;
  for (const Summand& s : operands[at]) {
    (is_number({s}) && s.guards.empty() && s.bound.empty() ? shift : rounded).push_back(s);
  }
  NormalForm limit = sum(operands[1 - at], scaled(-1, shift));
  bool applies = is_number(operands[1 - at]) && is_whole(limit) && is_one_atom(rounded, AtomKind::Function) &&
                 is_rounding(rounded[0].factors[0].atom->name);
  if (!applies) {
    return std::nullopt;
  }
  const Atom& atom = *rounded[0].factors[0].atom;
  return sum(function(atom.name, {largest(name, {limit, atom.args[0]})}), shift);
}

// exp of a sum is the product of the exp of its summands.
NormalForm FormBuilder::exponential(const NormalForm& arg) {
  NormalForm out = number(1);
  for (const Summand& s : arg) {
    bool whole = is_integral(s.coefficient) && abs(s.coefficient) <= 16;
    Summand unit = s;
    unit.coefficient = whole ? Rational(1) : s.coefficient;
    int times = whole ? static_cast<int>(numerator(s.coefficient)) : 1;
    if (is_one_atom({unit}, AtomKind::Function) &&
        unit.factors[0].atom->name == "log") {  // which is applied to what is positive only
      out = product(out, power(unit.factors[0].atom->args[0], times));
      continue;
    }
    AtomRef atom = make_atom(AtomKind::Function, {}, {}, {{unit}}, "exp");
    out = product(out, single(atom, times));
  }
  return out;
}

}  // namespace vouch
