#include "notation/c_range.h"

#include <algorithm>

#include "notation/tk_bounds.h"

namespace vouch {
namespace {

// Tiles add widths of vectors and frames to terms of the kernel: a bit is left for them.
const Integer kLargest = Integer(1) << 62;

class Ranges {
 public:
  std::optional<Term> beyond;

  Ranges(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand)
      : box_(summand_box(kernel, statement, summand)) {
    for (const TkLoop& loop : summand.loops) {
      visit(loop.begin);
      visit(loop.end);
    }
    visit(summand.guard);
    visit(summand.body);
  }

 private:
  void visit(Term term) {
    if (beyond) {
      return;
    }
    if (term.sort() == Sort::Int) {
      beyond = magnitude(term) < kLargest ? beyond : std::optional(term);
      return;
    }
    for (Term part : term.args()) {
      visit(part);
    }
  }

  // No partial sum or product of the term is larger.
  Integer magnitude(Term term) const {
    switch (term.kind()) {
      case TermKind::IntConst: return abs(numerator(term->value));
      case TermKind::IntVar: return of_variable(term->symbol);
      case TermKind::FloorDiv:
      case TermKind::FloorMod: return std::max(magnitude(term.arg(0)) + 1, magnitude(term.arg(1)));
      case TermKind::IntMin:
      case TermKind::IntMax: return std::max(magnitude(term.arg(0)), magnitude(term.arg(1)));
      case TermKind::IntAdd: {
        Integer sum = 0;
        for (Term part : term.args()) {
          sum += magnitude(part);
        }
        return sum;
      }
      case TermKind::IntMul: {
        Integer product = 1;
        for (Term part : term.args()) {
          product *= std::max(magnitude(part), Integer(1));
        }
        return product;
      }
      default: return kLargest;
    }
  }

  Integer of_variable(Symbol name) const {
    auto range = box_.find(name);
    auto low = range != box_.end() && range->second.low ? number_of(*range->second.low) : std::nullopt;
    auto high = range != box_.end() && range->second.high ? number_of(*range->second.high) : std::nullopt;
    return low && high ? std::max<Integer>(abs(*low), abs(*high)) : kLargest;
  }

  Box box_;
};

}  // namespace

std::optional<Term> beyond_int64(const TkKernel& kernel) {
  for (const TkStatement& statement : kernel.statements) {
    for (const TkSummand& summand : statement.summands) {
      if (auto beyond = Ranges(kernel, statement, summand).beyond) {
        return beyond;
      }
    }
  }
  return std::nullopt;
}

}  // namespace vouch
