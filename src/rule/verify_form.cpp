#include <fmt/format.h>

#include <algorithm>

#include "rule/axes.h"
#include "rule/foreign.h"
#include "rule/report.h"
#include "rule/value_sort.h"
#include "rule/verify.h"

namespace vouch {
namespace {

enum class Shape : std::uint8_t { Unknown, Tensor, Tuple };

// Whether a pattern stands for a tensor or a tuple, as far as its form tells.
Shape shape_of(const Rule& rule, PatternId id) {
  const Pattern& p = rule.pattern(id);
  switch (p.kind) {
    case PatternKind::Const:
    case PatternKind::Variable: return Shape::Tensor;
    case PatternKind::Tuple:
    case PatternKind::Variadic: return Shape::Tuple;
    case PatternKind::Call: return !p.op ? Shape::Unknown : op_def(*p.op).several_results ? Shape::Tuple : Shape::Tensor;
    case PatternKind::Wildcard: return p.attributes.empty() ? Shape::Unknown : Shape::Tensor;
    case PatternKind::Projection:
    case PatternKind::Instance:
    case PatternKind::Alternative:
    case PatternKind::Conditional: return Shape::Unknown;
  }
  return Shape::Unknown;
}

std::string tensor_attribute_hint(const std::string& name, const std::vector<std::string>& known, std::string_view what) {
  std::string_view meant = tensor_attribute_meant_by(name);
  return meant.empty() ? RuleReport::did_you_mean(name, known, what) : std::string(meant);
}

class FormCheck {
 public:
  FormCheck(const Rule& rule, Diagnostics& diagnostics) : rule_(rule), report_(rule, diagnostics) {}

  void check(PatternId id, bool in_target) {
    const Pattern& p = rule_.pattern(id);
    check_repeated(p);
    switch (p.kind) {
      case PatternKind::Wildcard:
      case PatternKind::Variable: check_tensor_attributes(p, {"dtype", "rank", "shape"}); break;
      case PatternKind::Const: check_tensor_attributes(p, {"dtype", "rank", "shape", "value"}); break;
      case PatternKind::Call: check_call(p, in_target); break;
      case PatternKind::Projection: check_projection(p); break;
      case PatternKind::Tuple:
      case PatternKind::Variadic:
      case PatternKind::Instance:
      case PatternKind::Alternative:
      case PatternKind::Conditional: break;
    }
  }

  void check_attr(AttrId id) {
    const AttrExpr& expr = rule_.attr(id);
    if (expr.kind == AttrKind::Access) {
      check_access(expr);
    }
    const AxisLayout* layout = expr.kind == AttrKind::Axes ? layout_of(rule_, expr.pattern) : nullptr;
    if (expr.kind == AttrKind::Axes && (layout == nullptr || !role_in(rule_, *layout, expr.name))) {
      report_.error(expr.span, fmt::format("{} has no role '{}'", pattern_words(rule_, expr.pattern), expr.name.name()));
    }
    check_comparison(expr);
    // Only the innermost that is too deep or too large is reported.
    if (expr.depth == kMaxAttrDepth + 1) {
      report_.error(expr.span, fmt::format("this attribute expression is deeper than {} levels", kMaxAttrDepth));
    } else if (expr.size > kMaxAttrSize && std::all_of(expr.args.begin(), expr.args.end(),
                                                       [&](AttrId arg) { return rule_.attr(arg).size <= kMaxAttrSize; })) {
      report_.error(expr.span, fmt::format("this attribute expression has more than {} parts when written out", kMaxAttrSize));
    }
  }

 private:
  void check_repeated(const Pattern& p) {
    for (std::size_t k = 1; k < p.attributes.size(); ++k) {
      if (p.attributes[k].name == p.attributes[k - 1].name) {
        report_.error(p.attributes[k].span, fmt::format("the attribute '{}' is given twice", p.attributes[k].name.name()));
      }
    }
  }

  void check_tensor_attributes(const Pattern& p, const std::vector<std::string>& known) {
    for (const PatternAttr& attr : p.attributes) {
      const std::string& name = attr.name.name();
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        std::string_view what = p.kind == PatternKind::Wildcard   ? "a wildcard"
                                : p.kind == PatternKind::Variable ? "a variable"
                                                                  : "a constant";
        report_.error(attr.span, fmt::format("{} has no attribute '{}'", what, name),
                      tensor_attribute_hint(name, known, "its attributes"));
        continue;
      }
      if (rule_.attr(attr.value).kind == AttrKind::Absent) {
        report_.error(rule_.attr(attr.value).span,
                      fmt::format("every tensor has '{}'; only attributes of calls can be absent", name));
        continue;
      }
      if (name != "value") {
        check_value(name == "rank"    ? AttrType::Int
                    : name == "dtype" ? AttrType::DType
                                      : AttrType::Ints,
                    attr, fmt::format("the attribute '{}'", name));
      }
      if (name == "rank" || name == "shape") {
        check_axes(attr);
      }
    }
  }

  // What is written out as a number of axes is one.
  void check_axes(const PatternAttr& attr) {
    const AttrExpr& expr = rule_.attr(attr.value);
    bool number = expr.kind == AttrKind::Value && expr.value.number() && is_const(*expr.value.number());
    Rational axes = number ? (*expr.value.number())->value : Rational(expr.kind == AttrKind::Tuple ? expr.args.size() : 0);
    if (axes < 0 || axes > kMaxRank) {
      report_.error(expr.span, fmt::format("a tensor has 0 to {} axes, found {}", kMaxRank, to_text(axes)));
    }
  }

  // Texts are compared with texts only, so an element type that there is not would be a condition that never holds.
  void check_comparison(const AttrExpr& expr) {
    bool compares = expr.kind == AttrKind::Binary && (expr.binary == BinaryOp::Eq || expr.binary == BinaryOp::Ne);
    for (std::size_t k = 0; compares && k < 2; ++k) {
      const AttrExpr& type = rule_.attr(expr.args[k]);
      const AttrExpr& text = rule_.attr(expr.args[1 - k]);
      if (type.kind == AttrKind::Access && type.name.name() == "dtype" && text.kind == AttrKind::Value && text.value.string()) {
        check_dtype(text);
      }
    }
  }

  void check_dtype(const AttrExpr& value) {
    const std::string& name = *value.value.string();
    if (!parse_dtype(name)) {
      std::string meant = dtype_meant_by(name);
      report_.error(value.span, fmt::format("there is no element type \"{}\"", name),
                    meant.empty() ? RuleReport::did_you_mean(name, dtype_names(), "element types") : meant);
    }
  }

  void check_value(AttrType type, const PatternAttr& attr, const std::string& what) {
    Expected expected = expected_of(type);
    const AttrExpr& expr = rule_.attr(attr.value);
    ValueSort found = sort_of(rule_, attr.value);
    if (!admits(expected.sort, found)) {
      report_.error(expr.span, fmt::format("{} must be {}, found {}", what, expected.words, sort_words(found)),
                    type == AttrType::DType && found == ValueSort::Tuple
                        ? "one of several is a condition: where x.dtype == float32 or x.dtype == float64;"
                    : type == AttrType::DType                                        ? "element types are plain words: float32"
                    : found != ValueSort::Tuple && expected.sort == ValueSort::Tuple ? "a tuple of one item is written (a,)"
                                                                                     : "");
      return;
    }
    if (type == AttrType::DType && expr.kind == AttrKind::Value) {
      check_dtype(expr);
    }
    for (AttrId item : expr.kind == AttrKind::Tuple ? expr.args : std::vector<AttrId>()) {
      if (!admits(expected.item, sort_of(rule_, item))) {
        report_.error(rule_.attr(item).span,
                      fmt::format("{} must be {}, found {} in it", what, expected.words, sort_words(sort_of(rule_, item))));
      }
    }
  }

  static std::vector<std::string> dtype_names() {
    std::vector<std::string> names;
    for (int i = 0; i < kDTypeCount; ++i) {
      names.emplace_back(dtype_name(static_cast<DType>(i)));
    }
    return names;
  }

  void check_call(const Pattern& p, bool in_target) {
    if (!p.op) {
      return check_attributes_of_any(p);
    }
    const OpDef& def = op_def(*p.op);
    check_operand_count(p, def);
    for (std::size_t k = 0; k < p.operands.size() && k < def.operands.size(); ++k) {
      check_operand(p, def, k);
    }
    for (const PatternAttr& attr : p.attributes) {
      auto declared = std::find_if(def.attributes.begin(), def.attributes.end(),
                                   [&](const AttrDef& d) { return d.name == attr.name.name(); });
      if (declared == def.attributes.end()) {
        report_unknown(attr, def);
      } else {
        check_value(declared->type, attr, fmt::format("the attribute '{}' of {}", attr.name.name(), def.name));
        check_absence(attr, *declared, def);
      }
    }
    if (in_target && p.attributes_as == kNone) {
      check_required(p, def);
    }
    if (p.attributes_as != kNone) {
      check_attributes_as(p);
    }
  }

  void report_unknown(const PatternAttr& attr, const OpDef& def) {
    const std::string& name = attr.name.name();
    std::vector<std::string> known;
    for (const AttrDef& declared : def.attributes) {
      known.emplace_back(declared.name);
    }
    std::vector<std::string_view> operands;
    for (const OperandDef& operand : def.operands) {
      operands.push_back(operand.name);
    }
    bool is_operand = std::find(operands.begin(), operands.end(), name) != operands.end();
    report_.error(attr.span, fmt::format("{} has no attribute '{}'", def.name, name),
                  is_operand ? fmt::format("it is an operand: {}({})", def.name, fmt::join(operands, ", "))
                             : RuleReport::did_you_mean(name, known, "its attributes"));
  }

  // Whether an attribute can be absent, its operator says.
  void check_attributes_of_any(const Pattern& p) {
    for (const PatternAttr& attr : p.attributes) {
      if (rule_.attr(attr.value).kind == AttrKind::Absent) {
        report_.error(rule_.attr(attr.value).span,
                      fmt::format("'{}' may be of an operator that has no such attribute, or needs it", attr.name.name()),
                      "name the operator, or leave the attribute out");
      }
    }
  }

  void check_absence(const PatternAttr& attr, const AttrDef& declared, const OpDef& def) {
    if (rule_.attr(attr.value).kind == AttrKind::Absent && std::holds_alternative<Required>(declared.otherwise)) {
      report_.error(rule_.attr(attr.value).span,
                    fmt::format("the attribute '{}' of {} has no default: every call gives it", declared.name, def.name));
    }
  }

  void check_operand_count(const Pattern& p, const OpDef& def) {
    auto needed = static_cast<std::size_t>(
        std::count_if(def.operands.begin(), def.operands.end(), [](const auto& o) { return o.kind != OperandKind::Optional; }));
    std::size_t most = def.operands.size();
    std::size_t found = p.operands.size();
    if (found >= needed && found <= most) {
      return;
    }
    std::string expected = needed == most ? std::to_string(needed) : fmt::format("{} to {}", needed, most);
    std::vector<std::string_view> names;
    for (const OperandDef& operand : def.operands) {
      names.push_back(operand.name);
    }
    bool wants_tuple = most == 1 && def.operands[0].kind == OperandKind::Tuple;
    report_.error(p.span, fmt::format("{} takes {} operand{}, found {}", def.name, expected, most == 1 ? "" : "s", found),
                  wants_tuple     ? fmt::format("its operand is one tuple: {}((a, b))", def.name)
                  : names.empty() ? "a number or 'const {value = …}' is a constant; its value is no operand"
                                  : fmt::format("its operands: {}", fmt::join(names, ", ")));
  }

  void check_operand(const Pattern& p, const OpDef& def, std::size_t k) {
    const OperandDef& declared = def.operands[k];
    PatternId operand = p.operands[k];
    if (operand == kNone) {
      if (declared.kind != OperandKind::Optional) {
        report_.error(p.span, fmt::format("operand {} ({}) of {} cannot be absent", k + 1, declared.name, def.name));
      }
      return;
    }
    Shape found = shape_of(rule_, operand);
    if (declared.kind == OperandKind::Tuple && found == Shape::Tensor) {
      report_.error(rule_.pattern(operand).span,
                    fmt::format("operand {} ({}) of {} must be a tuple, found a tensor", k + 1, declared.name, def.name),
                    "a tuple of one item is written (p,)");
    } else if (declared.kind != OperandKind::Tuple && found == Shape::Tuple) {
      report_.error(
          rule_.pattern(operand).span,
          fmt::format("operand {} ({}) of {} must be a tensor, found a tuple", k + 1, declared.name, def.name),
          of_constants(operand) ? "a constant of these numbers is written const {value = (2, 3)}" : "take an item of it: p[0]");
    }
  }

  // `(2, 3)` among operands.
  bool of_constants(PatternId tuple) const {
    const Pattern& p = rule_.pattern(tuple);
    return p.kind == PatternKind::Tuple && !p.operands.empty() &&
           std::all_of(p.operands.begin(), p.operands.end(),
                       [&](PatternId item) { return item != kNone && rule_.pattern(item).kind == PatternKind::Const; });
  }

  void check_required(const Pattern& p, const OpDef& def) {
    for (const AttrDef& attr : def.attributes) {
      bool given =
          std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name.name() == attr.name; });
      if (std::holds_alternative<Required>(attr.otherwise) && !given) {
        report_.error(p.span, fmt::format("{} needs the attribute '{}', which has no default", def.name, attr.name),
                      "the target has to say every attribute without a default");
      }
    }
  }

  void check_attributes_as(const Pattern& p) {
    PatternId meant = denoted_variadic(rule_, p.attributes_as);
    const Pattern& call = rule_.pattern(meant);
    if (call.kind != PatternKind::Call || call.op != p.op || call.op_variable != p.op_variable) {
      report_.error(p.span,
                    fmt::format("'* as' copies all attributes of {}, which is no call of the same operator",
                                pattern_words(rule_, p.attributes_as)),
                    "name the attributes: a, b as p");
    }
  }

  void check_projection(const Pattern& p) {
    if (shape_of(rule_, p.operands[0]) == Shape::Tensor) {
      report_.error(p.span, fmt::format("{} is a tensor, which has no items", pattern_words(rule_, p.operands[0])),
                    "only tuples are projected from");
    }
    if (sort_of(rule_, p.attributes[0].value) != ValueSort::Unknown && sort_of(rule_, p.attributes[0].value) != ValueSort::Int) {
      report_.error(rule_.attr(p.attributes[0].value).span, "the position of an item must be an integer");
    }
  }

  void check_access(const AttrExpr& expr) {
    const Pattern& p = rule_.pattern(denoted_variadic(rule_, expr.pattern));
    std::vector<std::string> known = {"shape", "rank", "dtype", "length"};
    switch (p.kind) {
      case PatternKind::Call:
        if (!p.op) {
          return;  // an operator variable may have any
        }
        for (const AttrDef& attr : op_def(*p.op).attributes) {
          known.emplace_back(attr.name);
        }
        break;
      case PatternKind::Const: known.emplace_back("value"); break;
      case PatternKind::Projection: known.emplace_back("index"); break;
      case PatternKind::Variadic:
      case PatternKind::Tuple: known = {"length"}; break;
      case PatternKind::Wildcard:
      case PatternKind::Variable: break;
      case PatternKind::Instance:
      case PatternKind::Alternative:
      case PatternKind::Conditional: return;
    }
    if (std::find(known.begin(), known.end(), expr.name.name()) == known.end()) {
      report_.error(expr.span, fmt::format("{} has no attribute '{}'", pattern_words(rule_, expr.pattern), expr.name.name()),
                    tensor_attribute_hint(expr.name.name(), known, "it has"));
    }
  }

  const Rule& rule_;
  RuleReport report_;
};

}  // namespace

std::string pattern_words(const Rule& rule, PatternId pattern) {
  const Pattern& p = rule.pattern(pattern);
  if (!p.name.empty()) {
    return fmt::format("'{}'", p.name.name());
  }
  if (p.kind == PatternKind::Call) {
    return p.op ? std::string(op_def(*p.op).name) : p.op_variable.name();
  }
  return "this pattern";
}

std::optional<OpId> resolve_op(std::string_view name, const SourceRef& text, Span span, Diagnostics& diagnostics) {
  if (auto op = find_op(name)) {
    return op;
  }
  auto near = suggest(name, op_names());
  diagnostics.error(text, span, fmt::format("there is no operator '{}'", name),
                    near ? fmt::format("did you mean '{}'?", *near) : "");
  return std::nullopt;
}

bool verify_pattern_form(const Rule& rule, PatternId pattern, bool in_target, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  FormCheck(rule, diagnostics).check(pattern, in_target);
  return diagnostics.error_count() == errors;
}

bool verify_attr_form(const Rule& rule, AttrId attr, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  FormCheck(rule, diagnostics).check_attr(attr);
  return diagnostics.error_count() == errors;
}

}  // namespace vouch
