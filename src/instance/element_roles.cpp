#include <algorithm>

#include "graph/factors.h"
#include "instance/input_options.h"

namespace vouch {
namespace {

ElementRole role_of_operand(const OpDef& def, std::size_t operand) {
  if (operand >= def.operands.size()) {
    return ElementRole::Opaque;
  }
  switch (def.operands[operand].domain) {
    case OperandDomain::Elements: return ElementRole::Opaque;
    case OperandDomain::List: return def.traits.lists_alike ? ElementRole::List : ElementRole::Pairs;
    case OperandDomain::Steps: return ElementRole::Steps;
    case OperandDomain::Sizes: return ElementRole::Shape;
    case OperandDomain::Axes:
    case OperandDomain::NewAxes:
    case OperandDomain::OrderedAxes: return ElementRole::Axes;
  }
  return ElementRole::Opaque;
}

// Constants that are joined to a list of sizes are lists of sizes.
void raise_joined_sizes(const Rule& rule, std::vector<ElementRole>& roles) {
  for (auto user = rule.source_order.rbegin(); user != rule.source_order.rend(); ++user) {  // users come after their operands
    const Pattern& p = rule.pattern(*user);
    bool joins = p.kind == PatternKind::Call && p.op && op_def(*p.op).traits.along == Along::Join && p.operands[0] != kNone;
    if (!joins || roles[*user] != ElementRole::Shape || rule.pattern(p.operands[0]).kind != PatternKind::Tuple) {
      continue;
    }
    for (PatternId item : rule.pattern(p.operands[0]).operands) {
      const PatternKind kind = rule.pattern(item).kind;
      if (kind == PatternKind::Const || kind == PatternKind::Call) {
        roles[item] = std::max(roles[item], ElementRole::Shape);
      }
    }
  }
}

}  // namespace

std::vector<ElementRole> element_roles(const Rule& rule) {
  std::vector<ElementRole> roles(rule.patterns.size(), ElementRole::Opaque);
  auto raise = [&](PatternId id, ElementRole role) { roles[id] = std::max(roles[id], role); };
  for (const Pattern& p : rule.patterns) {
    if (p.kind == PatternKind::Call && p.op) {
      for (std::size_t k = 0; k < p.operands.size(); ++k) {
        if (p.operands[k] == kNone) {
          continue;
        }
        raise(p.operands[k], takes_factors(*p.op, k) ? ElementRole::Factors : role_of_operand(op_def(*p.op), k));
      }
    }
  }
  raise_joined_sizes(rule, roles);
  // What is said of every element needs none of them known.
  std::vector<bool> of_every(rule.attrs.size());
  for (const AttrExpr& e : rule.attrs) {
    if (e.kind == AttrKind::Each) {
      of_every[e.args[1]] = true;
    }
  }
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    const AttrExpr& e = rule.attr(id);
    if (e.kind == AttrKind::Access && e.name == Symbol("value") && !of_every[id]) {
      raise(e.pattern, ElementRole::Accessed);
    }
  }
  return roles;
}

}  // namespace vouch
