// The recursive-descent parser of GSL. For the rule room alone; others call `parse_rules`.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rule/ast.h"
#include "rule/lexer.h"
#include "support/diagnostic.h"

namespace vouch {

class RuleParser {
 public:
  RuleParser(const SourceRef& source, Diagnostics& diagnostics);

  std::vector<Rule> parse_file();

 private:
  // What a name in scope stands for.
  struct Binding {
    enum class Kind : std::uint8_t { Pattern, Symbol, Operator } kind = Kind::Pattern;
    PatternId pattern = kNone;
    OpTrait trait = OpTrait::Any;
    std::map<std::string, PatternId> templates;  // of a variadic: its named templates
  };
  using Scope = std::map<std::string, Binding>;

  // --- tokens (parse_rule.cpp)
  const Token& peek(std::size_t ahead = 0) const;
  Token next();
  bool at(std::string_view mark) const;
  bool at_word(std::string_view word) const;
  bool accept(std::string_view mark);
  bool accept_word(std::string_view word);
  bool expect(std::string_view mark, std::string_view where);
  std::optional<Token> expect_name(std::string_view what);
  Span span_from(const Token& first) const;
  void error(Span span, std::string message, std::string hint = {});
  void recover();
  // False, with an error, when the text nests deeper than the parser follows.
  bool enter(Span span);
  void leave() { --depth_; }

  // --- rules (parse_rule.cpp)
  std::optional<Rule> parse_rule();
  bool parse_item(bool in_variadic);
  bool parse_let();
  bool parse_variadic_block();
  bool parse_operator();
  bool parse_outputs(std::vector<PatternId>& outputs, bool target);
  bool parse_where();
  bool parse_rank();
  bool parse_expect();
  bool bind(const Token& name, Binding binding);
  const Binding* lookup(const std::string& name) const;
  std::vector<std::string> names_in_scope() const;
  void report_unknown_name(const Token& name);

  // --- patterns (parse_pattern.cpp)
  std::optional<PatternId> parse_pattern();
  std::optional<PatternId> parse_pattern_product();
  std::optional<PatternId> parse_pattern_unary();
  std::optional<PatternId> parse_pattern_postfix();
  std::optional<PatternId> parse_pattern_primary();
  std::optional<PatternId> parse_call(const Token& name);
  std::optional<PatternId> parse_reference(const Token& name);
  std::optional<PatternId> parse_number_pattern();
  std::optional<PatternId> parse_inline_variadic(const Token& first);
  std::optional<PatternId> parse_conditional_pattern(const Token& first);
  std::optional<std::vector<PatternId>> parse_pattern_list(std::string_view closing);
  std::optional<PatternId> parse_instance(const Binding& variadic, PatternId id, const Token& name);
  bool parse_attributes(Pattern& pattern);
  bool parse_same_as(Pattern& pattern);
  PatternId add_pattern(Pattern pattern);
  PatternId add_arithmetic(std::string_view op, std::vector<PatternId> operands, Span span);

  // --- attribute expressions (parse_attr.cpp)
  std::optional<AttrId> parse_attr();
  std::optional<AttrId> parse_attr_and();
  std::optional<AttrId> parse_attr_not();
  std::optional<AttrId> parse_attr_comparison();
  std::optional<AttrId> parse_attr_sum();
  std::optional<AttrId> parse_attr_product();
  std::optional<AttrId> parse_attr_unary();
  std::optional<AttrId> parse_attr_postfix();
  std::optional<AttrId> parse_attr_primary();
  std::optional<AttrId> parse_attr_name();
  std::optional<AttrId> parse_access(PatternId pattern, const Token& first);
  std::optional<AttrId> parse_bound(const Token& word);
  std::optional<AttrId> parse_function(const Token& word);
  std::optional<AttrId> parse_tuple_attr(const Token& first);
  std::optional<AttrId> parse_number_attr();
  std::optional<AttrId> parse_conditional_attr(const Token& word);
  AttrId add_attr(AttrExpr expr);
  AttrId add_binary(BinaryOp op, AttrId a, AttrId b, Span span);

  SourceRef source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  Rule rule_;
  std::vector<Scope> scopes_;
  std::vector<PatternId> block_templates_;  // patterns made in the variadic block being parsed
  std::optional<PatternId> yielded_;
  std::set<std::string> rule_names_;
};

}  // namespace vouch
