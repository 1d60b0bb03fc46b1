// The recursive-descent parser of rule texts; only parse*.cpp include this. The grammar is in parse.h.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rule/builder.h"
#include "rule/lexer.h"

namespace vouch {

class RuleParser {
 public:
  RuleParser(SourceRef text, Diagnostics& diagnostics);
  // The rules of the text that have no error.
  std::vector<Rule> run();

 private:
  struct Binding {
    enum class Kind : std::uint8_t { Pattern, Attr, Symbol, Operator } kind = Kind::Pattern;
    std::uint32_t id = 0;
    OpTrait trait = OpTrait::Any;
    Span span;
  };
  struct Binder {
    std::string_view index;
    AttrId length = kNone;
  };
  // A branch of a variadic, before it is known which template of it is meant.
  struct Branch {
    PatternId variadic = kNone;
    AttrId index = kNone;
  };
  struct Block {
    std::vector<RuleBuilder::Template> templates;
    std::vector<AttrId> conditions;
  };
  struct AttrList {
    RuleBuilder::Attrs given;
    PatternId as = kNone;  // `* as p`
  };
  using AttrReader = AttrId (RuleParser::*)();
  struct BinaryWord {
    std::string_view word;
    BinaryOp op;
  };

  // --- tokens (parse_token.cpp)
  const Token& peek() const { return tokens_[next_]; }  // the last one ends the text, and nothing goes past it
  const Token& peek(std::size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  bool at(std::string_view mark) const { return peek().is(mark); }
  bool at_kind(TokenKind kind) const { return peek().kind == kind; }
  bool at_number() const;
  const Token& advance();
  bool accept(std::string_view mark);
  bool expect(std::string_view mark, std::string_view where);
  void end_after_pattern();  // the `;` of an item that a pattern ends
  std::string_view notation_here() const;
  bool arrow_ahead() const;
  // Past what the lexer has refused. True where it was a sign before something, which is read then: `!(a)`, `$x`.
  bool skip_sign();
  // A name that may be defined here; reports reserved words.
  std::optional<Token> expect_new_name(std::string_view what);
  std::optional<std::uint32_t> expect_small_int(std::string_view what);
  Span span_from(std::uint32_t begin) const { return {begin, last_end_}; }
  std::uint32_t here() const { return peek().span.begin; }
  // Reports, and makes every function return until `recover`.
  void fail(Span span, std::string message, std::string hint = {});
  void fail_here(std::string expected, std::string hint = {});
  // Reports; reading goes on.
  void report(Span span, std::string message, std::string hint = {});
  void recover(std::uint32_t depth);
  bool at_item_word() const;
  bool enter();  // one level deeper; fails beyond the limit
  void leave() { --nesting_; }

  // --- names
  const Binding* find(std::string_view name) const;
  void define(const Token& name, Binding::Kind kind, std::uint32_t id, OpTrait trait = OpTrait::Any);
  std::vector<std::string> names_in_scope(Binding::Kind kind) const;
  std::string nearest(std::string_view word, const std::vector<std::string>& candidates) const;

  // --- rules and their items (parse_rule.cpp)
  void parse_rule();
  std::optional<std::string> parse_rule_name();
  void skip_to_body();
  bool at_rule() const;
  void parse_items();
  void parse_item();
  void parse_let();
  void skip_more_names();
  void skip_names_in_parens();
  void skip_type_of_name();
  void parse_attr_definition();
  void parse_operator();
  void parse_named_variadic();
  void parse_where();
  void parse_outputs(bool source);
  void parse_drop();
  void parse_rank();
  void parse_axes();
  void parse_layout();
  std::optional<RuleBuilder::Role> parse_role();
  void parse_expect();
  void parse_phase();
  void parse_saves();
  std::vector<PatternId> parse_pattern_list();

  // --- variadics (parse_variadic.cpp)
  PatternId parse_variadic_rest(std::uint32_t begin);
  PatternId parse_block();
  bool parse_block_item();
  std::vector<PatternId> parse_from();
  void set_first_instances(PatternId field, const std::vector<PatternId>& first, Span span);
  Binder parse_binder(bool optional_length);
  std::uint32_t parse_min();

  // --- patterns (parse_pattern.cpp)
  PatternId parse_pattern();
  PatternId parse_pattern_here();
  PatternId parse_pattern_sum();
  PatternId parse_pattern_product();
  PatternId parse_pattern_unary();
  PatternId parse_pattern_postfix();
  PatternId parse_pattern_primary();
  PatternId parse_pattern_parens();
  PatternId parse_leaf();
  PatternId parse_call();
  PatternId parse_conditional_pattern();
  PatternId parse_alternative();
  bool skip_domain();
  PatternId parse_name_pattern();
  void report_unknown_pattern(const Token& name);
  PatternId parse_number_pattern(bool negative);
  std::vector<PatternId> parse_operands();
  PatternId arithmetic(std::string_view op, PatternId a, PatternId b, Span span);
  PatternId made(PatternId pattern, std::uint32_t begin);
  PatternId parse_reference();
  Branch parse_branch(PatternId variadic);
  PatternId settle_branch(Branch branch, bool templates_only, std::uint32_t begin);
  bool denotes_variadic(PatternId pattern) const;
  AttrList parse_attributes();
  void parse_attribute_item(AttrList& list);
  void parse_copied_attributes(AttrList& list);
  std::string pattern_hint() const;
  std::string call_meant_after_dot(std::string_view of) const;
  void settle_operand_literals(const std::vector<PatternId>& operands, std::optional<OpId> op);
  void settle_item_literals(const std::vector<PatternId>& items);
  void add_attribute(AttrList& list, const Token& label, AttrId value);

  // --- attribute expressions (parse_attr.cpp)
  AttrId parse_attr();
  AttrId parse_attr_here();
  AttrId parse_or();
  AttrId parse_and();
  AttrId parse_not();
  AttrId parse_comparison();
  AttrId parse_attr_sum();
  AttrId parse_attr_product();
  AttrId parse_attr_unary();
  AttrId parse_attr_postfix();
  AttrId parse_attr_primary();
  AttrId parse_attr_parens();
  AttrId parse_conditional_attr();
  AttrId parse_attr_name();
  AttrId parse_access(PatternId pattern, std::uint32_t begin);
  AttrId parse_bound(const Token& word);
  AttrId parse_each(std::uint32_t begin);
  AttrId make_bound(std::string_view word, const Binder& binder, AttrId body);
  AttrId parse_function(const Token& word);
  AttrId parse_bracket(AttrId tuple, std::uint32_t begin);
  AttrId parse_chain(AttrReader operand, std::initializer_list<BinaryWord> words);
  AttrId attr_at(AttrId attr, std::uint32_t begin) { return builder_->at(span_from(begin), attr); }
  AttrValue number_of(const Token& token, bool negative) const;

  SourceRef text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::uint32_t last_end_ = 0;
  std::uint32_t braces_ = 0;  // open ones
  std::uint32_t nesting_ = 0;
  bool failing_ = false;
  bool in_where_ = false;  // `=` reads as `==`

  std::optional<RuleBuilder> builder_;
  std::vector<std::unordered_map<std::string_view, Binding>> scopes_;
  std::set<std::string_view> unknown_;  // names of this rule that were reported
  std::vector<Block> blocks_;           // the variadics being read, outermost first
  std::uint32_t slices_ = 0;            // made so far in this rule, to name their symbols
  std::vector<Rule> rules_;
};

}  // namespace vouch
