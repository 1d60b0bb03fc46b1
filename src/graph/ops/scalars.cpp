#include "graph/ops/scalars.h"

#include <cmath>

#include "support/fault.h"
#include "tensor/element.h"
#include "term/infinity.h"

namespace vouch {

Term real(std::int64_t value) { return real_const(Rational(value)); }

Term real_of_double(double value) {
  ensure(std::isfinite(value), "a finite constant is expected");
  return real_const(rational_of(value));
}

bool is_real(Term scalar, std::int64_t value) { return scalar.kind() == TermKind::RealConst && scalar->value == value; }

Term truth(Term guard) { return select(guard, real(1), real(0)); }

Term is_set(Term scalar) { return negate(real_eq(scalar, real(0))); }

std::optional<Term> scalar_of_double(double value) {
  if (std::isnan(value) || (value == 0 && std::signbit(value))) {
    return std::nullopt;
  }
  return std::isinf(value) ? infinity(value > 0) : real_of_double(value);
}

Term half() { return real_const(Rational(1) / 2); }

Term powered(Term scalar, std::int64_t p) {
  return p == 2 ? square(scalar) : p == 1 ? call(Fn::Abs, {scalar}) : call(Fn::Pow, {call(Fn::Abs, {scalar}), real(p)});
}

Term norm_of(Term sum, std::int64_t p) {
  return p == 2 ? call(Fn::Sqrt, {sum}) : p == 1 ? sum : call(Fn::Pow, {sum, real(1) / real(p)});
}

Term square(Term scalar) { return scalar * scalar; }

Term quotient(DType dtype, Term a, Term b) { return is_float(dtype) ? a / b : call(Fn::TruncDiv, {a, b}); }

Term data_index(Term element, Term n) {
  Term index = int_of(element);
  return int_select(le(0, index), index, index + n);
}

DType wide_dtype(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype; }

Term clamp_index(Term i, Term low, Term high) { return int_min(int_max(i, low), high); }

Term quantised(DType dtype, Term scalar, Term zero_point) {
  ensure(is_integer(dtype) && byte_size(dtype) <= 2, "a type of integers of at most 16 bits is expected");
  return saturated(dtype, call(Fn::Round, {scalar}) + zero_point);
}

Term saturated(DType dtype, Term scalar) {
  NumberRange all = range_of(dtype);
  return call(Fn::Min, {call(Fn::Max, {scalar, real_const(all.low)}), real_const(all.high)});
}

AttrDef float_attribute(std::string_view name, float otherwise) {
  return {.name = name, .type = AttrType::Float, .otherwise = static_cast<double>(otherwise)};
}

}  // namespace vouch
