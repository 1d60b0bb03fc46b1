#include "rule/constant_type.h"

#include <algorithm>
#include <optional>

#include "graph/op_table.h"
#include "rule/float_attribute.h"

namespace vouch {
namespace {

using Kind = ConstantType::Kind;

ConstantType joined(ConstantType a, ConstantType b) {
  if (a.kind == Kind::Unknown || b.kind == Kind::Unknown) {
    return {};
  }
  return a.kind < b.kind ? b : a;
}

ConstantType type_of_value(const AttrValue& value) {
  if (const AttrTuple* items = value.tuple()) {
    ConstantType out{Kind::Integers};
    for (const AttrValue& item : *items) {
      out = joined(out, type_of_value(item));
    }
    return out;
  }
  if (value.number() == nullptr) {
    return {};
  }
  return {(*value.number()).sort() == Sort::Real ? Kind::Fractions : Kind::Integers};
}

// What every tensor has; an operator's own attribute of the same name wins.
ConstantType type_of_derived(Symbol name) {
  bool size = name == Symbol("shape") || name == Symbol("rank") || name == Symbol("length") || name == Symbol("index");
  return {size ? Kind::Integers : Kind::Unknown};
}

ConstantType type_of_attribute(const Pattern& call, Symbol name) {
  for (const AttrDef& attr : call.op ? op_def(*call.op).attributes : std::vector<AttrDef>()) {
    if (attr.name == name.name()) {
      bool integers = attr.type == AttrType::Int || attr.type == AttrType::Ints || attr.type == AttrType::IntOrInts;
      bool fractions = attr.type == AttrType::Float || attr.type == AttrType::Floats;
      return {integers ? Kind::Integers : fractions ? Kind::Fractions : Kind::Unknown};
    }
  }
  return type_of_derived(name);
}

ConstantType type_of_access(const Rule& rule, const AttrExpr& e) {
  PatternId denoted = denoted_template(rule, e.pattern);
  const Pattern& p = rule.pattern(denoted);
  if (p.kind == PatternKind::Const && e.name == Symbol("value")) {
    return only_lists(rule, denoted) ? ConstantType{Kind::Integers} : ConstantType{Kind::Elements, e.pattern};
  }
  return p.kind == PatternKind::Call ? type_of_attribute(p, e.name) : type_of_derived(e.name);
}

ConstantType type_of_parts(const Rule& rule, const AttrExpr& e, std::size_t from, std::size_t to) {
  ConstantType out{Kind::Integers};
  for (std::size_t k = from; k < to; ++k) {
    out = joined(out, constant_type(rule, e.args[k]));
  }
  return out;
}

ConstantType type_of_unary(const Rule& rule, const AttrExpr& e) {
  switch (e.unary) {
    case UnaryOp::Neg:
    case UnaryOp::Abs: return constant_type(rule, e.args[0]);
    case UnaryOp::Sqrt: return joined({Kind::Fractions}, constant_type(rule, e.args[0]));
    case UnaryOp::Not:
    case UnaryOp::Length:
    case UnaryOp::Ceil:
    case UnaryOp::Floor: return {Kind::Integers};
  }
  return {};
}

ConstantType type_of_binary(const Rule& rule, const AttrExpr& e) {
  switch (e.binary) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod:
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Concat: return type_of_parts(rule, e, 0, 2);
    case BinaryOp::Div: return joined({Kind::Fractions}, type_of_parts(rule, e, 0, 2));
    case BinaryOp::Permute: return constant_type(rule, e.args[0]);
    default: return {Kind::Integers};  // truth values
  }
}

}  // namespace

namespace {

bool is_output(const Rule& rule, PatternId id) {
  auto among = [&](const std::vector<PatternId>& all) { return std::find(all.begin(), all.end(), id) != all.end(); };
  return among(rule.source_outputs) || among(rule.target_outputs);
}

// Is the pattern used, and each time as this says of who uses it and as which operand?
template <class Fits>
bool used_only(const Rule& rule, PatternId id, Fits fits) {
  bool used = false;
  for (PatternId user = 0; user < rule.patterns.size(); ++user) {
    const std::vector<PatternId>& operands = rule.pattern(user).operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == id && !fits(user, k)) {
        return false;
      }
      used = used || operands[k] == id;
    }
  }
  return used && !is_output(rule, id);
}

std::optional<OperandDomain> domain_of(const Pattern& user, std::size_t operand) {
  bool known = user.kind == PatternKind::Call && user.op && operand < op_def(*user.op).operands.size();
  return known ? std::optional(op_def(*user.op).operands[operand].domain) : std::nullopt;
}

// A tuple of which one list of sizes is joined.
bool is_joined_sizes(const Rule& rule, PatternId tuple) {
  return rule.pattern(tuple).kind == PatternKind::Tuple && used_only(rule, tuple, [&](PatternId join, std::size_t) {
           const Pattern& p = rule.pattern(join);
           bool joins = p.kind == PatternKind::Call && p.op && op_def(*p.op).traits.along == Along::Join;
           return joins && used_only(rule, join, [&](PatternId user, std::size_t k) {
                    return domain_of(rule.pattern(user), k) == OperandDomain::Sizes;
                  });
         });
}

}  // namespace

bool only_lists(const Rule& rule, PatternId id) {
  const Pattern& p = rule.pattern(id);
  bool input = p.kind == PatternKind::Const || p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable;
  return input && used_only(rule, id, [&](PatternId user, std::size_t k) {
           auto domain = domain_of(rule.pattern(user), k);
           return (domain && *domain != OperandDomain::Elements) || (p.kind == PatternKind::Const && is_joined_sizes(rule, user));
         });
}

ConstantType constant_type(const Rule& rule, AttrId value) {
  const AttrExpr& e = rule.attr(value);
  switch (e.kind) {
    case AttrKind::Value: return type_of_value(e.value);
    case AttrKind::Access: return type_of_access(rule, e);
    case AttrKind::Unary: return type_of_unary(rule, e);
    case AttrKind::Binary: return type_of_binary(rule, e);
    case AttrKind::Tuple: return type_of_parts(rule, e, 0, e.args.size());
    case AttrKind::Conditional: return type_of_parts(rule, e, 1, e.args.size());
    case AttrKind::Project:
    case AttrKind::VarTuple:
    case AttrKind::Reduce: return constant_type(rule, e.args[0]);
    case AttrKind::Symbol:
    case AttrKind::Axes:
    case AttrKind::Each: return {Kind::Integers};
    case AttrKind::Any:
    case AttrKind::Absent: break;
  }
  return {};
}

}  // namespace vouch
