// Exact integers and rationals (Boost.Multiprecision), and the conversions that floats need.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <string>

// What Boost's numbers are made of is compiled once, in number.cpp: each text that computes with them would do so again.
namespace boost {
namespace multiprecision::backends {

using Whole = cpp_int_backend<>;
extern template void divide_unsigned_helper(Whole*, const Whole&, const Whole&, Whole&);
extern template void divide_unsigned_helper(Whole*, const Whole&, limb_type, Whole&);
extern template void add_unsigned(Whole&, const Whole&, const Whole&);
extern template void add_unsigned(Whole&, const Whole&, const limb_type&);
extern template void subtract_unsigned(Whole&, const Whole&, const Whole&);
extern template void subtract_unsigned(Whole&, const Whole&, const limb_type&);
extern template void eval_multiply(Whole&, const Whole&, const Whole&);
extern template void eval_gcd(Whole&, const Whole&, const Whole&);
extern template void eval_gcd(Whole&, const Whole&, limb_type);

}  // namespace multiprecision::backends

extern template class rational<multiprecision::number<multiprecision::cpp_int_backend<>>>;

}  // namespace boost

namespace vouch {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
using Rational = boost::multiprecision::number<boost::multiprecision::rational_adaptor<boost::multiprecision::cpp_int_backend<>>,
                                               boost::multiprecision::et_off>;

// Floor division and its remainder: `a == b * floor_div(a, b) + floor_mod(a, b)`; b must not be 0.
Integer floor_div(const Integer& a, const Integer& b);
Integer floor_mod(const Integer& a, const Integer& b);
std::int64_t floor_div(std::int64_t a, std::int64_t b);
std::int64_t floor_mod(std::int64_t a, std::int64_t b);

Integer floor_of(const Rational& value);
bool is_integral(const Rational& value);
// As `==`, `*` and `+`, at a fraction of their price where numbers are whole: Boost compares rationals by Euclid's algorithm and
// reduces each result.
bool is_zero(const Rational& value);
bool is_one(const Rational& value);
Rational times(const Rational& a, const Rational& b);
Rational plus(const Rational& a, const Rational& b);
// The exact value of a finite double; the argument must be finite.
Rational rational_of(double value);
double double_of(const Rational& value);
std::optional<std::int64_t> int64_of(const Integer& value);
// `7`, `-3/4`.
std::string to_text(const Rational& value);

}  // namespace vouch
