#include "algebra/logarithm.h"

#include <algorithm>

#include "term/print.h"

namespace vouch {
namespace {

bool is_function(const Atom& atom, Fn fn) { return atom.kind == AtomKind::Function && atom.name == fn_name(fn); }

// Of a factor without its exponent.
NormalForm base_of(const FormBuilder& forms, const Factor& f) {
  return f.atom->kind == AtomKind::Group ? f.atom->args[0] : forms.single(f.atom);
}

NormalForm single_logarithm(FormBuilder& forms, NormalForm of) {
  return forms.single(forms.make_atom(AtomKind::Function, {}, {}, {std::move(of)}, std::string(fn_name(Fn::Log))));
}

// log b^n is n log b for positive b; of an exponential it is what that was taken of, of a root half the log.
NormalForm log_of_power(FormBuilder& forms, const Factor& f) {
  if (is_function(*f.atom, Fn::Exp)) {
    return forms.scaled(f.exponent, f.atom->args[0]);
  }
  if (is_function(*f.atom, Fn::Sqrt)) {
    return forms.scaled(Rational(f.exponent) / 2, forms.function(std::string(fn_name(Fn::Log)), {f.atom->args[0]}));
  }
  NormalForm base = base_of(forms, f);
  return forms.scaled(f.exponent, f.atom->kind == AtomKind::Group ? forms.function(std::string(fn_name(Fn::Log)), {base})
                                                                  : single_logarithm(forms, base));
}

// What the sum is divided by in some of its summands only, of exponentials.
std::vector<Factor> exponentials_below(const NormalForm& form) {
  std::vector<Factor> out;
  if (!std::all_of(form.begin(), form.end(), is_plain)) {
    return out;
  }
  for (const Summand& s : form) {
    for (const Factor& f : s.factors) {
      auto known = std::find_if(out.begin(), out.end(), [&](const Factor& other) { return other.atom == f.atom; });
      if (!is_function(*f.atom, Fn::Exp) || f.exponent > 0) {
        continue;
      }
      if (known == out.end()) {
        out.push_back(f);
      } else {
        known->exponent = std::min(known->exponent, f.exponent);
      }
    }
  }
  return out;
}

bool is_even(const FormBuilder& forms, const Factor& f) { return forms.algebra() == Algebra::Real && f.exponent % 2 == 0; }

// An even power is positive where it is not 0: its logarithm is that of the magnitude.
NormalForm log_of_factor(FormBuilder& forms, const Factor& f) {
  if (forms.is_positive(f.atom) || !is_even(forms, f)) {
    return log_of_power(forms, f);
  }
  return forms.scaled(f.exponent, single_logarithm(forms, forms.function(std::string(fn_name(Fn::Abs)), {base_of(forms, f)})));
}

}  // namespace

std::optional<NormalForm> logarithm(FormBuilder& forms, const NormalForm& arg) {
  std::vector<Factor> apart = common_factors(arg);
  std::erase_if(apart, [&](const Factor& f) { return !forms.is_positive(f.atom) && !is_even(forms, f); });
  NormalForm rest = without_factors(arg, apart);
  for (const Factor& f : rest.size() > 1 ? exponentials_below(rest) : std::vector<Factor>()) {
    rest = forms.product(rest, forms.single(f.atom, -f.exponent));
    apart.push_back(f);
  }
  NormalForm out;
  for (const Factor& f : apart) {
    out = forms.sum(out, log_of_factor(forms, f));
  }
  if (rest.size() != 1 || !is_plain(rest[0]) || rest[0].coefficient <= 0) {
    return apart.empty() ? std::nullopt : std::optional(forms.sum(out, single_logarithm(forms, std::move(rest))));
  }
  // The product of what is left is positive, so that a single odd power is, and what it is a power of.
  Summand left = std::move(rest[0]);
  if (!is_one(left.coefficient) && !(apart.empty() && left.factors.empty())) {
    out = forms.sum(out, single_logarithm(forms, forms.number(left.coefficient)));
    left.coefficient = 1;
  }
  if (is_one(left.coefficient) && left.factors.empty()) {
    return out;
  }
  bool odd = left.factors.size() == 1 && left.factors[0].exponent % 2 != 0;
  return forms.sum(out, odd ? log_of_power(forms, left.factors[0]) : single_logarithm(forms, {left}));
}

namespace {

// What is positive where the form is.
void assume_positive(FormBuilder& forms, const NormalForm& form) {
  if (form.size() != 1 || !is_plain(form[0]) || form[0].coefficient <= 0) {
    return;
  }
  std::vector<Factor> open = form[0].factors;
  if (forms.algebra() == Algebra::Real) {
    for (const Factor& f : open) {  // none is 0, so that its magnitude is positive
      NormalForm magnitude = forms.function(std::string(fn_name(Fn::Abs)), {base_of(forms, f)});
      if (is_one_atom(magnitude, AtomKind::Function)) {
        forms.assume_positive(magnitude[0].factors[0].atom);
      }
    }
  }
  std::erase_if(open, [&](const Factor& f) { return forms.is_positive(f.atom) || f.exponent % 2 == 0; });
  if (open.size() != 1) {
    return;
  }
  forms.assume_positive(open[0].atom);
  if (is_function(*open[0].atom, Fn::Sqrt)) {
    assume_positive(forms, open[0].atom->args[0]);
  }
}

// A factor is not negative where the product is not and the others are positive.
void assume_not_negative(FormBuilder& forms, const NormalForm& form) {
  if (form.size() != 1 || !is_plain(form[0]) || form[0].coefficient <= 0) {
    return;
  }
  std::vector<Factor> open = form[0].factors;
  std::erase_if(open, [&](const Factor& f) { return forms.is_positive(f.atom); });
  if (open.size() == 1 && open[0].exponent % 2 != 0) {
    forms.assume_not_negative(open[0].atom);
  }
}

}  // namespace

NormalForm without_positive_factors(const FormBuilder& forms, const NormalForm& form) {
  std::vector<Factor> positive = common_factors(form);
  std::erase_if(positive, [&](const Factor& f) { return !forms.is_positive(f.atom); });
  return without_factors(form, positive);
}

void assume_functions_defined(FormBuilder& forms, Term source) {
  switch (source.kind()) {
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealDiv:
    case TermKind::RealNeg: break;
    case TermKind::Call:
      if (source->fn == Fn::Log) {
        assume_positive(forms, forms.of(source.arg(0)));
      } else if (source->fn == Fn::Sqrt) {
        assume_not_negative(forms, forms.of(source.arg(0)));
      } else if (source->fn != Fn::Exp) {
        return;
      }
      break;
    default: return;
  }
  for (Term arg : source.args()) {
    assume_functions_defined(forms, arg);
  }
}

}  // namespace vouch
