#include "rule/attr_number.h"

#include <cmath>

namespace vouch {
namespace {

// Longer constants, and polynomials of more monomials, are not computed: products and reductions could ask for any length.
constexpr std::size_t kMostBits = 4096;
constexpr std::size_t kMostMonomials = 512;

Term as_real(Term number) { return number.sort() == Sort::Int ? real_of(number) : number; }

bool too_long(const Integer& value) { return value != 0 && msb(Integer(abs(value))) >= kMostBits; }

NumberResult given(Term number) {
  bool constant = is_const(number) && number.sort() != Sort::Bool && !const_int(number);
  if (constant && (too_long(Integer(numerator(number->value))) || too_long(Integer(denominator(number->value))))) {
    return {};
  }
  return {NumberResult::Kind::Number, number};
}

NumberResult not_expressible(std::string_view what) { return {NumberResult::Kind::NotExpressible, {}, what}; }

std::size_t monomial_count(Term integer) { return integer.kind() == TermKind::IntAdd ? integer.args().size() : 1; }

NumberResult truth(bool value) { return given(Term(std::int64_t{value})); }

NumberResult truth(Term guard) { return const_bool(guard) ? truth(*const_bool(guard)) : given(guard); }

// Floors, as Python's `//`: -7 // 2 == -4 and -7 % 2 == 1.
NumberResult integer_division(BinaryOp op, Term a, Term b) {
  if (is_const(b) && b->value == 0) {
    return {};
  }
  if (is_const(b) && b->value < 0 && !is_const(a)) {
    return not_expressible("a floor division by a negative number");
  }
  NumberResult out = given(op == BinaryOp::FloorDiv ? floor_div(a, b) : floor_mod(a, b));
  if (!is_const(b)) {
    out.divisor = b;
  }
  return out;
}

NumberResult on_integers(BinaryOp op, Term a, Term b) {
  switch (op) {
    case BinaryOp::Add: return given(a + b);
    case BinaryOp::Sub: return given(a - b);
    case BinaryOp::Mul:
      return monomial_count(a) * monomial_count(b) > kMostMonomials ? not_expressible("a product of very many terms")
                                                                    : given(a * b);
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod: return integer_division(op, a, b);
    case BinaryOp::Min: return given(int_min(a, b));
    case BinaryOp::Max: return given(int_max(a, b));
    case BinaryOp::Lt: return truth(lt(a, b));
    case BinaryOp::Le: return truth(le(a, b));
    case BinaryOp::Gt: return truth(gt(a, b));
    case BinaryOp::Ge: return truth(ge(a, b));
    case BinaryOp::Divides: {
      NumberResult rest = integer_division(BinaryOp::Mod, b, a);
      if (rest.kind != NumberResult::Kind::Number) {
        return rest;
      }
      NumberResult out = truth(eq(rest.number, 0));
      out.divisor = rest.divisor;
      return out;
    }
    default: return {};
  }
}

// At least one is no integer, so neither is the result, but for rounding.
NumberResult on_constants(BinaryOp op, const Rational& a, const Rational& b) {
  bool integral = is_integral(a) && is_integral(b);
  switch (op) {
    case BinaryOp::Add: return given(real_const(a + b));
    case BinaryOp::Sub: return given(real_const(a - b));
    case BinaryOp::Mul: return given(real_const(a * b));
    case BinaryOp::FloorDiv: return b == 0 ? NumberResult() : given(int_const(floor_of(a / b)));
    case BinaryOp::Mod:
      return b == 0 || !integral ? NumberResult() : given(real_const(Rational(a - b * Rational(floor_of(a / b)))));
    case BinaryOp::Min: return given(real_const(a < b ? a : b));
    case BinaryOp::Max: return given(real_const(a < b ? b : a));
    case BinaryOp::Lt: return truth(a < b);
    case BinaryOp::Le: return truth(a <= b);
    case BinaryOp::Gt: return truth(a > b);
    case BinaryOp::Ge: return truth(a >= b);
    case BinaryOp::Divides:
      return a == 0 || !integral ? NumberResult() : truth(floor_mod(Integer(numerator(b)), Integer(numerator(a))) == 0);
    default: return {};
  }
}

NumberResult on_scalars(BinaryOp op, Term a, Term b) {
  switch (op) {
    case BinaryOp::Add: return given(a + b);
    case BinaryOp::Sub: return given(a - b);
    case BinaryOp::Mul: return given(a * b);
    case BinaryOp::Min: return given(call(Fn::Min, {a, b}));
    case BinaryOp::Max: return given(call(Fn::Max, {a, b}));
    case BinaryOp::Lt: return truth(real_lt(a, b));
    case BinaryOp::Le: return truth(real_le(a, b));
    case BinaryOp::Gt: return truth(real_lt(b, a));
    case BinaryOp::Ge: return truth(real_le(b, a));
    default: return not_expressible("a floor division of scalars");
  }
}

// A quotient of integers is exact: an integer where it is one, if both are known; of open terms a scalar.
NumberResult divided(Term a, Term b) {
  if (is_const(b) && b->value == 0) {
    return {};
  }
  if (!is_const(a) || !is_const(b)) {
    return given(as_real(a) / as_real(b));
  }
  Rational quotient = a->value / b->value;
  bool integer = a.sort() == Sort::Int && b.sort() == Sort::Int && is_integral(quotient);
  return given(integer ? int_const(Integer(numerator(quotient))) : real_const(quotient));
}

NumberResult of_constant(UnaryOp op, const Rational& a) {
  switch (op) {
    case UnaryOp::Neg: return given(real_const(-a));
    case UnaryOp::Abs: return given(real_const(a < 0 ? Rational(-a) : a));
    case UnaryOp::Floor: return given(int_const(floor_of(a)));
    case UnaryOp::Ceil: return given(int_const(-floor_of(-a)));
    default: return {};
  }
}

// A float, rounded as a machine rounds it.
NumberResult square_root(Term a) {
  if (!is_const(a)) {
    return not_expressible("a square root");
  }
  return a->value < 0 ? NumberResult() : given(*AttrValue::of_float(std::sqrt(double_of(a->value))).number());
}

}  // namespace

Term as_guard(Term number) {
  switch (number.sort()) {
    case Sort::Bool: return number;
    case Sort::Int: return ne(number, 0);
    case Sort::Real: return is_const(number) ? bool_const(number->value != 0) : negate(real_eq(number, real_const(0)));
  }
  return number;
}

Term as_number(Term truth) { return truth.sort() == Sort::Bool ? int_select(truth, 1, 0) : truth; }

NumberResult unary_number(UnaryOp op, Term number) {
  if (op == UnaryOp::Not) {
    return truth(negate(as_guard(number)));
  }
  Term a = as_number(number);
  if (op == UnaryOp::Sqrt) {
    return square_root(a);
  }
  if (a.sort() == Sort::Int) {
    return given(op == UnaryOp::Neg ? -a : op == UnaryOp::Abs ? int_max(a, -a) : a);
  }
  if (is_const(a)) {
    return of_constant(op, a->value);
  }
  return op == UnaryOp::Neg ? given(-a) : op == UnaryOp::Abs ? given(call(Fn::Abs, {a})) : not_expressible("a rounded scalar");
}

NumberResult binary_number(BinaryOp op, Term left, Term right) {
  Term a = as_number(left);
  Term b = as_number(right);
  if (op == BinaryOp::Div) {
    return divided(a, b);
  }
  if (a.sort() == Sort::Int && b.sort() == Sort::Int) {
    return on_integers(op, a, b);
  }
  return is_const(a) && is_const(b) ? on_constants(op, a->value, b->value) : on_scalars(op, as_real(a), as_real(b));
}

Term numbers_equal(Term left, Term right) {
  Term a = as_number(left);
  Term b = as_number(right);
  if (a.sort() == Sort::Int && b.sort() == Sort::Int) {
    return eq(a, b);
  }
  a = as_real(a);
  b = as_real(b);
  return a == b ? bool_const(true) : is_const(a) && is_const(b) ? bool_const(a->value == b->value) : real_eq(a, b);
}

Term values_equal(const AttrValue& a, const AttrValue& b) {
  if (a.number() && b.number()) {
    return numbers_equal(*a.number(), *b.number());
  }
  if (!a.tuple() || !b.tuple()) {
    return bool_const(a == b);
  }
  if (a.tuple()->size() != b.tuple()->size()) {
    return bool_const(false);
  }
  std::vector<Term> items;
  for (std::size_t i = 0; i < a.tuple()->size(); ++i) {
    items.push_back(values_equal((*a.tuple())[i], (*b.tuple())[i]));
  }
  return all_of(items);
}

}  // namespace vouch
