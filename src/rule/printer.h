// The printer of rules; only print*.cpp include this.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rule/ast.h"

namespace vouch {

class RulePrinter {
 public:
  enum class Style : std::uint8_t { Readable, Canonical };

  RulePrinter(const Rule& rule, Style style);

  std::string rule();
  // A pattern as used: by its name if it has one. `tight`: in parentheses if it is arithmetic.
  std::string use(PatternId id, bool tight = false);
  std::string form(PatternId id);
  std::string attr(AttrId id, int level = 0);
  // Binds the indices of the pattern's variadics, for what is printed without its rule.
  void enter_scope_of(PatternId id);
  void name_as_written();

 private:
  // --- names (print.cpp)
  void assign_names();
  void count_uses();
  void name_operators();
  void name_pattern(PatternId id);
  std::string fresh_name(std::string_view stem);
  std::string claim(const std::string& wanted, std::string_view stem);
  std::string bind_symbol(Symbol symbol);
  void unbind_symbol() { symbols_.pop_back(); }
  std::string symbol_name(Symbol symbol) const;

  // --- items (print.cpp)
  void print_patterns(const std::vector<PatternId>& order, PatternId owner, int indent, std::string& out);
  void print_attr_lets(PatternId id, std::string& out);
  void print_block(PatternId id, int indent, std::string& out);
  std::string block_head(PatternId id);
  std::string from_list(PatternId id);
  void print_drops(PatternId owner, int indent, std::string& out);
  void print_conditions(std::vector<AttrId> conditions, int indent, std::string& out);
  std::string header() const;
  std::string claims();
  // --- roles of axes (print_axes.cpp)
  bool is_of_layout(AttrId condition) const;
  void print_layout(PatternId id, int indent, std::string& out);
  const std::string& role_name(std::uint32_t role);
  std::string axes(const AttrExpr& expr);
  std::string list(const std::vector<PatternId>& ids);
  std::string items(const std::vector<PatternId>& ids);

  // --- patterns (print_pattern.cpp)
  std::string call(const Pattern& p);
  std::string arithmetic(const Pattern& p);
  bool is_arithmetic(const Pattern& p) const;
  bool is_number(PatternId id) const;
  std::string instance(const Pattern& p);
  std::string attributes(const Pattern& p);
  std::string inline_variadic(PatternId id);

  // --- attribute expressions (print_attr.cpp)
  int write(const AttrExpr& expr, std::string& out);
  int write_binary(const AttrExpr& expr, std::string& out);
  int write_unary(const AttrExpr& expr, std::string& out);
  int write_bound(const AttrExpr& expr, std::string& out);
  int write_each(const AttrExpr& expr, std::string& out);
  std::string attrs(const std::vector<AttrId>& ids);

  const Rule& rule_;
  Style style_;
  std::unordered_map<PatternId, std::string> names_;
  std::unordered_map<AttrId, std::string> attr_names_;  // of `attr n = …`
  std::unordered_set<AttrId> defined_attrs_;
  std::unordered_map<Symbol, std::string> op_names_;
  std::unordered_map<std::uint32_t, std::string> role_names_;
  std::vector<std::pair<Symbol, std::string>> symbols_;  // innermost last
  std::unordered_set<std::string> taken_;
  std::vector<std::uint32_t> uses_;
  std::uint32_t next_name_ = 0;
};

// As the parser reads it: `12`, `-0.5`, `"text"`; a number that is no finite decimal is a quotient.
std::string print_value(const AttrValue& value);

}  // namespace vouch
