#include "instance/type_classes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "graph/op_table.h"
#include "graph/operand_types.h"
#include "instance/input_options.h"
#include "instance/stores.h"
#include "rule/constant_type.h"
#include "rule/float_attribute.h"
#include "tensor/element.h"

namespace vouch {
namespace {

// Types that operators often give whatever their operands are (int64, bool, bytes) come last in a class, so that they are not
// taken for the type that was chosen.
constexpr std::array<DType, kDTypeCount> kPreferred{
    DType::Float32,      DType::Float64,        DType::Float16,    DType::BFloat16,      DType::Int32,
    DType::Int16,        DType::UInt32,         DType::UInt64,     DType::UInt16,        DType::Int8,
    DType::UInt8,        DType::Int64,          DType::Bool,       DType::Int4,          DType::UInt4,
    DType::Float8E4M3FN, DType::Float8E4M3FNUZ, DType::Float8E5M2, DType::Float8E5M2FNUZ};

bool is_list(const OperandDef& operand) { return operand.domain != OperandDomain::Elements; }

// Indices: taken by calls, and each time where the operator takes signed integers alone.
bool only_indices(const Rule& rule, PatternId id) {
  auto is_output = [&](const std::vector<PatternId>& all) { return std::find(all.begin(), all.end(), id) != all.end(); };
  bool indices = !is_output(rule.source_outputs) && !is_output(rule.target_outputs);
  bool used = false;
  for (const Pattern& user : rule.patterns) {
    for (std::size_t k = 0; k < user.operands.size(); ++k) {
      if (user.operands[k] == id) {
        used = true;
        indices =
            indices && user.kind == PatternKind::Call && user.op && (operand_types(*user.op).of(k) - kSignedIntegers).empty();
      }
    }
  }
  return indices && used;
}

// Of what a constant holds, but for lists of sizes and axes, and for indices, whose types are told apart where they are taken.
bool speaks_of_elements(const Rule& rule) {
  auto holds_elements = [&](PatternId id) { return !only_lists(rule, id) && !only_indices(rule, id); };
  bool constants = false;
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    constants = constants || (rule.pattern(id).kind == PatternKind::Const && holds_elements(id));
  }
  return constants || std::any_of(rule.attrs.begin(), rule.attrs.end(), [&](const AttrExpr& e) {
           return e.kind == AttrKind::Access && e.name == Symbol("value") && holds_elements(e.pattern);
         });
}

// What the rule says otherwise than as the type of one of these constants (`attr t = int64;` is one expression, wherever `t`
// stands).
std::vector<bool> said_elsewhere(const Rule& rule, const std::function<bool(PatternId)>& is_typed) {
  std::vector<bool> said(rule.attrs.size());
  auto note = [&](const std::vector<AttrId>& attrs) {
    std::for_each(attrs.begin(), attrs.end(), [&](AttrId attr) { said[attr] = true; });
  };
  note(rule.constraints);
  for (const AttrExpr& e : rule.attrs) {
    note(e.args);
  }
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    const Pattern& p = rule.pattern(id);
    std::vector<AttrId> held = held_attributes(p);
    auto type = std::find_if(p.attributes.begin(), p.attributes.end(),
                             [](const PatternAttr& attr) { return attr.name == Symbol("dtype"); });
    if (p.kind == PatternKind::Const && type != p.attributes.end() && is_typed(id)) {
      std::erase(held, type->value);
    }
    note(held);
  }
  return said;
}

// The patterns whose element types the rule asks for otherwise than to give a constant the same.
std::vector<PatternId> compared_types(const Rule& rule) {
  std::vector<bool> compared = said_elsewhere(rule, [](PatternId) { return true; });
  std::vector<PatternId> out;
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    const AttrExpr& e = rule.attr(id);
    if (e.kind == AttrKind::Access && e.name == Symbol("dtype") && compared[id]) {
      out.push_back(denoted_template(rule, e.pattern));
    }
  }
  return out;
}

bool is_input(const Pattern& p) {
  return p.kind == PatternKind::Wildcard || p.kind == PatternKind::Variable || p.kind == PatternKind::Const;
}

bool has_type_attribute(OpId op) {
  const std::vector<AttrDef>& attributes = op_def(op).attributes;
  return std::any_of(attributes.begin(), attributes.end(), [](const AttrDef& attr) { return attr.type == AttrType::DType; });
}

// Lists of sizes are of int64, which nothing stands for.
bool may_stand_for_others(Type type) { return type.is_tensor() && type.dtype() != DType::Int64; }

}  // namespace

TypeClasses TypeClasses::apart(const std::vector<DType>& tried) {
  TypeClasses out;
  for (DType type : tried) {
    out.classes_.push_back({type});
  }
  return out;
}

TypeClasses TypeClasses::of(const Rule& rule) {
  TypeClasses out;
  out.classes_ = {{kPreferred.begin(), kPreferred.end()}};
  for (const Pattern& p : rule.patterns) {
    if (p.kind == PatternKind::Call && p.op) {
      const OpDef& def = op_def(*p.op);
      out.tell_apart(*p.op);
      out.mixes_floats_ = out.mixes_floats_ || has_type_attribute(*p.op);
      for (std::size_t k = 0; k < std::min(p.operands.size(), def.operands.size()); ++k) {
        bool list = operand_types(*p.op).sense == TypeSense::Moves && is_list(def.operands[k]);
        if (p.operands[k] != kNone && !(list && only_lists(rule, p.operands[k]))) {
          out.tell_apart(operand_types(*p.op).of(k));
        }
      }
    }
  }
  out.tell_apart_by(rule);
  std::sort(out.classes_.begin(), out.classes_.end(), [](const auto& a, const auto& b) {
    auto at = [](DType type) { return std::find(kPreferred.begin(), kPreferred.end(), type) - kPreferred.begin(); };
    return at(a.front()) < at(b.front());
  });
  return out;
}

// Does a float attribute of what the target makes read a constant? An element of float64 is rounded there.
static bool makes_attribute_of_element(const Rule& rule) {
  std::function<bool(AttrId)> reads = [&](AttrId attr) {
    const AttrExpr& e = rule.attr(attr);
    return (e.kind == AttrKind::Access && e.name == Symbol("value")) || std::any_of(e.args.begin(), e.args.end(), reads);
  };
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    const Pattern& p = rule.pattern(id);
    bool made = p.kind == PatternKind::Call && !rule.in_source[id];
    if (made && std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& attr) {
          return (!p.op || is_float_attribute(*p.op, attr.name)) && reads(attr.value);
        })) {
      return true;
    }
  }
  return false;
}

// What the rule itself says of types, of elements and of numbers.
void TypeClasses::tell_apart_by(const Rule& rule) {
  bool of_elements = speaks_of_elements(rule);
  if (of_elements) {
    tell_apart(kFloats);
    tell_apart(kSignedIntegers);
    tell_apart(kUnsignedIntegers);
  }
  if (makes_attribute_of_element(rule)) {
    tell_apart(TypeSet{DType::Float64});
  }
  for (PatternId compared : compared_types(rule)) {
    // What the target makes is no tensor of the match, whose types the scope holds apart.
    if (!rule.in_source[compared]) {
      tell_all_apart();
    }
    // A list has a type of its own, and a result may: where elements are of it, too, the types are equal.
    if (!is_input(rule.pattern(compared)) || only_lists(rule, compared)) {
      tell_apart(TypeSet{DType::Int64});
    }
    if (only_lists(rule, compared)) {
      tell_apart(TypeSet{DType::Int32});
    }
  }
  // The types of lists are never those of elements.
  std::vector<bool> said = said_elsewhere(rule, [&](PatternId id) { return only_lists(rule, id); });
  for (AttrId id = 0; id < rule.attrs.size(); ++id) {
    const AttrExpr& e = rule.attr(id);
    distinct_ = distinct_ || (e.kind == AttrKind::Access && e.name == Symbol("dtype"));
    if (e.kind != AttrKind::Value || !said[id]) {
      continue;
    }
    if (auto named = e.value.string() ? parse_dtype(*e.value.string()) : std::nullopt) {
      tell_apart(TypeSet{*named});
      mixes_floats_ = mixes_floats_ || is_float(*named);
    }
    if (const Term* number = of_elements ? e.value.number() : nullptr) {
      tell_apart(*number);
    }
  }
}

std::vector<DType> TypeClasses::tried() const {
  std::vector<DType> out;
  for (const std::vector<DType>& one : classes_) {
    out.push_back(one.front());
  }
  return out;
}

TypeSet TypeClasses::of(DType tried) const {
  TypeSet out{tried};
  for (const std::vector<DType>& one : classes_) {
    for (DType type : one.front() == tried ? one : std::vector<DType>()) {
      out = out | TypeSet{type};
    }
  }
  return out;
}

void TypeClasses::tell_apart(TypeSet types) {
  auto is_cut = [&](const std::vector<DType>& one) {
    auto inside = [&](DType type) { return types.contains(type); };
    return !std::all_of(one.begin(), one.end(), inside) && std::any_of(one.begin(), one.end(), inside);
  };
  if (std::none_of(classes_.begin(), classes_.end(), is_cut)) {
    return;
  }
  std::vector<std::vector<DType>> out;
  for (const std::vector<DType>& one : classes_) {
    std::vector<DType> inside;
    std::vector<DType> outside;
    for (DType type : one) {
      (types.contains(type) ? inside : outside).push_back(type);
    }
    for (std::vector<DType>* part : {&inside, &outside}) {
      if (!part->empty()) {
        out.push_back(std::move(*part));
      }
    }
  }
  classes_ = std::move(out);
}

// Types by what the number is in them: floats take it as the nearest that they have.
static const std::vector<TypeSet>& types_by_element(Term number) {
  thread_local std::unordered_map<Term, std::vector<TypeSet>> known;
  auto [at, is_new] = known.try_emplace(number);
  if (is_new) {
    std::map<std::optional<Rational>, TypeSet> elements;
    for (DType type : kPreferred) {
      bool has = has_number(type, number->value);
      auto element = is_float(type) ? nearest_element(type, number->value) : has ? std::optional(number->value) : std::nullopt;
      elements[element] = elements[element] | TypeSet{type};
    }
    for (const auto& [element, types] : elements) {
      at->second.push_back(types);
    }
  }
  return at->second;
}

void TypeClasses::tell_apart(Term number) {
  if (!is_const(number) || number.sort() == Sort::Bool) {
    return;
  }
  for (TypeSet types : types_by_element(number)) {
    tell_apart(types);
  }
}

bool TypeClasses::all_are_apart() const {
  return std::all_of(classes_.begin(), classes_.end(), [](const std::vector<DType>& one) { return one.size() == 1; });
}

void TypeClasses::tell_all_apart() {
  for (DType type : kPreferred) {
    tell_apart(TypeSet{type});
  }
}

void TypeClasses::tell_apart(OpId op) {
  switch (operand_types(op).sense) {
    case TypeSense::Moves:
      if (op_def(op).traits.of_sizes) {
        tell_apart(TypeSet{DType::Int64});  // of which its result is
      }
      return;
    case TypeSense::Each: return tell_all_apart();
    case TypeSense::Fractions:
      for (DType type : kIntegers.types()) {
        tell_apart(TypeSet{type});
      }
      [[fallthrough]];
    case TypeSense::Widths: tell_apart(kNarrowFloats); [[fallthrough]];
    case TypeSense::Kinds:
      tell_apart(kFloats);
      tell_apart(kSignedIntegers);
      tell_apart(kUnsignedIntegers);
      tell_apart(kBool);
      return;
  }
}

void set_types(const TypeClasses& of_rule, const Instance& instance, Scope& scope) {
  scope.distinct_types = of_rule.distinct();
  if (of_rule.all_are_apart()) {
    return;
  }
  TypeClasses classes = of_rule;
  for (const InstanceNode& node : instance.nodes) {
    if (node.kind == InstanceNode::Kind::Call || node.kind == InstanceNode::Kind::Cut) {
      classes.tell_apart(node.op);  // that an operator variable stands for
      for (std::size_t k = 0; k < op_def(node.op).operands.size(); ++k) {
        if (!is_list(op_def(node.op).operands[k])) {
          classes.tell_apart(operand_types(node.op).of(k));
        }
      }
    }
  }
  auto tell_apart_all = [&](const std::optional<std::vector<Term>>& elements) {
    for (Term element : elements.value_or(std::vector<Term>())) {
      classes.tell_apart(element);
    }
  };
  for (const InputTensor& input : instance.inputs) {
    if (may_stand_for_others(input.type)) {
      tell_apart_all(input.fill ? std::vector<Term>{*input.fill} : input.contents);
    }
  }
  for (const InstanceNode& node : instance.nodes) {
    if (node.kind == InstanceNode::Kind::Constant && may_stand_for_others(node.type)) {
      tell_apart_all(node.contents);
    }
  }
  bool converts =
      std::any_of(instance.nodes.begin(), instance.nodes.end(), [](const InstanceNode& node) { return node.converts; });
  auto is_rounded = [](const auto& any) { return any.rounded; };
  bool rounded = std::any_of(instance.inputs.begin(), instance.inputs.end(), is_rounded) ||
                 std::any_of(instance.nodes.begin(), instance.nodes.end(), is_rounded);
  for (DType type : of_rule.tried()) {
    TypeSet others = classes.of(type) | TypeSet{type};
    if (!converts && !rounded && others != TypeSet{type}) {
      scope.stands_for.emplace_back(type, others);
    }
  }
}

}  // namespace vouch
