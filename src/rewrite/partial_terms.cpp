#include "rewrite/partial_terms.h"

#include "support/fault.h"
#include "term/partial_function.h"

namespace vouch {
namespace {

using Needs = PartialTerm::Needs;

class Collector {
 public:
  explicit Collector(std::vector<PartialTerm>& out) : out_(out) {}

  void statement(const Statement& statement, const std::vector<Term>& extents) {
    indices_.clear();
    for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
      indices_.push_back({statement.indices[axis], extents[axis]});
    }
    visit(statement.value);
  }

 private:
  void visit(Term term) {
    if (auto divisor = divisor_of(term)) {
      add_divisor(*divisor);
    } else if (term.kind() == TermKind::Call) {
      add_function(term);
    }
    if (term.kind() == TermKind::Select || term.kind() == TermKind::IntSelect) {
      visit(term.arg(0));
      guarded(term.arg(0), term.arg(1));
      guarded(negate(term.arg(0)), term.arg(2));
    } else if (term.kind() == TermKind::Reduce) {
      reduction(term);
    } else {
      for (Term arg : term.args()) {
        visit(arg);
      }
    }
  }

  void guarded(Term guard, Term term) {
    guards_.push_back(guard);
    visit(term);
    guards_.pop_back();
  }

  void reduction(Term term) {
    std::size_t outer = indices_.size();
    for (std::size_t k = 0; k < term->bound.size(); ++k) {
      indices_.push_back({term->bound[k], term.arg(k + 2)});
    }
    visit(term.arg(1));
    guarded(term.arg(1), term.arg(0));
    indices_.resize(outer);
  }

  // A root is 0 where what is under it is, and so on.
  void add_divisor(Term divisor) {
    if (divisor.kind() == TermKind::RealMul) {
      add_divisor(divisor.arg(0));
      add_divisor(divisor.arg(1));
    } else if (divisor.kind() == TermKind::RealNeg ||
               (divisor.kind() == TermKind::Call && (divisor->fn == Fn::Sqrt || divisor->fn == Fn::Abs))) {
      add_divisor(divisor.arg(0));
    } else {
      add(Needs::NonZero, divisor);
    }
  }

  void add_function(Term term) {
    if (term->fn == Fn::Log) {
      add(Needs::Positive, term.arg(0));
    } else if (term->fn == Fn::Sqrt) {
      add(Needs::NonNegative, term.arg(0));
    } else if (is_partial_call(term)) {
      add(Needs::Value, term);
    }
  }

  void add(Needs needs, Term term) {
    if (!tensors_read(term).empty()) {
      out_.push_back({needs, term, indices_, guards_});
    }
  }

  std::vector<PartialTerm>& out_;
  std::vector<BoundIndex> indices_;
  std::vector<Term> guards_;
};

const std::vector<Term>& extents_of(const Kernel& meaning, Symbol name) {
  for (const std::vector<TensorDecl>* declared : {&meaning.locals, &meaning.outputs}) {
    for (const TensorDecl& tensor : *declared) {
      if (tensor.name == name) {
        return tensor.extents;
      }
    }
  }
  fault("a statement has a target");
}

}  // namespace

std::vector<PartialTerm> partial_terms(const Kernel& meaning) {
  std::vector<PartialTerm> out;
  Collector collector(out);
  for (const Statement& statement : meaning.statements) {
    collector.statement(statement, extents_of(meaning, statement.target));
  }
  return out;
}

}  // namespace vouch
