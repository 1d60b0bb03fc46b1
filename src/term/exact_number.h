// What exact evaluation computes with: a number or an infinity that is known exactly, or an enclosure of one that is not. Nearly
// all are fractions of machine words, which are kept and computed as such; the rest are enclosures of rationals of any length.
// Which of both a number is never shows in what is computed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "term/enclosure.h"

namespace vouch {

class ExactNumber {
 public:
  ExactNumber() = default;  // 0
  explicit ExactNumber(std::int64_t whole);
  explicit ExactNumber(const Integer& whole) : ExactNumber(Rational(whole)) {}
  ExactNumber(const Rational& value);   // NOLINT: a number is itself
  ExactNumber(const Enclosure& value);  // NOLINT: and what encloses it is how it is known
  static ExactNumber infinity(int sign);

  // -1, 1: minus or plus infinity.
  int infinite() const { return bottom_ == 0 && !wide_ ? static_cast<int>(top_) : 0; }
  bool exact() const { return bottom_ != 0 || (wide_ && wide_->exact()); }
  bool is_zero() const { return bottom_ != 0 && top_ == 0; }
  bool contains_zero() const { return is_zero() || (wide_ && wide_->low.sign() <= 0 && wide_->high.sign() >= 0); }
  // Of an exact number.
  bool is_integral() const;
  // The number, if it is an integer of a machine word.
  std::optional<std::int64_t> word() const { return bottom_ == 1 ? std::optional(top_) : std::nullopt; }
  Integer integer() const;  // of an exact integer
  Enclosure enclosure() const;
  std::int64_t bits() const;  // how long it is to write down

 private:
  friend std::optional<ExactNumber> add(const ExactNumber& a, const ExactNumber& b, int bits);
  friend std::optional<ExactNumber> multiply(const ExactNumber& a, const ExactNumber& b, int bits);
  friend std::optional<ExactNumber> divide(const ExactNumber& a, const ExactNumber& b, int bits);
  friend ExactNumber negate(const ExactNumber& a);
  friend ExactNumber floor_div(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber floor_mod(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber least(const ExactNumber& a, const ExactNumber& b);
  friend std::optional<bool> less(const ExactNumber& a, const ExactNumber& b);
  friend std::optional<bool> equal(const ExactNumber& a, const ExactNumber& b);

  __extension__ typedef __int128 Long;  // NOLINT: an alias cannot be marked as an extension
  ExactNumber(std::int64_t top, std::int64_t bottom) : top_(top), bottom_(bottom) {}
  static std::optional<ExactNumber> reduced(Long top, Long bottom);
  static std::optional<ExactNumber> product(const ExactNumber& a, std::int64_t top, std::int64_t bottom);
  bool is_fraction() const { return bottom_ != 0; }

  // A fraction in lowest terms, its denominator positive, its numerator above -2^63; or an infinity, where the denominator is 0.
  std::int64_t top_ = 0;
  std::int64_t bottom_ = 1;
  std::shared_ptr<const Enclosure> wide_;  // instead, where that is no fraction
};

// As of enclosures (term/enclosure.h).
std::optional<bool> less(const ExactNumber& a, const ExactNumber& b);
std::optional<bool> less_equal(const ExactNumber& a, const ExactNumber& b);
std::optional<bool> equal(const ExactNumber& a, const ExactNumber& b);
std::optional<ExactNumber> add(const ExactNumber& a, const ExactNumber& b, int bits);
std::optional<ExactNumber> multiply(const ExactNumber& a, const ExactNumber& b, int bits);
std::optional<ExactNumber> divide(const ExactNumber& a, const ExactNumber& b, int bits);
ExactNumber negate(const ExactNumber& a);
ExactNumber least(const ExactNumber& a, const ExactNumber& b);
ExactNumber greatest(const ExactNumber& a, const ExactNumber& b);
// Of exact integers; b must not be 0.
ExactNumber floor_div(const ExactNumber& a, const ExactNumber& b);
ExactNumber floor_mod(const ExactNumber& a, const ExactNumber& b);
std::string to_text(const ExactNumber& value);

}  // namespace vouch
