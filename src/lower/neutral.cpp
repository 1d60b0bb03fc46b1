#include "lower/neutral.h"

namespace vouch::array {
namespace {

bool both_const(const Size& a, const Size& b) { return a->kind == SizeKind::Const && b->kind == SizeKind::Const; }

bool is_index_const(const Index& i, int value) { return i->kind == IndexKind::Extent && is_const(i->size, value); }

}  // namespace

Size neutral_mul(const Size& a, const Size& b) {
  if (is_const(a, 1) || is_const(b, 1)) {
    return is_const(a, 1) ? b : a;
  }
  return both_const(a, b) ? size_const(a->value * b->value) : size_mul(a, b);
}

Size neutral_add(const Size& a, const Size& b) {
  if (is_const(a, 0) || is_const(b, 0)) {
    return is_const(a, 0) ? b : a;
  }
  return both_const(a, b) ? size_const(a->value + b->value) : size_add(a, b);
}

Index index_plus(const Index& a, const Index& b) {
  return is_index_const(a, 0) ? b : is_index_const(b, 0) ? a : index_op(IndexKind::Add, a, b);
}

Index index_minus(const Index& a, const Index& b) { return is_index_const(b, 0) ? a : index_op(IndexKind::Sub, a, b); }

Index index_times(const Index& a, const Index& b) {
  if (is_index_const(a, 0) || is_index_const(b, 1)) {
    return a;
  }
  return is_index_const(b, 0) || is_index_const(a, 1) ? b : index_op(IndexKind::Mul, a, b);
}

Index index_over(const Index& a, const Index& b) { return is_index_const(b, 1) ? a : index_op(IndexKind::Div, a, b); }

}  // namespace vouch::array
