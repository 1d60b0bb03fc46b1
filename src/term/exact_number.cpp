#include "term/exact_number.h"

#include <limits>
#include <numeric>

#include "support/fault.h"

namespace vouch {
namespace {

__extension__ typedef __int128 Long;  // NOLINT: an alias cannot be marked as an extension

constexpr Long kMostWord = std::numeric_limits<std::int64_t>::max();

bool is_word(Long value) { return -kMostWord <= value && value <= kMostWord; }

// Of numbers that are not negative; not both 0.
Long gcd_of(Long a, Long b) {
  while (a > kMostWord || b > kMostWord) {
    if (b == 0) {
      return a;
    }
    a %= b;
    std::swap(a, b);
  }
  return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

std::optional<std::int64_t> word_of(const Integer& value) {
  auto word = int64_of(value);
  return word && is_word(*word) ? word : std::nullopt;
}

std::optional<ExactNumber> number_of(const std::optional<Enclosure>& value) {
  return value ? std::optional(ExactNumber(*value)) : std::nullopt;
}

}  // namespace

ExactNumber::ExactNumber(std::int64_t whole) : top_(whole) {
  if (!is_word(whole)) {
    *this = ExactNumber(Integer(whole));
  }
}

ExactNumber::ExactNumber(const Rational& value) {
  auto top = word_of(Integer(numerator(value)));
  auto bottom = top ? word_of(Integer(denominator(value))) : std::nullopt;
  if (bottom) {
    top_ = *top;
    bottom_ = *bottom;
  } else {
    bottom_ = 0;
    wide_ = std::make_shared<const Enclosure>(value);
  }
}

ExactNumber::ExactNumber(const Enclosure& value) {
  if (value.infinite != 0) {
    *this = infinity(value.infinite);
  } else if (value.low == value.high) {
    *this = ExactNumber(value.low);
  } else {
    bottom_ = 0;
    wide_ = std::make_shared<const Enclosure>(value);
  }
}

ExactNumber ExactNumber::infinity(int sign) { return {sign < 0 ? -1 : 1, 0}; }

bool ExactNumber::is_integral() const { return wide_ ? vouch::is_integral(wide_->low) : bottom_ == 1; }

Integer ExactNumber::integer() const { return wide_ ? Integer(numerator(wide_->low)) : Integer(top_); }

Enclosure ExactNumber::enclosure() const {
  if (wide_) {
    return *wide_;
  }
  return bottom_ == 0 ? Enclosure::infinity(static_cast<int>(top_)) : Enclosure(Rational(Integer(top_), Integer(bottom_)));
}

std::int64_t ExactNumber::bits() const {
  auto length = [](const Rational& number) {
    return number == 0 ? 0 : msb(Integer(abs(Integer(numerator(number))))) + msb(Integer(denominator(number)));
  };
  if (wide_) {
    return static_cast<std::int64_t>(length(wide_->low) + (wide_->exact() ? 0 : length(wide_->high)));
  }
  auto log2 = [](std::int64_t x) { return x == 0 ? 0 : 63 - __builtin_clzll(static_cast<std::uint64_t>(x < 0 ? -x : x)); };
  return log2(top_) + log2(bottom_);
}

// The fraction in lowest terms, if words hold it; `bottom` is positive.
std::optional<ExactNumber> ExactNumber::reduced(Long top, Long bottom) {
  if (bottom != 1) {
    Long common = gcd_of(top < 0 ? -top : top, bottom);
    top /= common;
    bottom /= common;
  }
  return is_word(top) && is_word(bottom)
             ? std::optional(ExactNumber(static_cast<std::int64_t>(top), static_cast<std::int64_t>(bottom)))
             : std::nullopt;
}

std::optional<ExactNumber> ExactNumber::product(const ExactNumber& a, std::int64_t top, std::int64_t bottom) {
  return reduced(static_cast<Long>(a.top_) * top, static_cast<Long>(a.bottom_) * bottom);
}

std::optional<ExactNumber> add(const ExactNumber& a, const ExactNumber& b, int bits) {
  if (a.is_fraction() && b.is_fraction()) {
    using Long = ExactNumber::Long;
    // Below 2^127: both products are below 2^126.
    bool alike = a.bottom_ == b.bottom_;
    Long top = alike ? static_cast<Long>(a.top_) + b.top_
                     : static_cast<Long>(a.top_) * b.bottom_ + static_cast<Long>(b.top_) * a.bottom_;
    if (auto sum = ExactNumber::reduced(top, alike ? a.bottom_ : static_cast<Long>(a.bottom_) * b.bottom_)) {
      return sum;
    }
  }
  return number_of(add(a.enclosure(), b.enclosure(), bits));
}

std::optional<ExactNumber> multiply(const ExactNumber& a, const ExactNumber& b, int bits) {
  if (a.is_fraction() && b.is_fraction()) {
    if (auto product = ExactNumber::product(a, b.top_, b.bottom_)) {
      return product;
    }
  }
  return number_of(multiply(a.enclosure(), b.enclosure(), bits));
}

std::optional<ExactNumber> divide(const ExactNumber& a, const ExactNumber& b, int bits) {
  if (a.is_fraction() && b.is_fraction() && b.top_ != 0) {
    bool negative = b.top_ < 0;
    if (auto quotient = ExactNumber::product(a, negative ? -b.bottom_ : b.bottom_, negative ? -b.top_ : b.top_)) {
      return quotient;
    }
  }
  return number_of(divide(a.enclosure(), b.enclosure(), bits));
}

ExactNumber negate(const ExactNumber& a) { return a.wide_ ? ExactNumber(negate(*a.wide_)) : ExactNumber(-a.top_, a.bottom_); }

ExactNumber floor_div(const ExactNumber& a, const ExactNumber& b) {
  return a.bottom_ == 1 && b.bottom_ == 1 ? ExactNumber(floor_div(a.top_, b.top_))
                                          : ExactNumber(floor_div(a.integer(), b.integer()));
}

ExactNumber floor_mod(const ExactNumber& a, const ExactNumber& b) {
  return a.bottom_ == 1 && b.bottom_ == 1 ? ExactNumber(floor_mod(a.top_, b.top_))
                                          : ExactNumber(floor_mod(a.integer(), b.integer()));
}

std::optional<bool> less(const ExactNumber& a, const ExactNumber& b) {
  if (a.is_fraction() && b.is_fraction()) {
    using Long = ExactNumber::Long;
    return static_cast<Long>(a.top_) * b.bottom_ < static_cast<Long>(b.top_) * a.bottom_;
  }
  if (a.infinite() != 0 || b.infinite() != 0) {
    return a.infinite() < b.infinite();
  }
  return less(a.enclosure(), b.enclosure());
}

std::optional<bool> less_equal(const ExactNumber& a, const ExactNumber& b) {
  auto reverse = less(b, a);
  return reverse ? std::optional(!*reverse) : std::nullopt;
}

std::optional<bool> equal(const ExactNumber& a, const ExactNumber& b) {
  if (!a.wide_ && !b.wide_) {
    return a.top_ == b.top_ && a.bottom_ == b.bottom_;
  }
  return equal(a.enclosure(), b.enclosure());
}

ExactNumber least(const ExactNumber& a, const ExactNumber& b) {
  if (a.wide_ && b.wide_) {
    return least(*a.wide_, *b.wide_);
  }
  auto above = less(b, a);
  return above ? (*above ? b : a) : ExactNumber(least(a.enclosure(), b.enclosure()));
}

ExactNumber greatest(const ExactNumber& a, const ExactNumber& b) { return negate(least(negate(a), negate(b))); }

std::string to_text(const ExactNumber& value) { return to_text(value.enclosure()); }

}  // namespace vouch
