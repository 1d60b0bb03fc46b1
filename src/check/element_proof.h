// Is every element of an output the same on both sides, and defined on the target's where it is on the source's?
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/equality.h"
#include "check/assumptions.h"
#include "check/prove.h"
#include "instance/stores.h"

namespace vouch {

class ElementProof {
 public:
  // What is referred to must outlive this. `proof`: is told why not, and what was left of the difference.
  ElementProof(const Instance& instance, const Assumptions& assumed, Arithmetic& arithmetic, const ProveOptions& options,
               Proof& proof);

  // Exact, Real or Unknown.
  ProofResult of(const InstanceOutput& output);

 private:
  struct Sides {
    Term source;
    Term target;
  };
  // How a comparison is tried: by which laws, and whether the other one of two operands that tie is taken.
  struct Attempt {
    Algebra algebra;
    bool other_ties;
  };
  static constexpr Attempt kAttempts[] = {
      {Algebra::Exact, false}, {Algebra::Real, false}, {Algebra::Split, false}, {Algebra::Split, true}};

  ProofResult compare(const InstanceOutput& output, Sides stored);
  ProofResult compare_wrapped(const InstanceOutput& output, const Sides& stored);
  // Nothing: another attempt may show it. `has_ties`: there were operands that tie.
  std::optional<ProofResult> attempt(const Attempt& how, const InstanceOutput& output, const Context& box, const Sides& stored,
                                     Sides sides, bool& has_ties);
  Context box_of(const InstanceOutput& output) const;
  Context with_positions(Context box, const InstanceOutput& output, Term source) const;
  Term with_truths_chosen(Term term) const;
  bool is_modular(const InstanceOutput& output, const Sides& sides) const;
  std::set<Symbol> outside_of_reductions(const InstanceOutput& output) const;

  bool is_defined(FormBuilder& forms, Equality& equality, const Sides& sides, const Context& context);
  std::optional<std::string> forgets_otherwise(FormBuilder& forms, Equality& equality, const Sides& sides,
                                               const Context& context);
  std::optional<std::string> undefined_source(FormBuilder& forms, Equality& equality, Term source, const Context& context);

  const Instance& instance_;
  const Assumptions& assumed_;
  Arithmetic& arithmetic_;
  const ProveOptions& options_;
  Proof& proof_;
  const Stores stores_;
  const bool own_types_;  // what is claimed of these types alone may look at how large their numbers are
};

// Facts of several cases say nothing here.
Context with_facts(FormBuilder& forms, Context context, const std::vector<Term>& facts);

}  // namespace vouch
