#include "rule/builder.h"

#include <algorithm>
#include <utility>

#include "rule/constant_type.h"
#include "rule/float_attribute.h"
#include "rule/operand_order.h"
#include "rule/print.h"
#include "rule/verify.h"
#include "support/fault.h"
#include "support/hash.h"

namespace vouch {

RuleBuilder::RuleBuilder(std::string name, std::string doc, SourceRef text, Span span) {
  rule_.name = std::move(name);
  rule_.doc = std::move(doc);
  rule_.source = std::move(text);
  rule_.span = span;
}

// --- patterns

PatternId RuleBuilder::add(Pattern pattern, const Attrs& attributes) {
  for (PatternId operand : pattern.operands) {
    ensure(operand == kNone || operand < rule_.patterns.size(), "a pattern is made of earlier ones");
  }
  for (const Attr& attr : attributes) {
    ensure(attr.value < rule_.attrs.size(), "a pattern's attribute was made before it");
    pattern.attributes.push_back({Symbol(attr.name), attr.value, attr.span});
  }
  rule_.patterns.push_back(std::move(pattern));
  return static_cast<PatternId>(rule_.patterns.size() - 1);
}

static Pattern of_kind(PatternKind kind, std::vector<PatternId> operands = {}) {
  Pattern pattern;
  pattern.kind = kind;
  pattern.operands = std::move(operands);
  return pattern;
}

PatternId RuleBuilder::wildcard(Attrs attributes) { return add(of_kind(PatternKind::Wildcard), attributes); }
PatternId RuleBuilder::constant(Attrs attributes) { return add(of_kind(PatternKind::Const), attributes); }
PatternId RuleBuilder::variable(Attrs attributes) { return add(of_kind(PatternKind::Variable), attributes); }

PatternId RuleBuilder::literal(AttrValue number, PatternId like) {
  AttrId rank = value(AttrValue(0));
  PatternId constant = add(of_kind(PatternKind::Const), {{"rank", rank}, {"value", value(std::move(number))}});
  literals_.emplace(constant, like);
  return constant;
}

bool RuleBuilder::is_fraction(PatternId literal) const {
  return rule_.attr(rule_.pattern(literal).attributes.back().value).value.number()->sort() == Sort::Real;
}

std::vector<PatternId> RuleBuilder::items_of(PatternId pattern) const {
  bool tuple = pattern != kNone && rule_.pattern(pattern).kind == PatternKind::Tuple;
  return tuple ? rule_.pattern(pattern).operands : std::vector<PatternId>();
}

static Pattern call_of(std::vector<PatternId> operands, PatternId attributes_as) {
  while (!operands.empty() && operands.back() == kNone) {
    operands.pop_back();
  }
  Pattern pattern = of_kind(PatternKind::Call, std::move(operands));
  pattern.attributes_as = attributes_as;
  return pattern;
}

PatternId RuleBuilder::call(OpId op, Patterns operands, Attrs attributes, PatternId attributes_as) {
  Pattern pattern = call_of(std::move(operands), attributes_as);
  pattern.op = op;
  for (Attr& attr : attributes) {
    if (attr.value < rule_.attrs.size() && is_float_attribute(op, Symbol(attr.name))) {
      attr.value = as_float_attribute(attr.value);
    }
  }
  return add(std::move(pattern), attributes);
}

PatternId RuleBuilder::call(std::string_view op, Patterns operands, Attrs attributes) {
  auto id = find_op(op);
  ensure(id.has_value(), "a rule is built over operators of the table");
  return call(*id, std::move(operands), std::move(attributes));
}

PatternId RuleBuilder::call(OpVariable op, Patterns operands, Attrs attributes, PatternId attributes_as) {
  Pattern pattern = call_of(std::move(operands), attributes_as);
  pattern.op_variable = op.name;
  pattern.trait = op.trait;
  return add(std::move(pattern), attributes);
}

PatternId RuleBuilder::tuple_of(Patterns items) { return add(of_kind(PatternKind::Tuple, std::move(items))); }

PatternId RuleBuilder::projection(PatternId tuple, AttrId index) {
  return add(of_kind(PatternKind::Projection, {tuple}), {{"index", index}});
}

PatternId RuleBuilder::variadic(PatternId field, std::vector<Template> templates, std::string_view index, AttrId length,
                                std::uint32_t min_length) {
  Pattern pattern = of_kind(PatternKind::Variadic, {field});
  std::stable_partition(templates.begin(), templates.end(), [&](const Template& t) { return t.pattern == field; });
  bool has_first = std::any_of(templates.begin(), templates.end(), [](const Template& t) { return t.first != kNone; });
  for (const Template& item : templates) {
    pattern.templates.push_back(item.pattern);
    if (has_first) {
      pattern.first.push_back(item.first);
    }
  }
  pattern.index = Symbol(index);
  pattern.length = length;
  pattern.min_length = min_length;
  return add(std::move(pattern));
}

PatternId RuleBuilder::instance(PatternId variadic, PatternId of, AttrId which) {
  Pattern pattern = of_kind(PatternKind::Instance, {variadic, of});
  pattern.selector = which;
  return add(std::move(pattern));
}

PatternId RuleBuilder::alternative(Patterns options) { return add(of_kind(PatternKind::Alternative, std::move(options))); }

PatternId RuleBuilder::if_else(AttrId condition, PatternId then, PatternId otherwise) {
  Pattern pattern = of_kind(PatternKind::Conditional, {then, otherwise});
  pattern.selector = condition;
  return add(std::move(pattern));
}

PatternId RuleBuilder::name(PatternId pattern, std::string_view name) {
  rule_.patterns[pattern].name = Symbol(name);
  return pattern;
}

PatternId RuleBuilder::at_place(Span span, PatternId pattern) {
  rule_.patterns[pattern].span = span;
  return pattern;
}

PatternId RuleBuilder::unreadable_pattern() {
  unreadable_patterns_.push_back(wildcard());
  return unreadable_patterns_.back();
}

bool RuleBuilder::readable(PatternId pattern) const {
  return std::find(unreadable_patterns_.begin(), unreadable_patterns_.end(), pattern) == unreadable_patterns_.end();
}

// --- the rule

void RuleBuilder::rank(PatternId input, std::uint32_t from, std::uint32_t to, Span span) {
  rule_.ranks.push_back({input, from, to, span});
}

// A literal of the target takes the dtype of its neighbour, and needs no rank; in the source typing sees to the dtype.
void RuleBuilder::settle_literals() {
  std::vector<std::pair<PatternId, PatternId>> literals(literals_.begin(), literals_.end());
  std::sort(literals.begin(), literals.end());
  for (auto [constant, like] : literals) {
    if (rule_.in_source[constant]) {
      continue;
    }
    Pattern& pattern = rule_.patterns[constant];
    std::erase_if(pattern.attributes, [](const PatternAttr& attr) { return attr.name == Symbol("rank"); });
    if (like != kNone) {
      AttrId dtype = at(pattern.span, access(like, "dtype"));
      rule_.patterns[constant].attributes.push_back({Symbol("dtype"), dtype, pattern.span});
    }
  }
  literals_.clear();
}

// Constants of the target without a type get the one that their text gives them.
bool RuleBuilder::settle_constant_types() {
  bool settled = false;
  for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
    const Pattern& p = rule_.pattern(id);
    auto attr = [&](std::string_view name) {
      auto found =
          std::find_if(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name.name() == name; });
      return found == p.attributes.end() ? kNone : found->value;
    };
    if (p.kind != PatternKind::Const || rule_.in_source[id] || attr("value") == kNone || attr("dtype") != kNone) {
      continue;
    }
    ConstantType type = constant_type(rule_, attr("value"));
    if (type.kind == ConstantType::Kind::Unknown) {
      continue;  // which the static checks report
    }
    Span span = p.span;
    DType number = type.kind == ConstantType::Kind::Integers ? DType::Int64 : DType::Float32;
    AttrId dtype = at(span, type.kind == ConstantType::Kind::Elements ? access(type.constant, "dtype")
                                                                      : value(AttrValue(std::string(dtype_name(number)))));
    rule_.patterns[id].attributes.push_back({Symbol("dtype"), dtype, span});
    settled = true;
  }
  return settled;
}

// A pattern that several nested variadics list stays with the innermost, which was made first.
void RuleBuilder::settle_templates() {
  std::vector<PatternId> listed_by(rule_.patterns.size(), kNone);
  for (PatternId id = 0; id < rule_.patterns.size(); ++id) {
    Pattern& variadic = rule_.patterns[id];
    std::vector<PatternId> templates;
    std::vector<PatternId> first;
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      PatternId item = variadic.templates[k];
      PatternId inner = listed_by[item];
      bool nested =
          inner != kNone && std::find(variadic.templates.begin(), variadic.templates.end(), inner) != variadic.templates.end();
      if (nested) {
        continue;
      }
      listed_by[item] = inner == kNone ? id : inner;
      templates.push_back(item);
      if (!variadic.first.empty()) {
        first.push_back(variadic.first[k]);
      }
    }
    variadic.templates = std::move(templates);
    variadic.first = std::move(first);
  }
}

// A target output without a length has as many branches as the source's.
void RuleBuilder::settle_lengths() {
  for (std::size_t k = 0; k < rule_.target_outputs.size() && k < rule_.source_outputs.size(); ++k) {
    PatternId source = rule_.source_outputs[k];
    PatternId target = rule_.target_outputs[k];
    bool variadic = rule_.pattern(source).kind == PatternKind::Variadic && rule_.pattern(target).kind == PatternKind::Variadic;
    if (variadic && source != target && rule_.pattern(target).length == kNone) {
      AttrId length = at(rule_.pattern(target).span, access(source, "length"));
      rule_.patterns[target].length = length;
    }
  }
}

std::optional<Rule> RuleBuilder::finish(Diagnostics& diagnostics) {
  settle_templates();
  settle_lengths();
  finish_rule(rule_);
  bool literals = !literals_.empty();
  settle_literals();
  if (settle_constant_types() || literals) {
    finish_rule(rule_);
  }
  settle_operand_order(rule_);
  bool unreadable = unreadable_ || !unreadable_patterns_.empty();
  bool well_formed = verify_rule(rule_, {unreadable_patterns_, unreadable}, diagnostics);
  if (!well_formed || unreadable) {
    return std::nullopt;
  }
  return std::move(rule_);
}

}  // namespace vouch
