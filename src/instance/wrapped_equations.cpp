#include "instance/wrapped_equations.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "tensor/element.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// A sum of multiples of whole numbers, by their texts (so that the order is the same in every run), and of a number.
struct LinearSum {
  std::map<std::string, std::pair<Term, Integer>> multiples;
  Integer constant = 0;
};

class WrappedEquations {
 public:
  WrappedEquations(const Stores& stores, bool own_types) : stores_(stores), own_types_(own_types) {}

  Term of(Term term) {
    if (term.args().empty()) {
      return term;
    }
    auto [at, is_new] = known_.try_emplace(term);
    if (!is_new) {
      return at->second;
    }
    Term out = with_arguments(term, [this](Term arg) { return of(arg); });
    out = out.kind() == TermKind::RealEq                       ? equation(out)
          : out.kind() == TermKind::Call && out->fn == Fn::Abs ? magnitude(out)
                                                               : out;
    known_.insert_or_assign(term, out);
    return out;
  }

 private:
  // The representative nearest to 0; of no modulus where the width is not known.
  Integer reduced(Integer number, DType dtype) const {
    if (!own_types_) {
      return number;
    }
    const Integer modulus = Integer(1) << static_cast<unsigned>(bit_width(dtype));
    number %= modulus;
    number += number < 0 ? modulus : Integer(0);
    return 2 * number > modulus ? number - modulus : number;
  }

  // Adds factor * term, modulo 2^w: stores of the type go. False if it is no whole number.
  bool add(Term term, const Integer& factor, DType dtype, LinearSum& to) const {
    auto is_whole_number = [](Term t) { return t.kind() == TermKind::RealConst && is_integral(t->value); };
    switch (term.kind()) {
      case TermKind::RealConst:
        to.constant += is_whole_number(term) ? factor * numerator(term->value) : Integer(0);
        return is_whole_number(term);
      case TermKind::RealNeg: return add(term.arg(0), -factor, dtype, to);
      case TermKind::RealAdd: return add(term.arg(0), factor, dtype, to) && add(term.arg(1), factor, dtype, to);
      case TermKind::RealSub: return add(term.arg(0), factor, dtype, to) && add(term.arg(1), -factor, dtype, to);
      case TermKind::RealMul:
        for (std::size_t k : {0U, 1U}) {
          if (is_whole_number(term.arg(k))) {
            return add(term.arg(1 - k), factor * numerator(term.arg(k)->value), dtype, to);
          }
        }
        break;
      case TermKind::Call:
        if (stores_.stored_integers(term) == dtype) {
          return add(term.arg(0), factor, dtype, to);
        }
        break;
      default: break;
    }
    to.multiples.try_emplace(print_term(term), term, Integer(0)).first->second.second += factor;
    return stores_.is_whole(term);
  }

  void reduce(LinearSum& sum, DType dtype) const {
    for (auto& [text, multiple] : sum.multiples) {
      multiple.second = reduced(multiple.second, dtype);
    }
    std::erase_if(sum.multiples, [](const auto& entry) { return entry.second.second == 0; });
    sum.constant = reduced(sum.constant, dtype);
  }

  void multiply(LinearSum& sum, const Integer& by, DType dtype) const {
    for (auto& [text, multiple] : sum.multiples) {
      multiple.second *= by;
    }
    sum.constant *= by;
    reduce(sum, dtype);
  }

  // Of an odd number: by Newton's iteration, each step of which doubles the digits that are right.
  Integer inverse(const Integer& odd, DType dtype) const {
    Integer out = odd;
    for (unsigned right = 3; right < bit_width(dtype); right *= 2) {
      out = reduced(out * (2 - odd * out), dtype);
    }
    return out;
  }

  static Term term_of(const LinearSum& sum) {
    Term out = real_const(Rational(sum.constant));
    for (const auto& [text, multiple] : sum.multiples) {
      Term one = multiple.second == 1 ? multiple.first : real_const(Rational(multiple.second)) * multiple.first;
      out = out.kind() == TermKind::RealConst && is_zero(out->value) ? one : out + one;
    }
    return out;
  }

  // The number of the type that is this modulo 2^w.
  Term element(const Integer& given, DType dtype) const {
    const Integer modulus = Integer(1) << static_cast<unsigned>(bit_width(dtype));
    NumberRange range = range_of(dtype);
    Integer number = reduced(given, dtype);
    number += Rational(number) < range.low ? modulus : Integer(0);
    number -= Rational(number) > range.high ? modulus : Integer(0);
    return real_const(Rational(number));
  }

  // The largest odd number that divides all of it, with the sign of what stands first.
  static Integer odd_divisor(const LinearSum& sum) {
    Integer out = abs(sum.constant);
    for (const auto& [text, multiple] : sum.multiples) {
      out = gcd(out, abs(multiple.second));
    }
    while (out != 0 && out % 2 == 0) {
      out /= 2;
    }
    return sum.multiples.begin()->second.second < 0 ? -out : out;
  }

  // Times the inverse of an odd factor; where the width is not known, divided by what divides all of it.
  void make_first_one(LinearSum& sum, DType dtype) const {
    auto odd =
        std::find_if(sum.multiples.begin(), sum.multiples.end(), [](const auto& entry) { return entry.second.second % 2 != 0; });
    if (own_types_ && odd != sum.multiples.end()) {
      return multiply(sum, inverse(odd->second.second, dtype), dtype);
    }
    const Integer divisor = odd_divisor(sum);
    for (auto& [text, multiple] : sum.multiples) {
      multiple.second /= divisor;
    }
    sum.constant /= divisor;
  }

  // first == other, where the sum is their difference and both are elements of the type; nothing otherwise.
  Term plain_equation(LinearSum sum, DType dtype) const {
    auto at =
        std::find_if(sum.multiples.begin(), sum.multiples.end(), [](const auto& entry) { return entry.second.second == 1; });
    if (at == sum.multiples.end() || !stores_.is_element(at->second.first, dtype)) {
      return {};
    }
    Term first = at->second.first;
    sum.multiples.erase(at);
    if (sum.multiples.empty()) {
      return own_types_ || sum.constant == 0 ? real_eq(first, element(-sum.constant, dtype)) : Term();
    }
    const auto& [other, factor] = sum.multiples.begin()->second;
    bool lone = sum.multiples.size() == 1 && sum.constant == 0 && factor == -1;
    return lone && stores_.is_element(other, dtype) ? real_eq(first, other) : Term();
  }

  Term equation(Term given) const {
    auto dtype = stores_.stored_integers(given.arg(0));
    dtype = dtype ? dtype : stores_.stored_integers(given.arg(1));
    LinearSum sum;
    if (!dtype || !stores_.is_element(given.arg(0), *dtype) || !stores_.is_element(given.arg(1), *dtype) ||
        !add(given.arg(0), 1, *dtype, sum) || !add(given.arg(1), -1, *dtype, sum)) {
      return given;
    }
    reduce(sum, *dtype);
    if (sum.multiples.empty()) {
      return given;
    }
    make_first_one(sum, *dtype);
    Term plain = plain_equation(sum, *dtype);
    return plain ? plain : real_eq(stores_.stored(*dtype, term_of(sum)), real_const(0));
  }

  Term magnitude(Term given) const {
    auto dtype = stores_.stored_integers(given.arg(0));
    LinearSum sum;
    if (!dtype || !is_signed(*dtype) || !add(given.arg(0), 1, *dtype, sum)) {
      return given;
    }
    reduce(sum, *dtype);
    if (sum.multiples.empty()) {
      return given;
    }
    multiply(sum, sum.multiples.begin()->second.second < 0 ? -1 : 1, *dtype);
    return call(Fn::Abs, {stores_.stored(*dtype, term_of(sum))});
  }

  const Stores& stores_;
  const bool own_types_;
  std::unordered_map<Term, Term> known_;
};

}  // namespace

Term with_wrapped_equations(const Stores& stores, bool own_types, Term term) {
  return WrappedEquations(stores, own_types).of(term);
}

}  // namespace vouch
