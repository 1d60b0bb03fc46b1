// The parser of program texts, in three files: sizes, types and positions (parse_index.cpp), terms (parse_term.cpp),
// kernels (parse.cpp). Internal to the room. After the first error it goes on only to unwind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array/builder.h"
#include "array/guarded_read.h"
#include "array/lex.h"
#include "array/parse.h"
#include "support/c_words.h"
#include "support/diagnostic.h"

namespace vouch::array {

class ProgramParser {
 public:
  ProgramParser(SourceRef source, const SizeValues& values, Diagnostics& diagnostics);
  std::optional<Program> parse();

 private:
  static constexpr unsigned kMostNesting = 200;
  static constexpr unsigned kMostTerms = 10'000;  // monomials of a size or a position
  static constexpr unsigned kMostChain = 500;     // operators in one chain

  // tokens
  bool is(std::string_view text) const { return token_.kind != TokenKind::End && token_.text == text; }
  bool accept(std::string_view text);
  bool expect(std::string_view text, std::string_view after, std::string_view hint = {});
  void advance();
  Span here() const;
  std::string found() const;
  std::string_view notation_here() const;
  std::optional<std::string> new_name(std::string_view what);
  void fail(Span span, std::string message, std::string hint = {});
  bool enter();
  void leave() { --nesting_; }
  Span from(std::uint32_t begin) const { return {begin, last_end_}; }

  // sizes, types, positions; the count of monomials is a bound
  struct Counted {
    Size size;
    unsigned terms = 1;
  };
  struct CountedIndex {
    Index index;
    unsigned terms = 1;
  };
  std::optional<Size> size();
  std::optional<Counted> size_sum();
  std::optional<Counted> size_product();
  std::optional<Counted> size_atom();
  // The token, if it is the name of a size.
  std::optional<Size> named_size() const;
  std::optional<Type> type();
  std::optional<Type> type_base();
  std::optional<Index> index();
  std::optional<CountedIndex> index_sum();
  std::optional<CountedIndex> index_product();
  std::optional<CountedIndex> index_atom();
  std::optional<CountedIndex> index_name();
  std::optional<Guard> guard();
  std::optional<Guard> guard_and();
  std::optional<Guard> guard_not();
  std::optional<Guard> guard_compare();
  bool too_many(unsigned terms, std::uint32_t begin);

  // terms
  Built expression();
  Built let_expression();
  Built if_expression();
  Built comparison();
  Built sum();
  Built product();
  Built unary();
  Built postfix();
  Built element(const Built& array, const Index& index);
  Built atom();
  Built parenthesised();
  Built name_or_call();
  Built keyword_atom();
  Built variable();
  void unknown_name(std::vector<std::string> known);
  Built function_call(const OpRow& row);
  Built applied();
  Built map_expression();
  Built generate_expression();
  Built reduce_expression();
  Built fold_expression();
  Built fill();
  Built pad(const Built& array);
  Built body(LoopKind loop, const std::vector<std::pair<std::string, unsigned>>& data, const std::string& position,
             unsigned level);
  std::optional<Layout> layout_name(const Type& source);
  std::optional<Layout> sized_layout(LayoutKind kind, std::size_t count, std::string_view form);
  std::optional<Layout> each_layout(const Type& source);
  std::optional<Layout> join_layout(const Type& source);
  std::optional<Layout> reverse_layout(const Type& source);
  Built apply_layout(const Built& argument);
  std::optional<Const> literal();
  LoopKind loop_kind();
  struct Binder {
    std::string name;
    std::string position;
  };
  std::optional<Binder> binder();
  Built at_span(Span span, const Built& built);

  // kernels
  bool parse_sizes();
  bool parse_inputs();
  bool c_name(Span span, const std::string& name, CNameUse use);
  std::optional<Parameter> parameter(std::string_view what);
  bool parse_facts(std::vector<SizeFact>& facts);

  SourceRef source_;
  Diagnostics& diagnostics_;
  Token token_;
  std::uint32_t last_end_ = 0;  // of the token before
  unsigned nesting_ = 0;
  unsigned lanes_ = 0;  // loops in lanes around here
  bool failed_ = false;
  Span report_span_;  // where the builder's complaints go
  const SizeValues& values_;
  std::vector<std::string> declared_;  // sizes as written; those without a value are the program's
  std::vector<std::string> sizes_;
  std::optional<Builder> builder_;
  std::vector<std::pair<std::string, unsigned>> data_;  // names in scope, innermost last, with levels
  std::vector<std::pair<std::string, unsigned>> positions_;
  std::vector<Assumption> assumed_;  // conditions around here, innermost last
};

}  // namespace vouch::array
