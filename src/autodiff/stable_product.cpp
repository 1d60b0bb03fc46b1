#include "autodiff/stable_product.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace vouch {
namespace {

bool is_exp(Term term) { return term.kind() == TermKind::Call && term->fn == Fn::Exp; }

struct Factors {
  std::vector<Term> above;  // exponentials apart
  std::vector<Term> exponents;
  std::vector<Term> below;
  bool negative = false;
  bool divides = false;  // what is below was itself a quotient
};

void take_apart(Term term, bool inverse, Factors& out) {
  switch (term.kind()) {
    case TermKind::RealMul:
      take_apart(term.arg(0), inverse, out);
      take_apart(term.arg(1), inverse, out);
      return;
    case TermKind::RealDiv:
      out.divides = out.divides || inverse;
      take_apart(term.arg(0), inverse, out);
      take_apart(term.arg(1), !inverse, out);
      return;
    case TermKind::RealNeg:
      out.negative = !out.negative;
      take_apart(term.arg(0), inverse, out);
      return;
    default: break;
  }
  if (inverse) {
    out.below.push_back(term);
  } else if (is_exp(term)) {
    out.exponents.push_back(term.arg(0));
  } else if (term != real_const(1)) {
    out.above.push_back(term);
  }
}

// factor * exp(the sum of the exponents)
struct PositivePart {
  Rational factor = 1;
  std::vector<Term> exponents;
};

std::optional<PositivePart> positive_part(Term term) {
  if (term.kind() == TermKind::RealConst && term->value > 0) {
    return PositivePart{term->value, {}};
  }
  if (is_exp(term)) {
    return PositivePart{1, {term.arg(0)}};
  }
  bool quotient = term.kind() == TermKind::RealDiv;
  if (!quotient && term.kind() != TermKind::RealMul) {
    return std::nullopt;
  }
  auto a = positive_part(term.arg(0));
  auto b = positive_part(term.arg(1));
  if (!a || !b || (quotient && !b->exponents.empty())) {
    return std::nullopt;
  }
  a->factor = quotient ? Rational(a->factor / b->factor) : Rational(a->factor * b->factor);
  a->exponents.insert(a->exponents.end(), b->exponents.begin(), b->exponents.end());
  return a;
}

// The addends of a sum; false if one of them is not known to be positive.
bool positive_sum(Term term, std::vector<PositivePart>& out) {
  if (term.kind() == TermKind::RealAdd) {
    return positive_sum(term.arg(0), out) && positive_sum(term.arg(1), out);
  }
  auto part = positive_part(term);
  if (part) {
    out.push_back(std::move(*part));
  }
  return part.has_value();
}

// Takes each of `wanted` out of `from` once; false, and nothing is taken, if one is not there.
bool take_out(std::vector<Term>& from, const std::vector<Term>& wanted) {
  std::vector<Term> rest = from;
  for (Term one : wanted) {
    auto at = std::find(rest.begin(), rest.end(), one);
    if (at == rest.end()) {
      return false;
    }
    rest.erase(at);
  }
  from = std::move(rest);
  return true;
}

// The part over which the exponentials above are, the one with most of them; null if there is none.
const PositivePart* dividing_part(const std::vector<PositivePart>& sum, const std::vector<Term>& above) {
  const PositivePart* best = nullptr;
  for (const PositivePart& part : sum) {
    std::vector<Term> left = above;
    bool more = !part.exponents.empty() && (!best || part.exponents.size() > best->exponents.size());
    best = more && take_out(left, part.exponents) ? &part : best;
  }
  return best;
}

Term scaled(const Rational& factor, Term term) { return factor == 1 ? term : real_const(factor) * term; }

// part / exp(the sum of `by`)
Term divided(PositivePart part, std::vector<Term> by) {
  for (auto at = by.begin(); at != by.end();) {
    at = take_out(part.exponents, {*at}) ? by.erase(at) : at + 1;
  }
  Term exponent;
  for (Term up : part.exponents) {
    exponent = exponent ? exponent + up : up;
  }
  for (Term down : by) {
    Term up = down.kind() == TermKind::RealNeg ? down.arg(0) : Term();
    exponent = !exponent ? (up ? up : -down) : up ? exponent + up : exponent - down;
  }
  return exponent ? scaled(part.factor, call(Fn::Exp, {exponent})) : real_const(part.factor);
}

// False if no exponential above stands over `below`.
bool divide_through(std::vector<Term>& exponents, Term& below) {
  std::vector<PositivePart> sum;
  const PositivePart* by = positive_sum(below, sum) && sum.size() > 1 ? dividing_part(sum, exponents) : nullptr;
  if (!by) {
    return false;
  }
  std::vector<Term> taken = by->exponents;
  take_out(exponents, taken);
  below = Term();
  for (const PositivePart& part : sum) {
    Term term = divided(part, taken);
    below = below ? below + term : term;
  }
  return true;
}

bool has_part(Term term, Term part) {
  return term == part || std::any_of(term.args().begin(), term.args().end(), [&](Term arg) { return has_part(arg, part); });
}

bool join_nested(std::vector<Term>& exponents) {
  for (std::size_t outer = 0; outer < exponents.size(); ++outer) {
    for (std::size_t inner = 0; inner < exponents.size(); ++inner) {
      if (outer != inner && has_part(exponents[outer], call(Fn::Exp, {exponents[inner]}))) {
        exponents[outer] = exponents[inner] + exponents[outer];
        exponents.erase(exponents.begin() + static_cast<std::ptrdiff_t>(inner));
        return true;
      }
    }
  }
  return false;
}

bool is_whole(const Rational& value) { return denominator(value) == 1; }

// Whether numbers are divided by numbers in it, or are fractions: what a ring does not know.
bool has_fractions(Term term) {
  bool number = term.kind() == TermKind::RealConst;
  bool quotient = term.kind() == TermKind::RealDiv && term.arg(1).kind() == TermKind::RealConst;
  return (number && !is_whole(term->value)) || quotient ||
         (!is_exp(term) && std::any_of(term.args().begin(), term.args().end(), has_fractions));
}

// A positive factor above goes with an equal one below.
bool cancel(Factors& factors) {
  for (auto above = factors.above.begin(); above != factors.above.end(); ++above) {
    std::vector<PositivePart> parts;
    auto below = std::find(factors.below.begin(), factors.below.end(), *above);
    if (below != factors.below.end() && positive_sum(*above, parts)) {
      factors.divides = factors.divides || above->kind() == TermKind::RealConst;
      factors.below.erase(below);
      factors.above.erase(above);
      return true;
    }
  }
  return false;
}

Term put_together(const Factors& factors) {
  Term out;
  for (Term factor : factors.above) {
    out = out ? out * factor : factor;
  }
  for (Term exponent : factors.exponents) {
    Term factor = call(Fn::Exp, {exponent});
    out = out ? out * factor : factor;
  }
  out = out ? out : real_const(1);
  for (Term divisor : factors.below) {
    out = out / divisor;
  }
  return factors.negative ? -out : out;
}

}  // namespace

StableProduct stable_product(Term product) {
  Factors factors;
  take_apart(product, false, factors);
  bool changed = false;
  while (cancel(factors)) {
    changed = true;
  }
  for (Term& below : factors.below) {
    bool fractions = has_fractions(below);
    if (divide_through(factors.exponents, below)) {
      changed = true;
      factors.divides = factors.divides || fractions;
    }
  }
  while (join_nested(factors.exponents)) {
    changed = true;
  }
  return changed ? StableProduct{put_together(factors), factors.divides} : StableProduct{product, false};
}

}  // namespace vouch
