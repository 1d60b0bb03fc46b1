#include "term/rounded.h"

#include <mpfr.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace vouch::rounded {
namespace {

constexpr int kGuard = 32;            // bits beyond those asked for
constexpr int kMostExactBits = 4096;  // a longer number is rounded before a function is taken

Rational power_of_two(long exponent) {
  Integer magnitude = Integer(1) << static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? Rational(Integer(1), magnitude) : Rational(magnitude);
}

// Bits before the binary point, at least 0.
int whole_bits(const Rational& x) { return static_cast<int>(msb(Integer(floor_of(abs(x)) + 1))); }

class WholeNumber {
 public:
  WholeNumber() { mpz_init(value_); }
  explicit WholeNumber(const Integer& from) : WholeNumber() {
    std::vector<unsigned long> limbs;
    export_bits(abs(from), std::back_inserter(limbs), 64, false);
    mpz_import(value_, limbs.size(), -1, sizeof(unsigned long), 0, 0, limbs.data());
    if (from < 0) {
      mpz_neg(value_, value_);
    }
  }
  WholeNumber(const WholeNumber&) = delete;
  WholeNumber& operator=(const WholeNumber&) = delete;
  ~WholeNumber() { mpz_clear(value_); }

  mpz_ptr get() { return value_; }
  Integer integer() const {
    std::vector<unsigned long> limbs((mpz_sizeinbase(value_, 2) + 63) / 64);
    std::size_t count = 0;
    mpz_export(limbs.data(), &count, -1, sizeof(unsigned long), 0, 0, value_);
    Integer out = 0;
    import_bits(out, limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(count), 64, false);
    return mpz_sgn(value_) < 0 ? Integer(-out) : out;
  }

 private:
  mpz_t value_;
};

// What MPFR keeps of constants for each thread is given back when the thread ends.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

class Float {
 public:
  explicit Float(int bits) {
    thread_local ThreadCache cache;
    (void)cache;
    mpfr_init2(value_, std::max(bits, 2));
  }
  Float(const Rational& from, int bits, mpfr_rnd_t direction) : Float(bits) {
    WholeNumber top{Integer(numerator(from))};
    WholeNumber bottom{Integer(denominator(from))};
    mpq_t quotient;
    mpq_init(quotient);
    mpz_swap(mpq_numref(quotient), top.get());
    mpz_swap(mpq_denref(quotient), bottom.get());
    mpfr_set_q(value_, quotient, direction);
    mpq_clear(quotient);
  }
  Float(const Float&) = delete;
  Float& operator=(const Float&) = delete;
  ~Float() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  bool is_number() const { return mpfr_number_p(value_) != 0; }
  Rational rational() const {
    if (mpfr_zero_p(value_)) {
      return 0;
    }
    WholeNumber digits;
    long exponent = mpfr_get_z_2exp(digits.get(), value_);
    return Rational(digits.integer()) * power_of_two(exponent);
  }

 private:
  mpfr_t value_;
};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// To so many bits an argument is rounded: all it has if it is a binary fraction of a sensible length. The error in what a
// function makes of it is below 2^-p where the function grows no faster than its argument's whole part says.
int argument_bits(const Rational& x, int p) {
  Integer bottom = denominator(x);
  auto length = static_cast<int>(msb(abs(Integer(numerator(x))) + 1) + 1);
  bool binary = bottom == Integer(1) << msb(bottom);
  return binary && length <= kMostExactBits ? length : p + kGuard + whole_bits(x);
}

// Nothing where the rounded argument is a pole.
Maybe increasing(Function function, const Rational& x, int p) {
  Enclosure out;
  for (auto [direction, end] : {std::pair(MPFR_RNDD, &out.low), std::pair(MPFR_RNDU, &out.high)}) {
    Float argument(x, argument_bits(x, p), direction);
    Float value(p + kGuard);
    function(value.get(), argument.get(), direction);
    if (!value.is_number()) {
      return std::nullopt;
    }
    *end = value.rational();
  }
  return out;
}

// Of a function within [-1, 1] whose slope is, too.
Enclosure wave(Function function, const Enclosure& x, int p) {
  Rational middle = (x.low + x.high) / 2;
  int bits = argument_bits(middle, p);
  Float argument(middle, bits, MPFR_RNDN);
  Rational off = (x.high - x.low) / 2 + abs(argument.rational() - middle);
  Float low(p + kGuard);
  Float high(p + kGuard);
  function(low.get(), argument.get(), MPFR_RNDD);
  function(high.get(), argument.get(), MPFR_RNDU);
  return {std::max(Rational(low.rational() - off), Rational(-1)), std::min(Rational(high.rational() + off), Rational(1))};
}

}  // namespace

Enclosure pi(int p) {
  Float low(p + kGuard);
  Float high(p + kGuard);
  mpfr_const_pi(low.get(), MPFR_RNDD);
  mpfr_const_pi(high.get(), MPFR_RNDU);
  return {low.rational(), high.rational()};
}

Maybe square_root(const Rational& x, int p) {
  if (x < 0) {
    return std::nullopt;
  }
  Integer top = sqrt(Integer(numerator(x)));
  Integer bottom = sqrt(Integer(denominator(x)));
  if (top * top == Integer(numerator(x)) && bottom * bottom == Integer(denominator(x))) {
    return Enclosure(Rational(top, bottom));
  }
  return increasing(mpfr_sqrt, x, p);
}

// Beyond 30000 bits it is too large to write down; below 2^-2880 nothing more is said of it. Longer numbers make everything slow
// that they meet, and elements that large or small tell no more than others do.
Maybe exponential(const Rational& x, int p) {
  if (x > 20000) {
    return std::nullopt;
  }
  return x < -2000 ? Maybe(Enclosure(Rational(0), power_of_two(-2880))) : increasing(mpfr_exp, x, p);
}

Maybe logarithm(const Rational& x, int p) { return x <= 0 ? std::nullopt : increasing(mpfr_log, x, p); }

Maybe sine(const Enclosure& x, int p) {
  bool known = x.high - x.low <= 1 && whole_bits(x.low) <= kMostExactBits;
  return known ? wave(mpfr_sin, x, p) : Enclosure(Rational(-1), Rational(1));
}

Maybe cosine(const Enclosure& x, int p) {
  bool known = x.high - x.low <= 1 && whole_bits(x.low) <= kMostExactBits;
  return known ? wave(mpfr_cos, x, p) : Enclosure(Rational(-1), Rational(1));
}

// Steep at 1 and -1: there the enclosure of what is no binary fraction is wider.
Maybe arcsine(const Rational& x, int p) { return abs(x) > 1 ? std::nullopt : increasing(mpfr_asin, x, p); }

Maybe arctangent(const Rational& x, int p) { return increasing(mpfr_atan, x, p); }

Maybe hyperbolic_sine(const Rational& x, int p) { return abs(x) > 20000 ? std::nullopt : increasing(mpfr_sinh, x, p); }

// Even, and increasing from 0.
Maybe hyperbolic_cosine(const Rational& x, int p) { return abs(x) > 20000 ? std::nullopt : increasing(mpfr_cosh, abs(x), p); }

Maybe hyperbolic_tangent(const Rational& x, int p) { return increasing(mpfr_tanh, x, p); }
Maybe area_sine(const Rational& x, int p) { return increasing(mpfr_asinh, x, p); }
Maybe area_cosine(const Rational& x, int p) { return x < 1 ? std::nullopt : increasing(mpfr_acosh, x, p); }
Maybe area_tangent(const Rational& x, int p) { return abs(x) >= 1 ? std::nullopt : increasing(mpfr_atanh, x, p); }
Maybe error_function(const Rational& x, int p) { return increasing(mpfr_erf, x, p); }

}  // namespace vouch::rounded
