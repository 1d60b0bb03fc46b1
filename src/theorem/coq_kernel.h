// What an operator computes as an index kernel of coq/index/Kernel.v: the type that certificates of C texts speak of.
//
// Index variables are numbered from the innermost loop outwards, then the indices of what is defined from the last to the first;
// tensors from the last local down to the first, then the operands that are read, then numbers, which are tensors of no axes.
// Sizes and attributes are integers that Coq quantifies over.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "theorem/coq_facts.h"
#include "theorem/coq_term.h"

namespace vouch {

struct CoqOperand {
  Symbol name;
  std::vector<Term> extents;
};

struct CoqKernel {
  std::string text;
  bool reduces = false;            // values are joined by what is no sum: a `reducer` of coq/index/Reductions.v
  std::vector<std::size_t> read;   // of the operands, in order
  std::vector<Term> numbers;       // scalar terms that follow them as operands
  std::vector<Symbol> parameters;  // the integers that it speaks of, each once
  // Axes of the result along which one element of an operand may stand for all, with the operand's extent there.
  std::vector<std::pair<std::size_t, Term>> stretched;
};

class CoqKernelWriter {
 public:
  // `conversion`: the operation of what converts elements, `(Syntax.Cast …)`, or nothing.
  CoqKernelWriter(CoqPrinter& printer, CoqFacts& facts, const std::vector<CoqOperand>& operands, std::string conversion)
      : printer_(printer), facts_(facts), operands_(operands), conversion_(std::move(conversion)) {}

  // Of elements `value` over the axes; nothing, with the reason, if there is no such kernel.
  std::optional<CoqKernel> write(const std::vector<BoundIndex>& axes, Term value);
  const std::string& reason() const { return reason_; }

 private:
  struct Defined {
    std::vector<BoundIndex> axes;
    Term value;  // reductions at the root alone
  };
  // A statement as it is printed, or a reduction.
  struct Formula {
    std::string text;
    bool is_sum = true;
  };
  // Where a statement stands: what it may read, and what is bound there, outermost first.
  struct Place {
    std::size_t locals = 0;
    std::vector<BoundIndex> bound;
  };

  std::string refuse(const std::string& why);
  Term hoisted(Term term, const std::vector<BoundIndex>& bound, bool is_root);
  void note(Term term);
  std::size_t place_of_number(Term number);

  Formula formula(const Defined& defined, std::size_t locals);
  std::string whole(const std::string& inputs, const std::vector<Formula>& locals, const Formula& output) const;
  std::string reduction(const Defined& defined, Place at);
  std::string scalar(Term term, const Place& at);
  std::string number(Term number, const Place& at);
  std::string element(Term read, const Place& at);
  std::string reading(std::size_t tensor, std::span<const Term> indices, const std::vector<Term>& extents, const Place& at);
  std::string function(Term call, const Place& at);
  std::string applied(const char* constructor, const std::string& operation, Term term, const Place& at);
  std::string choice(Term guard, const std::string& then, const std::string& otherwise, const Place& at);
  std::string condition(Term guard, const Place& at);
  std::string joined(const char* constructor, Term guard, const Place& at);
  std::string index(Term term, const Place& at);
  std::string product(Term term, const Place& at);
  std::optional<std::string> stretched(Term term, const Place& at);
  std::string extents(const std::vector<BoundIndex>& axes);
  static bool moves(Term term, const Place& at);

  CoqPrinter& printer_;
  CoqFacts& facts_;
  const std::vector<CoqOperand>& operands_;
  std::string conversion_;
  std::vector<Defined> locals_;
  CoqKernel out_;
  std::size_t choices_ = 0;
  std::vector<std::pair<Term, Term>> stretched_;  // indices, and the extents of the operands' axes
  std::string reason_;
};

}  // namespace vouch
