#include "rule/value_sort.h"

#include <set>
#include <string>

namespace vouch {
namespace {

ValueSort sort_of_value(const AttrValue& value) {
  if (value.number()) {
    return value.number()->sort() == Sort::Real ? ValueSort::Real : ValueSort::Int;
  }
  return value.string() ? ValueSort::Text : value.tuple() ? ValueSort::Tuple : ValueSort::Unknown;
}

ValueSort sort_of_access(const AttrExpr& expr) {
  static const std::set<std::string, std::less<>> kInts = {"rank", "length", "index"};
  const std::string& name = expr.name.name();
  return kInts.contains(name) ? ValueSort::Int
         : name == "shape"    ? ValueSort::Tuple
         : name == "dtype"    ? ValueSort::Text
                              : ValueSort::Unknown;
}

}  // namespace

ValueSort sort_of(const Rule& rule, AttrId id) {
  const AttrExpr& expr = rule.attr(id);
  switch (expr.kind) {
    case AttrKind::Value: return sort_of_value(expr.value);
    case AttrKind::Access:
      return rule.pattern(expr.pattern).kind == PatternKind::Call ? ValueSort::Unknown : sort_of_access(expr);
    case AttrKind::Tuple:
    case AttrKind::VarTuple:
    case AttrKind::Axes: return ValueSort::Tuple;
    case AttrKind::Symbol: return ValueSort::Int;
    case AttrKind::Unary:
      return expr.unary == UnaryOp::Length || expr.unary == UnaryOp::Not ? ValueSort::Int
             : expr.unary == UnaryOp::Neg                                ? sort_of(rule, expr.args[0])
                                                                         : ValueSort::Unknown;
    case AttrKind::Binary:
      return expr.binary == BinaryOp::Concat || expr.binary == BinaryOp::Permute ? ValueSort::Tuple : ValueSort::Unknown;
    case AttrKind::Any:
    case AttrKind::Absent:
    case AttrKind::Project:
    case AttrKind::Reduce:
    case AttrKind::Each:
    case AttrKind::Conditional: return ValueSort::Unknown;
  }
  return ValueSort::Unknown;
}

std::string_view sort_words(ValueSort sort) {
  switch (sort) {
    case ValueSort::Int: return "an integer";
    case ValueSort::Real: return "a fractional number";
    case ValueSort::Text: return "a text";
    case ValueSort::Tuple: return "a tuple";
    case ValueSort::Unknown: break;
  }
  return "a value";
}

Expected expected_of(AttrType type) {
  switch (type) {
    case AttrType::Int: return {"an integer", ValueSort::Int, ValueSort::Unknown};
    case AttrType::Float: return {"a number", ValueSort::Real, ValueSort::Unknown};
    case AttrType::String: return {"a text", ValueSort::Text, ValueSort::Unknown};
    case AttrType::DType: return {"an element type", ValueSort::Text, ValueSort::Unknown};
    case AttrType::Ints: return {"a tuple of integers", ValueSort::Tuple, ValueSort::Int};
    case AttrType::Floats: return {"a tuple of numbers", ValueSort::Tuple, ValueSort::Real};
    case AttrType::Strings: return {"a tuple of texts", ValueSort::Tuple, ValueSort::Text};
    case AttrType::Tuple: return {"a tuple", ValueSort::Tuple, ValueSort::Unknown};
    case AttrType::IntOrInts:
    case AttrType::Tensor:
    case AttrType::Graph: break;
  }
  return {"a value", ValueSort::Unknown, ValueSort::Unknown};
}

bool admits(ValueSort wanted, ValueSort found) {
  return wanted == ValueSort::Unknown || found == ValueSort::Unknown || wanted == found ||
         (wanted == ValueSort::Real && found == ValueSort::Int);
}

}  // namespace vouch
