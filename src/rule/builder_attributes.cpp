// Attribute expressions as they are built.
#include <algorithm>
#include <utility>

#include "rule/builder.h"
#include "rule/float_attribute.h"
#include "support/fault.h"

namespace vouch {

AttrId RuleBuilder::add(AttrExpr attr) {
  for (AttrId arg : attr.args) {
    ensure(arg < rule_.attrs.size(), "an attribute expression is made of earlier ones");
    attr.depth = std::max(attr.depth, rule_.attrs[arg].depth + 1);
    attr.size = std::min(attr.size + rule_.attrs[arg].size, kMaxAttrSize + 1);
  }
  rule_.attrs.push_back(std::move(attr));
  return static_cast<AttrId>(rule_.attrs.size() - 1);
}

static AttrExpr of_kind(AttrKind kind, std::vector<AttrId> args = {}) {
  AttrExpr attr;
  attr.kind = kind;
  attr.args = std::move(args);
  return attr;
}

AttrId RuleBuilder::value(AttrValue value) {
  if (value.tuple()) {
    std::vector<AttrId> items;
    for (const AttrValue& item : *value.tuple()) {
      items.push_back(this->value(item));
    }
    return tuple(std::move(items));
  }
  AttrExpr attr = of_kind(AttrKind::Value);
  attr.value = std::move(value);
  return add(std::move(attr));
}

AttrId RuleBuilder::any() { return add(of_kind(AttrKind::Any)); }

AttrId RuleBuilder::absent() { return add(of_kind(AttrKind::Absent)); }

AttrId RuleBuilder::access(PatternId pattern, std::string_view name) {
  ensure(pattern < rule_.patterns.size(), "an access names an earlier pattern");
  AttrExpr attr = of_kind(AttrKind::Access);
  attr.pattern = pattern;
  attr.name = Symbol(name);
  return add(std::move(attr));
}

static bool is_comparison(BinaryOp op) {
  switch (op) {
    case BinaryOp::Eq:
    case BinaryOp::Ne:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge: return true;
    default: return false;
  }
}

AttrId RuleBuilder::unary(UnaryOp op, AttrId a) {
  AttrExpr attr = of_kind(AttrKind::Unary, {a});
  attr.unary = op;
  return add(std::move(attr));
}

AttrId RuleBuilder::binary(BinaryOp op, AttrId a, AttrId b) {
  if (is_comparison(op)) {
    bool float_first = is_float_attribute(rule_, a);
    b = float_first ? as_float_attribute(b) : b;
    a = !float_first && is_float_attribute(rule_, b) ? as_float_attribute(a) : a;
  }
  AttrExpr attr = of_kind(AttrKind::Binary, {a, b});
  attr.binary = op;
  return add(std::move(attr));
}

AttrId RuleBuilder::tuple(std::vector<AttrId> items) { return add(of_kind(AttrKind::Tuple, std::move(items))); }

AttrId RuleBuilder::project(AttrId tuple, AttrId position) { return add(of_kind(AttrKind::Project, {tuple, position})); }

AttrId RuleBuilder::symbol(std::string_view name) {
  AttrExpr attr = of_kind(AttrKind::Symbol);
  attr.name = Symbol(name);
  return add(std::move(attr));
}

AttrId RuleBuilder::var_tuple(std::string_view index, AttrId length, AttrId body) {
  AttrExpr attr = of_kind(AttrKind::VarTuple, {body});
  attr.name = Symbol(index);
  if (length != kNone) {
    attr.args.push_back(length);
  }
  return add(std::move(attr));
}

AttrId RuleBuilder::reduce(Reduction reduction, std::string_view index, AttrId length, AttrId body) {
  AttrExpr attr = of_kind(AttrKind::Reduce, {body, length});
  attr.reduction = reduction;
  attr.name = Symbol(index);
  return add(std::move(attr));
}

AttrId RuleBuilder::each(std::string_view element, PatternId constant, AttrId body) {
  AttrExpr attr = of_kind(AttrKind::Each, {body, access(constant, "value")});
  attr.name = Symbol(element);
  return add(std::move(attr));
}

AttrId RuleBuilder::conditional(AttrId condition, AttrId then, AttrId otherwise) {
  return add(of_kind(AttrKind::Conditional, {condition, then, otherwise}));
}

AttrId RuleBuilder::with_args(AttrId attr, const std::vector<AttrId>& args) {
  if (rule_.attrs[attr].args == args) {
    return attr;
  }
  AttrExpr other = rule_.attrs[attr];
  other.args = args;
  other.let_name = Symbol();
  return add(std::move(other));
}

// The expression where it is the value of a float attribute; it may stand elsewhere too, and is left as it is there.
AttrId RuleBuilder::as_float_attribute(AttrId attr) {
  const AttrExpr e = rule_.attrs[attr];
  if (e.depth > kMaxAttrDepth || e.size > kMaxAttrSize) {
    return attr;  // `finish` says so
  }
  if (auto number = written_float(rule_, attr)) {
    return at(e.span, value(std::move(*number)));
  }
  if (e.kind != AttrKind::Tuple && e.kind != AttrKind::Conditional) {
    return attr;
  }
  std::vector<AttrId> args = e.args;
  for (std::size_t k = e.kind == AttrKind::Conditional ? 1 : 0; k < args.size(); ++k) {
    args[k] = as_float_attribute(args[k]);
  }
  return with_args(attr, args);
}

AttrId RuleBuilder::at(Span span, AttrId attr) {
  rule_.attrs[attr].span = span;
  return attr;
}

}  // namespace vouch
