// Between which numbers the value of a form lies, whatever the elements of integer types, or of floats of 8 bits, are that it
// reads, and whatever functions of limited values are taken of.
#include <algorithm>
#include <array>

#include "algebra/normal_form.h"
#include "tensor/element.h"
#include "term/print.h"

namespace vouch {
namespace {

using Ends = FormBuilder::Ends;

Ends ends_times(const Ends& ends, const Rational& by) {
  auto times = [&](const std::optional<Rational>& end) { return end ? std::optional<Rational>(*end * by) : std::nullopt; };
  return by.sign() < 0 ? Ends{times(ends.high), times(ends.low)} : Ends{times(ends.low), times(ends.high)};
}

Ends ends_of_sum(const Ends& a, const Ends& b) {
  auto both = [](const auto& x, const auto& y) { return x && y ? std::optional<Rational>(*x + *y) : std::nullopt; };
  return {both(a.low, b.low), both(a.high, b.high)};
}

// Of the larger of two, or the smaller: an end is known by either of them on the one side, by both on the other.
Ends of_extremum(const Ends& a, const Ends& b, bool larger) {
  auto pick = [&](const Rational& x, const Rational& y) { return larger ? std::max(x, y) : std::min(x, y); };
  auto both = [&](const auto& x, const auto& y) { return x && y ? std::optional<Rational>(pick(*x, *y)) : std::nullopt; };
  auto either = [&](const auto& x, const auto& y) { return x && y ? std::optional<Rational>(pick(*x, *y)) : x ? x : y; };
  return larger ? Ends{either(a.low, b.low), both(a.high, b.high)} : Ends{both(a.low, b.low), either(a.high, b.high)};
}

Ends ends_of_function(const std::string& name) {
  auto is_one_of = [&](std::initializer_list<Fn> all) {
    return std::any_of(all.begin(), all.end(), [&](Fn fn) { return name == fn_name(fn); });
  };
  if (is_one_of({Fn::Tanh, Fn::Erf, Fn::Sin, Fn::Cos, Fn::Sign})) {
    return {Rational(-1), Rational(1)};
  }
  return is_one_of({Fn::Exp, Fn::Sqrt, Fn::Abs}) ? Ends{Rational(0), {}} : Ends{};
}

}  // namespace

// Of a power below 0 what is known of the power above, if that is never below a positive number.
FormBuilder::Ends FormBuilder::ends_of(const Factor& factor) const {
  if (factor.exponent == 1) {
    return ends_of(*factor.atom);
  }
  Ends ends = factor.exponent == -1 ? ends_of(*factor.atom) : Ends{};
  if (!ends.low || *ends.low <= 0) {
    return {};
  }
  return {ends.high ? Rational(1) / *ends.high : Rational(0), Rational(1) / *ends.low};
}

FormBuilder::Ends FormBuilder::ends_of(const Atom& atom) const {
  switch (atom.kind) {
    case AtomKind::Read: {
      auto found = types_.find(atom.symbol);
      // Floats of 8 bits may be NaN or infinite, which are no real numbers.
      bool bounded =
          found != types_.end() && (!is_float(found->second) || (is_float8(found->second) && algebra_ != Algebra::Exact));
      bool known = own_types_ && bounded;
      NumberRange range = known ? range_of(found->second) : NumberRange{};
      return known ? Ends{range.low, range.high} : Ends{};
    }
    case AtomKind::Group: return ends_of(atom.args[0]);
    case AtomKind::Function: {
      bool larger = atom.name == fn_name(Fn::Max);
      if (!larger && atom.name != fn_name(Fn::Min)) {
        return algebra_ == Algebra::Exact ? Ends{} : ends_of_function(atom.name);
      }
      Ends out = ends_of(atom.args[0]);
      for (std::size_t k = 1; k < atom.args.size(); ++k) {
        out = of_extremum(out, ends_of(atom.args[k]), larger);
      }
      return out;
    }
    case AtomKind::Reduction: {  // an extremum of nothing is infinite
      Ends body = ends_of(atom.args[0]);
      return atom.reduction == Reduction::Max   ? Ends{{}, body.high}
             : atom.reduction == Reduction::Min ? Ends{body.low, {}}
                                                : Ends{};
    }
    default: return {};
  }
}

FormBuilder::Ends FormBuilder::ends_of(const NormalForm& form) const {
  Ends out{Rational(0), Rational(0)};
  for (const Summand& s : form) {
    if (!s.bound.empty() || !s.guards.empty()) {
      return {};
    }
    Ends here = s.factors.size() == 1 ? ends_times(ends_of(s.factors[0]), s.coefficient) : Ends{s.coefficient, s.coefficient};
    if (s.factors.size() > 1 || (!here.low && !here.high)) {
      const unsigned signs = possible_signs({s});
      here = {(signs & kNegative) == 0 ? std::optional(Rational(0)) : std::nullopt,
              (signs & kPositive) == 0 ? std::optional(Rational(0)) : std::nullopt};
    }
    out = ends_of_sum(out, here);
  }
  return out;
}

void FormBuilder::drop_surpassed(bool larger, std::vector<NormalForm>& operands) const {
  auto decides = [&](const Ends& a, const Ends& b) {
    return larger ? a.low && b.high && *a.low >= *b.high : a.high && b.low && *a.high <= *b.low;
  };
  auto is_plain = [&](const NormalForm& form) {  // no law of arithmetic is used
    return algebra_ != Algebra::Exact || form.empty() || is_one_atom(form, AtomKind::Read) ||
           (form.size() == 1 && form[0].factors.empty());
  };
  std::vector<Ends> ends;
  for (const NormalForm& form : operands) {
    ends.push_back(is_plain(form) ? ends_of(form) : Ends{});
  }
  for (std::size_t k = operands.size(); k-- > 0;) {
    bool surpassed = false;
    for (std::size_t other = 0; other < operands.size() && !surpassed; ++other) {
      surpassed = other != k && decides(ends[other], ends[k]);
    }
    if (surpassed) {
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(k));
      ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

}  // namespace vouch
