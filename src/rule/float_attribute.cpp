#include "rule/float_attribute.h"

#include <algorithm>

#include "rule/attr_eval.h"
#include "tensor/element.h"

namespace vouch {
namespace {

class NothingMatched : public AttrSource {
 public:
  std::optional<AttrValue> access(PatternId /*pattern*/, Symbol /*name*/, const SymbolEnv& /*symbols*/) const override {
    return std::nullopt;
  }
};

// Numbers and what is computed of them: no match can change it.
bool is_of_numbers(const Rule& rule, AttrId attr) {
  const AttrExpr& e = rule.attr(attr);
  switch (e.kind) {
    case AttrKind::Value: return e.value.number() != nullptr;
    case AttrKind::Unary:
    case AttrKind::Binary:
    case AttrKind::Conditional:
      return std::all_of(e.args.begin(), e.args.end(), [&](AttrId arg) { return is_of_numbers(rule, arg); });
    default: return false;
  }
}

}  // namespace

bool is_float_attribute(OpId op, Symbol name) {
  const std::vector<AttrDef>& attributes = op_def(op).attributes;
  return std::any_of(attributes.begin(), attributes.end(), [&](const AttrDef& attr) {
    return attr.name == name.name() && (attr.type == AttrType::Float || attr.type == AttrType::Floats);
  });
}

bool is_float_attribute(const Rule& rule, AttrId attr) {
  const AttrExpr& e = rule.attr(attr);
  if (e.kind == AttrKind::Project) {
    return is_float_attribute(rule, e.args[0]);
  }
  if (e.kind != AttrKind::Access) {
    return false;
  }
  const Pattern& call = rule.pattern(denoted_template(rule, e.pattern));
  return call.kind == PatternKind::Call && call.op && is_float_attribute(*call.op, e.name);
}

std::optional<AttrValue> written_float(const Rule& rule, AttrId attr) {
  if (!is_of_numbers(rule, attr)) {
    return std::nullopt;
  }
  auto value = eval_attr(rule, attr, {}, NothingMatched());
  if (!value || value->number() == nullptr || !is_const(*value->number())) {
    return std::nullopt;
  }
  const Rational& written = (*value->number())->value;
  auto nearest = nearest_element(DType::Float32, written);
  return nearest && *nearest != written ? std::optional(AttrValue(real_const(*nearest))) : std::nullopt;
}

}  // namespace vouch
