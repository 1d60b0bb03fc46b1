// Sums in another order: a loop of a sum is taken apart into partial sums, each a local tensor of its own, which are added then.
// The kernel that comes of it is what is computed, bit for bit; that it is the kernel as it was written wherever addition has its
// laws, as of the reals, is what coq/regroup/Regroup.v checks, by the pieces that are made here beside it.
#pragma once

#include <map>
#include <optional>

#include "certify/index_kernel.h"

namespace vouch {

// `add SUM loop LOOP by lanes of WIDTH as PARTIAL`: of the first summand of SUM that has loops, loop `loop` is taken apart. By
// lanes, partial sum l adds the terms l, l + WIDTH, l + 2 * WIDTH, ...; by blocks, partial sum b adds WIDTH terms side by side.
// Terms that are left over are added one by one after the partial sums.
struct IndexSplit {
  std::string sum;
  unsigned loop = 0;
  bool lanes = true;
  Integer width;
  std::string partial;
};

// As a schedule has it.
std::string print_split(const IndexSplit& split);

// Mirrors `piece` in coq/regroup/Regroup.v, with intermediate conditions on one side alone.
struct IndexPiece {
  IndexCond where;
  std::vector<IndexTerm> to;
  std::vector<IndexTerm> from;
  std::vector<IndexCond> there;
};

// Mirrors `witness`.
struct IndexRegrouping {
  std::vector<std::size_t> places;
  std::vector<std::vector<std::vector<IndexPiece>>> locals;
  std::vector<std::vector<IndexPiece>> output;
};

// The statement of that name: a local's number, or that of locals for the output; nothing if there is none, or two.
std::optional<std::size_t> statement_named(const IndexKernel& kernel, const std::string& name);

// It names the output, a local, an input or a size.
bool is_taken(const IndexKernel& kernel, const std::string& name);

// The first summand that has loops, or nothing.
const IndexSummand* first_sum(const IndexStatement& s);

// A kernel and the order that has been chosen so far.
class Reordering {
 public:
  explicit Reordering(const IndexKernel& kernel);

  // Empty, or why the split does not apply.
  std::string why_not(const IndexSplit& split) const;
  // It applies.
  void apply(const IndexSplit& split);

  // What is computed.
  const IndexKernel& kernel() const { return kernel_; }
  IndexRegrouping regrouping() const;

 private:
  // Loops and axes have numbers of their own: those of a summand as it was written the numbers of its index variables.
  struct Sum {
    std::size_t source = 0;  // of the statement's summands as they were written
    std::vector<unsigned> loops;
    std::vector<IndexCond> where;  // over variables of the source
    // What was taken apart, and the axes of the partial sum that is read, by these loops.
    std::map<unsigned, IndexTerm> back;
    std::optional<unsigned> reads = {};  // a partial sum
  };
  struct Statement {
    std::optional<unsigned> partial = {};   // its number; else it is of the kernel as it was written
    std::vector<std::size_t> written = {};  // how many loops each summand had
    std::vector<Sum> sums = {};
  };

  static Statement as_written(const IndexStatement& s);
  IndexStatement& statement(std::size_t at) { return at < kernel_.locals.size() ? kernel_.locals[at] : kernel_.output; }
  const IndexStatement& statement(std::size_t at) const {
    return at < kernel_.locals.size() ? kernel_.locals[at] : kernel_.output;
  }
  IndexTerm forward(unsigned number) const;
  unsigned numbered(IndexTerm value);
  void split_statement(std::size_t at, std::size_t which, const IndexSplit& split);
  void split_notes(std::size_t at, std::size_t which, const IndexSplit& split);
  std::vector<Sum> leaves(const Sum& sum, const Sum& around) const;
  IndexPiece piece(const Sum& leaf, std::size_t loops) const;
  std::vector<IndexCond> quotients(const Sum& leaf, const IndexPiece& piece, const std::map<unsigned, IndexTerm>& here) const;
  std::vector<std::vector<IndexPiece>> pieces(std::size_t at) const;

  IndexKernel kernel_;
  std::vector<Statement> notes_;    // of the locals, then of the output
  std::vector<IndexTerm> forward_;  // of loops and axes that came later: their values by variables of the source
  unsigned partials_ = 0;
};

// What is computed of a kernel by these splits, all of which apply.
Reordering reordered(const IndexKernel& kernel, const std::vector<IndexSplit>& splits);

}  // namespace vouch
