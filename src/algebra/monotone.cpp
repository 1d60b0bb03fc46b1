// What grows: an extremum of f is f of the extremum, and, if it grows strictly and is defined for every number, f(a) compares
// with f(b) as a does with b, NaN included. Of other functions that would be wrong: what they make of numbers outside of their
// domain is NaN, and comparisons see that.
//
// These are laws of the reals: exp of two floats may be one float.
#include <algorithm>
#include <set>
#include <utility>

#include "algebra/equality.h"
#include "term/print.h"

namespace vouch {
namespace {

// Of the functions that are looked for: all numbers, or any.
enum class Numbers : std::uint8_t { Whole, Any };

// Strictly, where all numbers are asked for; elsewhere wherever it is defined, and perhaps not strictly.
bool is_increasing(AtomRef atom, Numbers domain) {
  constexpr Fn kEverywhere[] = {Fn::Exp, Fn::Tanh, Fn::Erf, Fn::Atan, Fn::Sinh, Fn::Asinh};
  constexpr Fn kSomewhere[] = {Fn::Log, Fn::Sqrt, Fn::Asin, Fn::Acosh, Fn::Atanh, Fn::Floor, Fn::Round, Fn::Trunc, Fn::Sign};
  auto is_it = [&](Fn fn) { return atom->name == fn_name(fn); };
  return atom->kind == AtomKind::Function && atom->args.size() == 1 &&
         (std::any_of(std::begin(kEverywhere), std::end(kEverywhere), is_it) ||
          (domain == Numbers::Any && std::any_of(std::begin(kSomewhere), std::end(kSomewhere), is_it)));
}

bool is_exponential(const Factor& f) { return f.atom->kind == AtomKind::Function && f.atom->name == fn_name(Fn::Exp); }

NormalForm base_of(const FormBuilder& forms, AtomRef atom) {
  return atom->kind == AtomKind::Group ? atom->args[0] : forms.single(atom);
}

// The sum of the arguments, if all factors are exponentials.
std::optional<NormalForm> exponent_of(const FormBuilder& forms, const std::vector<Factor>& factors) {
  NormalForm out;
  for (const Factor& f : factors) {
    if (!is_exponential(f)) {
      return std::nullopt;
    }
    out = forms.sum(out, forms.scaled(f.exponent, f.atom->args[0]));
  }
  return out;
}

// f(argument), the argument being all of it that is not known; `falls`: f decreases.
struct Grown {
  NormalForm argument;
  std::string by;
  bool falls = false;
};

std::optional<Grown> as_grown(const FormBuilder& forms, const std::vector<Factor>& factors, Numbers domain) {
  if (auto exponent = exponent_of(forms, factors)) {
    return Grown{*exponent, std::string(fn_name(Fn::Exp))};
  }
  if (factors.size() != 1) {
    return std::nullopt;
  }
  const Factor& f = factors[0];
  NormalForm base = base_of(forms, f.atom);
  if (f.exponent == 1 && is_increasing(f.atom, domain)) {
    return Grown{f.atom->args[0], f.atom->name};
  }
  const bool positive = forms.possible_signs(base) == kPositive;
  if (f.exponent < 0 && positive) {
    return Grown{base, "^" + std::to_string(f.exponent), true};
  }
  if (f.exponent > 1 && (f.exponent % 2 != 0 || (forms.possible_signs(base) & kNegative) == 0)) {
    return Grown{base, "^" + std::to_string(f.exponent)};
  }
  return std::nullopt;
}

NormalForm applied(FormBuilder& forms, const Grown& grown, NormalForm argument, int exponent) {
  return grown.by[0] == '^' ? forms.power(argument, exponent) : forms.function(grown.by, {std::move(argument)});
}

// Does a fact say of a sum with it that it is less or more than something? Then it is no NaN.
bool is_limited(AtomRef atom, const Context& context) {
  return std::any_of(context.signs.begin(), context.signs.end(), [&](const Literal& l) {
    const NormalForm& form = l.sign->args[0];
    return l.sign->args.size() == 1 && (l.mask & kUnordered) == 0 && std::all_of(form.begin(), form.end(), is_plain) &&
           std::any_of(form.begin(), form.end(), [&](const Summand& s) {
             return std::any_of(s.factors.begin(), s.factors.end(), [&](const Factor& f) { return f.atom == atom; });
           });
  });
}

// Elements that vanished are NaN nowhere.
bool is_known_to_vanish(const Summand& summand, const Context& context) {
  return is_plain(summand) && summand.factors.size() == 1 && is_unseen(*summand.factors[0].atom) &&
         std::all_of(summand.factors[0].atom->args.begin(), summand.factors[0].atom->args.end(), [&](const NormalForm& arg) {
           return arg.size() == 1 && arg[0].factors.size() == 1 && arg[0].factors[0].exponent == 1 &&
                  is_limited(arg[0].factors[0].atom, context);
         });
}

}  // namespace

NormalForm Equality::monotone_extremum(Atom extremum, const Summand& body, const Context& context) {
  if (auto outside = choice_outside(extremum, body, context)) {
    return *outside;
  }
  auto grown = as_grown(forms_, body.factors, Numbers::Any);
  if (!grown) {
    return forms_.reduction(extremum.reduction, extremum.bound, extremum.guards, {body});
  }
  if (grown->falls) {
    extremum.reduction = other_extremum(extremum.reduction);
  }
  extremum.args = {grown->argument};
  return applied(forms_, *grown, affine_extremum(extremum, context), body.factors[0].exponent);
}

// Without factors of one sign that are numbers here; `flips`: an odd number of those that left is negative.
std::vector<Factor> Equality::of_known_sign(const std::vector<Factor>& factors, const Context& context, bool ordered,
                                            bool& flips) {
  std::vector<Factor> out;
  for (const Factor& f : factors) {
    bool known = ordered || f.atom->kind == AtomKind::Whole || is_limited(f.atom, context);
    unsigned signs = known ? signs_of(f.atom, context) : kAnySign;
    if (signs == kPositive || signs == kNegative) {
      out.push_back(f);
      flips = flips != (signs == kNegative && f.exponent % 2 != 0);
    }
  }
  return out;
}

// How f(a) compares with f(b) is how a does with b.
std::optional<FormBuilder::Conjunctions> Equality::compared_by_arguments(const NormalForm& form, unsigned mask, bool ordered) {
  bool pair = form.size() == 2 && is_plain(form[0]) && is_plain(form[1]) && form[0].coefficient == -form[1].coefficient;
  if (!pair) {
    return std::nullopt;
  }
  auto a = as_grown(forms_, form[0].factors, Numbers::Whole);
  auto b = a ? as_grown(forms_, form[1].factors, Numbers::Whole) : std::nullopt;
  if (!b || a->by != b->by) {
    return std::nullopt;
  }
  if (a->falls != (form[0].coefficient.sign() < 0)) {
    std::swap(a, b);
  }
  return forms_.compare(a->argument, b->argument, mask, ordered);
}

std::optional<FormBuilder::Conjunctions> Equality::simpler_difference(const Literal& literal, const Context& context) {
  const bool ordered = literal.sign->ordered;
  const bool simplify = forms_.algebra() == Algebra::Real;
  NormalForm form = simplify ? forms_.named_alike(simplified(literal.sign->args[0], context)) : literal.sign->args[0];
  auto is_number = [&](AtomRef atom) { return is_limited(atom, context); };
  if (!ordered && simplify && !forms_.sees_all_of(form, literal.sign->args[0], is_number)) {
    return std::nullopt;
  }
  std::erase_if(form, [&](const Summand& s) { return is_known_to_vanish(s, context); });
  if (!std::all_of(form.begin(), form.end(), is_plain)) {
    return std::nullopt;
  }
  bool flips = false;
  std::vector<Factor> known = of_known_sign(common_factors(form), context, ordered, flips);
  NormalForm rest = without_factors(form, known);
  const unsigned mask = flips ? with_sides_swapped(literal.mask) : literal.mask;
  if (auto cases = simplify ? compared_by_arguments(rest, mask, ordered) : std::nullopt) {
    return cases;
  }
  return forms_.split_sign(rest, mask, ordered);
}

// What is NaN where the form is, and nowhere else: without numbers that are added, and where it grows its argument.
NormalForm Equality::as_unordered(NormalForm form, const Context& context) {
  auto is_number = [&](const Factor& f) {
    return f.exponent > 0 && (f.atom->kind == AtomKind::Whole || is_limited(f.atom, context));
  };
  for (;;) {
    std::erase_if(form,
                  [&](const Summand& s) { return is_plain(s) && std::all_of(s.factors.begin(), s.factors.end(), is_number); });
    if (form.size() != 1 || !is_plain(form[0])) {
      return form;
    }
    bool flips = false;
    std::vector<Factor> known = of_known_sign(form[0].factors, context, false, flips);
    NormalForm rest = without_factors(form, known);
    rest[0].coefficient = 1;
    auto grown = as_grown(forms_, rest[0].factors, Numbers::Whole);
    if (!grown) {
      return rest;
    }
    form = grown->argument;
  }
}

// Whether a number is one. Laws of arithmetic may lose what is NaN (x - x), so that nothing may be lost.
std::optional<FormBuilder::Conjunctions> Equality::simpler_unordered(const Literal& literal, const Context& context) {
  const NormalForm& given = literal.sign->args[0];
  auto group = [&](const NormalForm& form) { return forms_.make_atom(AtomKind::Group, {}, {}, {form}); };
  if (forms_.algebra() != Algebra::Real || group(given) != group(literal.sign->args[1])) {
    return std::nullopt;
  }
  NormalForm form = simplified(given, context);
  if (!forms_.sees_all_of(form, given, [](AtomRef) { return false; })) {
    return std::nullopt;
  }
  form = forms_.named_alike(as_unordered(std::move(form), context));
  return form.empty() ? std::nullopt : std::optional(forms_.compare(form, form, literal.mask, false));
}

Literal Equality::simpler_sign(const Literal& given, const Context& context) {
  Literal literal = given;
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps && literal.sign && forms_.algebra() != Algebra::Exact; ++step) {
    auto cases = literal.sign->args.size() == 1 ? simpler_difference(literal, context) : simpler_unordered(literal, context);
    if (!cases || cases->size() != 1 || (*cases)[0].size() != 1 || (*cases)[0][0] == literal) {
      break;
    }
    literal = (*cases)[0][0];
  }
  return literal;
}

Atom Equality::with_simpler_signs(const Atom& atom, const Context& context) {
  Atom out = atom;
  Context inside = context;
  for (const Literal& g : atom.guards) {
    if (!g.sign) {
      inside.facts.push_back(g.fact);
    }
  }
  for (Literal& g : out.guards) {
    g = simpler_sign(g, inside);
  }
  return out;
}

}  // namespace vouch
