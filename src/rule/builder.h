// Building rules from C++: the one way to make a Rule, used by the parser, by tests and by the Python module.
//
// Every function appends one node and returns its id; nothing is checked until `finish`, which computes what follows
// from the rule and runs every static check (rule/verify.h). Ids of one builder mean nothing in another; an id that the
// builder did not give out is a fault.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rule/ast.h"
#include "support/diagnostic.h"

namespace vouch {

class RuleBuilder {
 public:
  struct Attr {
    std::string_view name;
    AttrId value = kNone;
    Span span{};
  };
  using Attrs = std::vector<Attr>;
  using Patterns = std::vector<PatternId>;
  struct OpVariable {
    Symbol name;
    OpTrait trait = OpTrait::Any;
  };
  struct Template {
    PatternId pattern = kNone;
    PatternId first = kNone;  // the first instance, or kNone
  };

  // A group of axes, and how many it has; what is not said is any number, or what an earlier tensor says.
  struct Role {
    std::string_view name;
    std::optional<std::uint32_t> from{};
    std::optional<std::uint32_t> to{};
    Span span{};
  };

  explicit RuleBuilder(std::string name, std::string doc = {}, SourceRef text = nullptr, Span span = {});

  // --- attribute expressions
  AttrId value(AttrValue value);
  AttrId any();
  AttrId absent();
  AttrId access(PatternId pattern, std::string_view name);
  AttrId unary(UnaryOp op, AttrId a);
  AttrId binary(BinaryOp op, AttrId a, AttrId b);
  AttrId tuple(std::vector<AttrId> items);
  AttrId project(AttrId tuple, AttrId position);
  AttrId symbol(std::string_view name);
  // kNone as length: as long as what is matched.
  AttrId var_tuple(std::string_view index, AttrId length, AttrId body);
  AttrId reduce(Reduction reduction, std::string_view index, AttrId length, AttrId body);
  // `body` of every element of this constant.
  AttrId each(std::string_view element, PatternId constant, AttrId body);
  // The axes of a role that the pattern's layout has.
  AttrId axes_of(PatternId pattern, std::string_view role);
  AttrId conditional(AttrId condition, AttrId then, AttrId otherwise);
  AttrId at(Span span, AttrId attr);
  void let(std::string_view name, AttrId attr) { rule_.attrs[attr].let_name = Symbol(name); }

  // --- patterns; kNone among operands is an absent optional operand
  PatternId wildcard(Attrs attributes = {});
  PatternId constant(Attrs attributes = {});
  PatternId variable(Attrs attributes = {});
  // A number written as an operand: a constant of rank 0, in the target of the same dtype as `like` if that is given.
  PatternId literal(AttrValue number, PatternId like = kNone);
  void set_literal_like(PatternId literal, PatternId like) { literals_[literal] = like; }
  bool is_literal(PatternId pattern) const { return literals_.contains(pattern); }
  bool is_fraction(PatternId literal) const;
  std::vector<PatternId> items_of(PatternId pattern) const;  // of a tuple; of another pattern none
  PatternId call(OpId op, Patterns operands, Attrs attributes = {}, PatternId attributes_as = kNone);
  // The operator must be in the table.
  PatternId call(std::string_view op, Patterns operands, Attrs attributes = {});
  PatternId call(OpVariable op, Patterns operands, Attrs attributes = {}, PatternId attributes_as = kNone);
  PatternId tuple_of(Patterns items);
  PatternId projection(PatternId tuple, AttrId index);
  // The field comes first among the templates. A template that an inner variadic lists already stays with that.
  PatternId variadic(PatternId field, std::vector<Template> templates, std::string_view index, AttrId length = kNone,
                     std::uint32_t min_length = 1);
  PatternId instance(PatternId variadic, PatternId of, AttrId which);
  PatternId alternative(Patterns options);
  PatternId if_else(AttrId condition, PatternId then, PatternId otherwise);
  void require(PatternId field, AttrId condition) { rule_.patterns[field].conditions.push_back(condition); }
  PatternId name(PatternId pattern, std::string_view name);
  PatternId at_place(Span span, PatternId pattern);

  // --- the rule
  void source(Patterns outputs) { rule_.source_outputs = std::move(outputs); }
  void target(Patterns outputs) { rule_.target_outputs = std::move(outputs); }
  void where(AttrId condition) { rule_.constraints.push_back(condition); }
  void drop(PatternId input) { rule_.dropped.push_back(input); }
  void rank(PatternId input, std::uint32_t from, std::uint32_t to, Span span = {});
  // The axes of the pattern are those of these roles, in this order.
  void axes(PatternId pattern, const std::vector<Role>& roles, Span span = {});
  void expect(Expectation verdict) { rule_.expectation = verdict; }
  void phase(Phase phase) { rule_.phase = phase; }
  void saves(Saving saving) { rule_.saves = saving; }

  // A placeholder for what could not be read; checks say nothing more about it, and `finish` gives no rule.
  PatternId unreadable_pattern();
  bool readable(PatternId pattern) const;
  void set_unreadable() { unreadable_ = true; }

  const Rule& rule() const { return rule_; }
  // The rule, or nothing if a check failed; every failure is reported. The builder is spent.
  std::optional<Rule> finish(Diagnostics& diagnostics);

 private:
  PatternId add(Pattern pattern, const Attrs& attributes = {});
  AttrId add(AttrExpr attr);
  AttrId as_float_attribute(AttrId attr);
  AttrId with_args(AttrId attr, const std::vector<AttrId>& args);
  void settle_literals();
  bool settle_constant_types();
  void settle_lengths();
  void settle_templates();

  Rule rule_;
  std::unordered_map<PatternId, PatternId> literals_;  // constant to its neighbour
  std::vector<PatternId> unreadable_patterns_;
  bool unreadable_ = false;
};

}  // namespace vouch
