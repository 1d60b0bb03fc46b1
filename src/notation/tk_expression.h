// The expressions of a kernel's statement; see tk_parse.h for the grammar.
#pragma once

#include <unordered_map>

#include "notation/tk_addends.h"
#include "notation/tk_domain.h"
#include "notation/tk_lexer.h"
#include "notation/tk_parse.h"

namespace vouch {

// From the start of the first to the end of the second.
inline Span joined(Span a, Span b) { return {a.begin, b.end}; }

// A reader over one text; after the first error it has failed and every read is refused.
class TkReader {
 public:
  TkReader(SourceRef source, const SizeValues& sizes, Diagnostics& diagnostics);

  const TkToken& peek() const { return token_; }
  TkToken take();
  bool accept(std::string_view punctuation);
  bool expect(std::string_view punctuation);
  // The `>` after sizes: of `B<4>=…` too.
  bool expect_shape_end();
  bool failed() const { return failed_; }
  void fail(Span span, std::string message, std::string hint = {});
  Span place() const;
  std::string found() const;
  std::uint32_t last_end() const { return last_end_; }

  // `name<…>[…]` after its name. The subscripts are integer terms; `left` asks for plain indices.
  std::optional<TkAccess> access(const TkToken& name);
  // An integer term over sizes.
  std::optional<Term> size();
  // `a >= b, …`, from here on known of the sizes.
  void require();
  bool name_size(const TkToken& name);
  // A scalar term as its additive terms, each with the indices that it names, but those in `spatial`; reads under the names as
  // written; the reads are appended to `reads`. What a term names does not depend on what it simplifies to.
  std::optional<std::vector<TkAddend>> scalar();

  std::vector<Symbol> spatial;
  std::vector<TkAccess> reads;
  std::vector<TkAccess> indices_from;             // the reads within subscripts
  std::vector<TkTensor> tensors;                  // as written, in order of appearance
  std::unordered_map<Symbol, Span> index_places;  // of every index used on the right
  SizeFacts named_sizes;                          // those without value, from the first shape that names them on

 private:
  struct Operand {
    Term term;
    Span span;
    std::vector<TkAddend> addends;  // as written; of an index term too
  };
  using Parsed = std::optional<Operand>;

  Parsed disjunction();
  Parsed conjunction();
  Parsed comparison();
  Parsed additive();
  Parsed product();
  Parsed unary();
  Parsed negative(const Operand& inner, Span sign);
  Parsed inverted(const Operand& inner, Span sign);
  Parsed atom();
  bool shape_follows() const;
  Parsed number();
  Parsed function(const TkToken& name);
  Parsed select_of(const std::vector<Operand>& args, Span span);
  // An operand of which `addends` are not told apart: it names what its parts name.
  static Operand whole(Term term, Span span, std::initializer_list<const Operand*> parts);
  static Operand whole(Term term, Span span, const std::vector<Operand>& parts);
  static Operand sum(Term term, Span span, std::vector<TkAddend> addends);
  std::vector<TkAddend> products(std::string_view op, const Operand& a, const Operand& b, bool ints);
  // A statement has so many operators (signs are some: each makes a term deeper), and as many comparisons.
  bool one_more(int& count, std::string_view what, Span span);
  Parsed combine(std::string_view op, const Operand& a, const Operand& b);
  Parsed integer_division(std::string_view op, const Operand& a, const Operand& b, Span span);
  Parsed compare_terms(std::string_view op, const Operand& a, const Operand& b);
  Term as_scalar(Term term) const;
  std::optional<Term> as_guard(const Operand& operand);
  std::optional<Term> extent();
  bool subscript(TkAccess& out);
  std::optional<TkAccess> shaped(const TkToken& name);
  bool declare(const TkToken& name, const std::vector<Term>& shape);
  const TkTensor* find(Symbol name) const;

  SourceRef source_;
  const SizeValues& sizes_;
  Diagnostics& diagnostics_;
  TkToken token_;
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
  int guarded_ = 0;
  int in_condition_ = 0;
  int in_shape_ = 0;
  int operators_ = 0;
  int comparisons_ = 0;
  bool failed_ = false;
};

}  // namespace vouch
