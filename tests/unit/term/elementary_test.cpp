#include "term/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "term/print.h"

namespace vouch {
namespace {

double libm(Fn fn, double x, double y) {
  switch (fn) {
    case Fn::Exp: return std::exp(x);
    case Fn::Log: return std::log(x);
    case Fn::Sqrt: return std::sqrt(x);
    case Fn::Tanh: return std::tanh(x);
    case Fn::Erf: return std::erf(x);
    case Fn::Abs: return std::fabs(x);
    case Fn::Sign: return (x > 0) - (x < 0);
    case Fn::Floor: return std::floor(x);
    case Fn::Ceil: return std::ceil(x);
    case Fn::Round: return std::nearbyint(x);
    case Fn::Trunc: return std::trunc(x);
    case Fn::Sin: return std::sin(x);
    case Fn::Cos: return std::cos(x);
    case Fn::Tan: return std::tan(x);
    case Fn::Asin: return std::asin(x);
    case Fn::Acos: return std::acos(x);
    case Fn::Atan: return std::atan(x);
    case Fn::Sinh: return std::sinh(x);
    case Fn::Cosh: return std::cosh(x);
    case Fn::Asinh: return std::asinh(x);
    case Fn::Acosh: return std::acosh(x);
    case Fn::Atanh: return std::atanh(x);
    case Fn::Min: return std::fmin(x, y);
    case Fn::Max: return std::fmax(x, y);
    case Fn::Pow: return std::pow(x, y);
    case Fn::Mod: return x - y * std::floor(x / y);
    case Fn::Fmod: return std::fmod(x, y);
    case Fn::TruncDiv: return std::trunc(x / y);
  }
  return NAN;
}

std::optional<Enclosure> at(Fn fn, const Rational& x, const Rational& y, int bits) {
  std::vector<Enclosure> args{Enclosure(x), Enclosure(y)};
  args.resize(static_cast<std::size_t>(fn_arity(fn)));
  return eval_fn(fn, args, bits);
}

// libm's doubles are off by a few units in the last place; the enclosure must meet them within that.
void expect_near(Fn fn, double x, double y) {
  double expected = libm(fn, x, y);
  auto value = at(fn, rational_of(x), rational_of(y), 80);
  if (!std::isfinite(expected)) {
    EXPECT_FALSE(value.has_value()) << fn_name(fn) << "(" << x << ", " << y << ")";
    return;
  }
  ASSERT_TRUE(value.has_value()) << fn_name(fn) << "(" << x << ", " << y << ") should be " << expected;
  double slack = std::fabs(expected) * 1e-14 + 1e-15;
  EXPECT_LE(double_of(value->low), expected + slack) << fn_name(fn) << "(" << x << ", " << y << ")";
  EXPECT_GE(double_of(value->high), expected - slack) << fn_name(fn) << "(" << x << ", " << y << ")";
  EXPECT_LE(double_of(value->high - value->low), std::fabs(expected) * 1e-20 + 1e-20) << fn_name(fn) << " " << x;
}

TEST(Elementary, AgreesWithTheMathematicalLibrary) {
  std::mt19937 random(7);
  for (int f = 0; f < kFnCount; ++f) {
    for (double x : {0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.5, 2.5, 1e-9, -1e-9, 9.75, -9.75}) {
      expect_near(static_cast<Fn>(f), x, 1.25);
      expect_near(static_cast<Fn>(f), x, -3.0);
    }
    for (int i = 0; i < 8; ++i) {
      expect_near(static_cast<Fn>(f), std::uniform_real_distribution(-12.0, 12.0)(random), 0.75);
      expect_near(static_cast<Fn>(f), std::uniform_real_distribution(-1.0, 1.0)(random), 2.0);
    }
  }
}

TEST(Elementary, MoreBitsGiveNestedNarrowerEnclosures) {
  for (int f = 0; f < kFnCount; ++f) {
    auto coarse = at(static_cast<Fn>(f), Rational(3, 7), Rational(2, 5), 40);
    auto fine = at(static_cast<Fn>(f), Rational(3, 7), Rational(2, 5), 400);
    ASSERT_EQ(coarse.has_value(), fine.has_value());
    if (!coarse || coarse->exact()) {
      continue;
    }
    EXPECT_LE(coarse->low, fine->high) << fn_name(static_cast<Fn>(f));
    EXPECT_LE(fine->low, coarse->high) << fn_name(static_cast<Fn>(f));
    EXPECT_LT(fine->high - fine->low, Rational(Integer(1), Integer(1) << 390)) << fn_name(static_cast<Fn>(f));
    EXPECT_LT(fine->low, fine->high) << "irrational values have no exact rational enclosure";
  }
}

// The first decimals of well-known constants, from tables.
TEST(Elementary, KnownDigits) {
  auto within = [](const std::optional<Enclosure>& value, const char* digits, unsigned places) {
    Rational expected(Integer(digits), pow(Integer(10), places));
    Rational unit(Integer(1), pow(Integer(10), places));
    EXPECT_TRUE(value && value->low >= expected && value->high <= expected + unit) << digits;
  };
  within(at(Fn::Exp, 1, 0, 200), "271828182845904523536028747135266249775724709", 44);
  within(at(Fn::Log, 2, 0, 200), "69314718055994530941723212145817656807550013", 44);
  within(at(Fn::Sqrt, 2, 0, 200), "141421356237309504880168872420969807856967187", 44);
  within(at(Fn::Acos, -1, 0, 200), "314159265358979323846264338327950288419716939", 44);
  within(at(Fn::Erf, 1, 0, 200), "84270079294971486934122063508260925929606699", 44);
  within(at(Fn::Tanh, 1, 0, 200), "76159415595576488811945828260479359041276859", 44);
}

TEST(Elementary, ExactWhereTheValueIsRational) {
  EXPECT_EQ(at(Fn::Sqrt, Rational(9, 16), 0, 10)->low, Rational(3, 4));
  EXPECT_TRUE(at(Fn::Sqrt, Rational(9, 16), 0, 10)->exact());
  EXPECT_TRUE(at(Fn::Exp, 0, 0, 10)->exact());
  EXPECT_EQ(at(Fn::Pow, Rational(-2, 3), -3, 10)->low, Rational(-27, 8));
  EXPECT_EQ(at(Fn::Pow, 0, 0, 10)->low, 1);
  EXPECT_EQ(at(Fn::Pow, 4, Rational(1, 2), 10)->low, 2);
  EXPECT_EQ(at(Fn::Mod, -7, 3, 10)->low, 2);
  EXPECT_EQ(at(Fn::Fmod, -7, 3, 10)->low, -1);
  EXPECT_EQ(at(Fn::TruncDiv, -7, 3, 10)->low, -2);
  EXPECT_EQ(at(Fn::Round, Rational(5, 2), 0, 10)->low, 2);
  EXPECT_EQ(at(Fn::Round, Rational(-7, 2), 0, 10)->low, -4);
}

TEST(Elementary, UndefinedAndHuge) {
  EXPECT_FALSE(at(Fn::Log, 0, 0, 64));
  EXPECT_FALSE(at(Fn::Pow, 0, -1, 64));
  EXPECT_FALSE(at(Fn::Pow, -2, Rational(1, 2), 64));
  EXPECT_FALSE(at(Fn::Exp, 10000000, 0, 64));
  EXPECT_FALSE(at(Fn::Pow, 3, 100000000, 64));
  EXPECT_FALSE(at(Fn::Pow, 3, 20000, 64));  // 31,700 bits, where the largest element has 1,024
  EXPECT_EQ(at(Fn::Pow, 2, 1023, 64)->low, Rational(Integer(Integer(1) << 1023)));
  EXPECT_TRUE(at(Fn::Exp, -10000000, 0, 64));
  EXPECT_LT(at(Fn::Erf, 1000, 0, 64)->low, 1);
}

TEST(Elementary, EnclosuresOfRanges) {
  std::mt19937 random(11);
  auto uniform = [&] { return rational_of(std::uniform_real_distribution(-3.0, 3.0)(random)); };
  for (int i = 0; i < 60; ++i) {
    Rational a = uniform();
    Enclosure range(a, a + abs(uniform()) / 8);
    Rational inside = range.low + (range.high - range.low) * Rational(i % 8, 8);
    for (int f = 0; f < kFnCount; ++f) {
      std::vector<Enclosure> args{range, Enclosure(Rational(3, 4))};
      args.resize(static_cast<std::size_t>(fn_arity(static_cast<Fn>(f))));
      auto whole = eval_fn(static_cast<Fn>(f), args, 64);
      args[0] = inside;
      auto point = eval_fn(static_cast<Fn>(f), args, 64);
      if (whole && point) {
        EXPECT_LE(whole->low, point->high) << fn_name(static_cast<Fn>(f));
        EXPECT_GE(whole->high, point->low) << fn_name(static_cast<Fn>(f));
      }
    }
  }
}

// No binary fractions: the argument is rounded before the function is. The inverse must lead back to an enclosure of the point,
// and the one of more bits lies within that of fewer.
TEST(Elementary, EnclosesAtPointsThatNoFloatHas) {
  const std::pair<Fn, Fn> pairs[] = {{Fn::Log, Fn::Exp},    {Fn::Asin, Fn::Sin},   {Fn::Acos, Fn::Cos},  {Fn::Atan, Fn::Tan},
                                     {Fn::Asinh, Fn::Sinh}, {Fn::Acosh, Fn::Cosh}, {Fn::Atanh, Fn::Tanh}};
  Rational tiny(Integer(1), pow(Integer(10), 40) * 3);
  const Rational points[] = {Rational(1, 3), Rational(-1, 7), Rational(10, 3), 1 - tiny, 1 + tiny, tiny - 1,
                             tiny,           -tiny,           3 + tiny};
  int tried = 0;
  for (auto [inner, outer] : pairs) {
    for (const Rational& x : points) {
      auto coarse = at(inner, x, 0, 64);
      auto fine = at(inner, x, 0, 256);
      if (!coarse || !fine) {
        continue;
      }
      ++tried;
      EXPECT_TRUE(coarse->low <= fine->low && fine->high <= coarse->high) << fn_name(inner) << " " << to_text(x);
      EXPECT_LT(fine->high - fine->low, Rational(Integer(1), Integer(1) << 100)) << fn_name(inner) << " " << to_text(x);
      std::vector<Enclosure> args{*fine};
      auto back = eval_fn(outer, args, 256);
      ASSERT_TRUE(back.has_value()) << fn_name(outer) << " " << to_text(x);
      EXPECT_TRUE(back->contains(x)) << fn_name(outer) << "(" << fn_name(inner) << "(" << to_text(x) << "))";
    }
  }
  EXPECT_GE(tried, 40);
}

}  // namespace
}  // namespace vouch
