#include "instance/rank_lifting.h"

#include <algorithm>

#include "graph/op_table.h"
#include "graph/operand_types.h"

namespace vouch {
namespace {

bool is_the_number_zero(const Rule& rule, AttrId id) {
  const AttrExpr& e = rule.attr(id);
  return e.kind == AttrKind::Value && e.value.int64() == 0;
}

// A scalar (`rank = 0`) has no axis, which each axis shows; of elements one number at most is said.
bool is_plain_input(const Rule& rule, const Pattern& p) {
  return std::all_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& attr) {
    const AttrExpr& e = rule.attr(attr.value);
    bool number = e.kind == AttrKind::Value && e.value.number() != nullptr;
    return attr.name == Symbol("dtype") || (attr.name == Symbol("rank") && is_the_number_zero(rule, attr.value)) ||
           (attr.name == Symbol("value") && number);
  });
}

bool is_axiswise(const Rule& rule, const Pattern& p) {
  switch (p.kind) {
    case PatternKind::Wildcard:
    case PatternKind::Variable:
    case PatternKind::Const: return is_plain_input(rule, p);
    case PatternKind::Call: return p.op && !op_def(*p.op).opaque && operand_types(*p.op).axiswise;
    case PatternKind::Tuple: return true;
    case PatternKind::Projection:
    case PatternKind::Variadic:
    case PatternKind::Instance:
    case PatternKind::Alternative:
    case PatternKind::Conditional: return false;
  }
  return false;
}

bool speaks_of_form(const AttrExpr& e) {
  return e.kind == AttrKind::Access &&
         (e.name == Symbol("shape") || e.name == Symbol("rank") || e.name == Symbol("value") || e.name == Symbol("length"));
}

}  // namespace

bool holds_axis_by_axis(const Rule& rule) {
  return rule.ranks.empty() && rule.layouts.empty() &&
         std::all_of(rule.patterns.begin(), rule.patterns.end(), [&](const Pattern& p) { return is_axiswise(rule, p); }) &&
         std::none_of(rule.attrs.begin(), rule.attrs.end(), speaks_of_form);
}

std::uint32_t rank_spoken_of(const Rule& rule) {
  constexpr std::int64_t kUsual = 4;
  constexpr std::int64_t kMost = 6;
  bool asks = false;
  bool beyond = false;
  for (const AttrExpr& e : rule.attrs) {
    std::int64_t number = e.kind == AttrKind::Value ? e.value.int64().value_or(0) : 0;
    asks = asks || (speaks_of_form(e) && e.name != Symbol("value"));
    beyond = beyond || (number > kUsual && number <= kMost);
  }
  return asks && beyond ? static_cast<std::uint32_t>(kMost) : 0;
}

}  // namespace vouch
