// Fractions of machine words against rationals of any length, at the ends of words above all.
#include "term/exact_number.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace vouch {
namespace {

constexpr int kBits = 96;

std::vector<Enclosure> corners() {
  std::vector<Enclosure> out;
  Integer word = Integer(std::numeric_limits<std::int64_t>::max());
  Integer half = Integer(1) << 32;
  std::vector<Integer> numbers{0, 1, 2, 3, 7, half - 1, half, half + 1, word - 1, word, word + 1, word + 2, word * word};
  for (const Integer& top : numbers) {
    for (const Integer& bottom : {Integer(1), Integer(2), Integer(3), Integer(half), Integer(word), Integer(word + 1)}) {
      out.emplace_back(Rational(top, bottom));
      out.emplace_back(Rational(-top, bottom));
    }
  }
  out.emplace_back(Rational(1, 3), Rational(1, 2));
  out.emplace_back(Rational(-1), Rational(1));
  out.emplace_back(Rational(-word), Rational(-1, 7));
  out.push_back(Enclosure::infinity(1));
  out.push_back(Enclosure::infinity(-1));
  return out;
}

std::string shown(const Enclosure& value) {
  return value.infinite != 0 ? to_text(value) : to_text(value.low) + " to " + to_text(value.high);
}

std::string shown(const ExactNumber& value) { return shown(value.enclosure()); }

template <class Number>
std::string shown(const std::optional<Number>& value) {
  return value ? shown(*value) : "none";
}

void expect_alike(const Enclosure& a, const Enclosure& b) {
  ExactNumber x(a);
  ExactNumber y(b);
  std::string both = to_text(a) + " and " + to_text(b);
  EXPECT_EQ(shown(add(x, y, kBits)), shown(add(a, b, kBits))) << both;
  EXPECT_EQ(shown(multiply(x, y, kBits)), shown(multiply(a, b, kBits))) << both;
  EXPECT_EQ(shown(divide(x, y, kBits)), shown(divide(a, b, kBits))) << both;
  EXPECT_EQ(shown(least(x, y)), shown(least(a, b))) << both;
  EXPECT_EQ(shown(greatest(x, y)), shown(greatest(a, b))) << both;
  EXPECT_EQ(less(x, y), less(a, b)) << both;
  EXPECT_EQ(less_equal(x, y), less_equal(a, b)) << both;
  EXPECT_EQ(equal(x, y), equal(a, b)) << both;
  if (x.exact() && x.is_integral() && y.exact() && y.is_integral() && !y.is_zero()) {
    EXPECT_EQ(floor_div(x, y).integer(), floor_div(x.integer(), y.integer())) << both;
    EXPECT_EQ(floor_mod(x, y).integer(), floor_mod(x.integer(), y.integer())) << both;
  }
}

TEST(ExactNumber, ComputesAsEnclosuresDo) {
  std::vector<Enclosure> numbers = corners();
  for (const Enclosure& a : numbers) {
    for (const Enclosure& b : numbers) {
      expect_alike(a, b);
    }
  }
}

TEST(ExactNumber, ComputesAsEnclosuresDoAtRandom) {
  std::mt19937_64 random(7);
  auto draw = [&] {
    auto top = static_cast<std::int64_t>(random()) >> (random() % 63);
    auto bottom = static_cast<std::int64_t>(random() >> (1 + random() % 62)) + 1;
    return Enclosure(Rational(Integer(top), Integer(bottom)));
  };
  for (int k = 0; k < 3000; ++k) {
    expect_alike(draw(), draw());
  }
}

TEST(ExactNumber, IsTheSameNumberThereAndBack) {
  for (const Enclosure& a : corners()) {
    ExactNumber x(a);
    EXPECT_EQ(shown(x), shown(a));
    EXPECT_EQ(shown(negate(x)), shown(negate(a)));
    EXPECT_EQ(x.exact(), a.exact());
    EXPECT_EQ(x.infinite(), a.infinite);
    EXPECT_EQ(x.contains_zero(), a.contains(0));
    EXPECT_EQ(x.is_zero(), a.exact() && a.low == 0);
    EXPECT_EQ(x.word().has_value() && *x.word() == 7, a.exact() && a.low == 7);
    if (x.exact()) {
      EXPECT_EQ(x.is_integral(), is_integral(a.low));
    }
  }
  EXPECT_EQ(ExactNumber(std::numeric_limits<std::int64_t>::min()).integer(), Integer(std::numeric_limits<std::int64_t>::min()));
}

}  // namespace
}  // namespace vouch
