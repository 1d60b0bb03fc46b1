#include "algebra/fixed_atoms.h"

#include <algorithm>

namespace vouch {
namespace {

struct Fixed {
  AtomRef atom = nullptr;
  NormalForm value;
};

// What all of them together leave of the sign of this one.
unsigned outcomes_by(const std::vector<Literal>& signs, const Literal& literal) {
  unsigned out = literal.mask;
  for (const Literal& other : signs) {
    out &= other.sign == literal.sign ? other.mask : out;
  }
  return out;
}

// Of `a * x + b` that is 0, and so no NaN: x.
std::optional<Fixed> fixed_by(const FormBuilder& forms, const std::vector<Literal>& signs, const Literal& literal) {
  if (literal.sign == nullptr || literal.sign->args.size() != 1 || outcomes_by(signs, literal) != kZero) {
    return std::nullopt;
  }
  const Summand* multiple = nullptr;
  Rational number = 0;
  for (const Summand& s : literal.sign->args[0]) {
    const bool power = is_plain(s) && s.factors.size() == 1 && s.factors[0].exponent == 1;
    if (power && multiple == nullptr &&
        (s.factors[0].atom->kind == AtomKind::Read || s.factors[0].atom->kind == AtomKind::RealVar)) {
      multiple = &s;
    } else if (is_plain(s) && s.factors.empty()) {
      number = s.coefficient;
    } else {
      return std::nullopt;
    }
  }
  return multiple == nullptr ? std::nullopt
                             : std::optional(Fixed{multiple->factors[0].atom, forms.number(-number / multiple->coefficient)});
}

class Fixing {
 public:
  Fixing(FormBuilder& forms, const Fixed& fixed) : forms_(forms), fixed_(fixed) {}

  NormalForm in(const Summand& summand) {
    if (std::none_of(summand.factors.begin(), summand.factors.end(), [&](const Factor& f) { return depends(f.atom); })) {
      return {summand};
    }
    NormalForm out{forms_.make(summand.coefficient, summand.bound, summand.guards, {})};
    for (const Factor& f : summand.factors) {
      out = forms_.product(out, depends(f.atom) ? forms_.power(in(f.atom), f.exponent) : forms_.single(f.atom, f.exponent));
    }
    return out;
  }

 private:
  // (What binds indices is left as it is: they may have the names of those that are read at.)
  bool depends(AtomRef atom) const {
    if (atom == fixed_.atom) {
      return true;
    }
    return (atom->kind == AtomKind::Function || atom->kind == AtomKind::Group) &&
           std::any_of(atom->args.begin(), atom->args.end(), [&](const NormalForm& arg) { return depends(arg); });
  }
  bool depends(const NormalForm& form) const {
    return std::any_of(form.begin(), form.end(), [&](const Summand& s) {
      return s.bound.empty() && std::any_of(s.factors.begin(), s.factors.end(), [&](const Factor& f) { return depends(f.atom); });
    });
  }

  NormalForm in(AtomRef atom) {
    if (atom == fixed_.atom) {
      return fixed_.value;
    }
    std::vector<NormalForm> args;
    for (const NormalForm& arg : atom->args) {
      NormalForm& now = args.emplace_back();
      for (const Summand& s : arg) {
        now = forms_.sum(now, s.bound.empty() ? in(s) : NormalForm{s});
      }
    }
    if (atom->kind == AtomKind::Group) {
      return args[0];
    }
    return is_extremum(*atom) ? forms_.largest(atom->name, args) : forms_.function(atom->name, std::move(args));
  }

  FormBuilder& forms_;
  const Fixed& fixed_;
};

}  // namespace

std::optional<NormalForm> with_fixed_atoms(FormBuilder& forms, const Summand& summand, const std::vector<Literal>& signs) {
  if (forms.algebra() == Algebra::Exact) {
    return std::nullopt;
  }
  for (const Literal& literal : signs) {
    auto fixed = fixed_by(forms, signs, literal);
    NormalForm out = fixed ? Fixing(forms, *fixed).in(summand) : NormalForm{summand};
    if (out.size() != 1 || out[0].factors != summand.factors || out[0].coefficient != summand.coefficient) {
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
