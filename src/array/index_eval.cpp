#include "array/index_eval.h"

#include "support/fault.h"

namespace vouch::array {

std::optional<Integer> index_value(const Index& index, const IndexValues& values) {
  if (index->kind == IndexKind::Var) {
    return values.variable(index->var);
  }
  if (index->kind == IndexKind::Extent) {
    return size_value(index->size, values.sizes);
  }
  std::optional<Integer> a = index_value(index->args[0], values);
  std::optional<Integer> b = index_value(index->args[1], values);
  bool divides = index->kind == IndexKind::Div || index->kind == IndexKind::Mod;
  if (!a || !b || (divides && *b == 0)) {
    return std::nullopt;
  }
  switch (index->kind) {
    case IndexKind::Add: return Integer(*a + *b);
    case IndexKind::Sub: return Integer(*a - *b);
    case IndexKind::Mul: return Integer(*a * *b);
    case IndexKind::Div: return Integer(*a / *b);
    case IndexKind::Mod: return Integer(*a % *b);
    case IndexKind::Var:
    case IndexKind::Extent: break;
  }
  fault("no such index term");
}

std::optional<bool> guard_value(const Guard& guard, const IndexValues& values) {
  if (guard->kind == GuardKind::Less || guard->kind == GuardKind::Equal) {
    std::optional<Integer> a = index_value(guard->terms[0], values);
    std::optional<Integer> b = index_value(guard->terms[1], values);
    return !a || !b ? std::nullopt : std::optional(guard->kind == GuardKind::Less ? *a < *b : *a == *b);
  }
  std::optional<bool> first = guard_value(guard->parts[0], values);
  if (!first || guard->kind == GuardKind::Not) {
    return first ? std::optional(!*first) : std::nullopt;
  }
  bool decided = *first == (guard->kind == GuardKind::Or);
  return decided ? first : guard_value(guard->parts[1], values);
}

}  // namespace vouch::array
