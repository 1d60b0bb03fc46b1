#include "array/size.h"

#include "support/fault.h"

namespace vouch::array {

Size size_var(unsigned number) { return Size({SizeKind::Var, number, {}, {}}); }
Size size_const(const Integer& value) { return Size({SizeKind::Const, 0, value, {}}); }
Size size_add(const Size& a, const Size& b) { return Size({SizeKind::Add, 0, {}, {a, b}}); }
Size size_mul(const Size& a, const Size& b) { return Size({SizeKind::Mul, 0, {}, {a, b}}); }

bool is_const(const Size& size, int value) { return size->kind == SizeKind::Const && size->value == value; }

Term size_term(const Size& size) {
  switch (size->kind) {
    case SizeKind::Var: return int_var("s" + std::to_string(size->var));
    case SizeKind::Const: return int_const(size->value);
    case SizeKind::Add: return size_term(size->args[0]) + size_term(size->args[1]);
    case SizeKind::Mul: return size_term(size->args[0]) * size_term(size->args[1]);
  }
  fault("no such size");
}

bool same_size(const Size& a, const Size& b) { return a == b || size_term(a) == size_term(b); }

Size worked_out(const Size& size) {
  Term term = size_term(size);
  return term.kind() == TermKind::IntConst ? size_const(numerator(term->value)) : size;
}

bool coefficients_nonnegative(Term polynomial) {
  for (const Monomial& monomial : monomials(polynomial)) {
    if (monomial.coefficient < 0) {
      return false;
    }
  }
  return true;
}

bool term_nonnegative(const std::vector<SizeFact>& facts, Term polynomial) {
  if (coefficients_nonnegative(polynomial)) {
    return true;
  }
  for (const auto& [low, high] : facts) {
    if (coefficients_nonnegative(polynomial - (size_term(high) - size_term(low)))) {
      return true;
    }
  }
  return false;
}

bool size_at_most(const std::vector<SizeFact>& facts, const Size& a, const Size& b) {
  return term_nonnegative(facts, size_term(b) - size_term(a));
}

Integer size_value(const Size& size, const std::vector<Integer>& values) {
  switch (size->kind) {
    case SizeKind::Var: return values.at(size->var);
    case SizeKind::Const: return size->value;
    case SizeKind::Add: return size_value(size->args[0], values) + size_value(size->args[1], values);
    case SizeKind::Mul: return size_value(size->args[0], values) * size_value(size->args[1], values);
  }
  fault("no such size");
}

std::string print_size(const Size& size, const std::vector<std::string>& names) {
  switch (size->kind) {
    case SizeKind::Var: return names.at(size->var);
    case SizeKind::Const: return size->value.str();
    case SizeKind::Add: {
      std::string right = print_size(size->args[1], names);
      bool group = size->args[1]->kind == SizeKind::Add;
      return print_size(size->args[0], names) + " + " + (group ? "(" + right + ")" : right);
    }
    case SizeKind::Mul: {
      std::string left = print_size(size->args[0], names);
      std::string right = print_size(size->args[1], names);
      bool group_left = size->args[0]->kind == SizeKind::Add;
      bool group_right = size->args[1]->kind == SizeKind::Add || size->args[1]->kind == SizeKind::Mul;
      return (group_left ? "(" + left + ")" : left) + " * " + (group_right ? "(" + right + ")" : right);
    }
  }
  fault("no such size");
}

}  // namespace vouch::array
