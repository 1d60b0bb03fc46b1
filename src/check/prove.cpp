#include "check/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "algebra/equality.h"
#include "algebra/partial.h"
#include "check/assumptions.h"
#include "check/definedness.h"
#include "check/element_proof.h"
#include "instance/proof_key.h"
#include "term/print.h"

namespace vouch {
namespace {

class Prover {
 public:
  Prover(const Instance& instance, const ProveOptions& options) : instance_(instance), options_(options), assumed_(instance) {}

  Proof run(KeptArithmetic& kept) {
    const FamilyFacts& families = assumed_.families();
    // Those of families and with scripts are of one proof.
    const bool common = families.families.empty() && families.universals.empty() && !options_.keep_scripts;
    std::unique_ptr<Arithmetic> arithmetic =
        common ? kept.take(assumed_.facts()) : std::make_unique<Arithmetic>(assumed_.facts(), options_.keep_scripts, families);
    arithmetic_ = arithmetic.get();
    arithmetic->limit(options_.questions);
    try {
      judge();
    } catch (const TooManySummands&) {
      proof_.result = ProofResult::Unknown;
      proof_.reason = fmt::format("normal forms of more than {} summands", options_.summands);
    }
    if (proof_.result == ProofResult::Unknown && arithmetic->exhausted()) {
      proof_.reason = fmt::format("more than {} questions about integers", options_.questions);
    }
    proof_.queries = arithmetic->queries();
    proof_.unknowns = arithmetic->unknowns();
    proof_.slowest_query_ms = arithmetic->slowest_ms();
    proof_.scripts = arithmetic->scripts();
    if (common && proof_.result != ProofResult::Unknown) {
      kept.keep(assumed_.facts(), std::move(arithmetic));
    }
    return std::move(proof_);
  }

 private:
  void fail(ProofResult result, std::string reason) {
    proof_.result = result;
    proof_.reason = std::move(reason);
  }

  void judge() {
    if (arithmetic_->contradicts({})) {
      return fail(ProofResult::Vacuous, "no sizes meet the source's conditions");
    }
    if (some_element_is_none()) {
      return fail(ProofResult::Vacuous, "no number meets the condition on every element");
    }
    if (!instance_.unsupported.empty()) {
      return fail(ProofResult::Unknown, instance_.unsupported);
    }
    if (!instance_.target_error.empty()) {
      return fail(ProofResult::IllTyped, instance_.target_error);
    }
    if (divisors_are_positive() && obligations_hold()) {
      outputs_agree();
    }
  }

  // Quotients mean what the lemmas say for divisors of at least 1 only.
  bool divisors_are_positive() {
    std::unordered_set<Term> seen;
    std::vector<Term> pending(assumed_.facts());
    for (const InstanceCondition& c : instance_.obligations) {
      pending.push_back(assumed_.solved(c.guard));
    }
    for (const InstanceOutput& output : instance_.outputs) {
      for (const Body* body : {&output.source_body, &output.target_body}) {
        pending.push_back(assumed_.solved(body->value));
      }
    }
    while (!pending.empty()) {
      Term term = pending.back();
      pending.pop_back();
      if (is_const(term) || !seen.insert(term).second) {
        continue;
      }
      bool divides = term.kind() == TermKind::FloorDiv || term.kind() == TermKind::FloorMod;
      if (divides && !arithmetic_->is_positive(term.arg(1)) && !arithmetic_->entails({}, ge(simplified(term.arg(1)), 1))) {
        fail(ProofResult::Unknown, fmt::format("the divisor {} may not be positive", print_term(term.arg(1))));
        return false;
      }
      pending.insert(pending.end(), term.args().begin(), term.args().end());
    }
    return true;
  }

  bool obligations_hold() {
    for (const InstanceCondition& c : instance_.obligations) {
      Term goal = assumed_.solved(c.guard);
      if (!is_entailed(goal)) {
        fail(ProofResult::Unknown, fmt::format("not shown: {} ({})", print_term(c.guard), c.why));
        return false;
      }
    }
    return true;
  }

  bool is_entailed(Term goal) { return arithmetic_->entails({}, goal) || arithmetic_->entails({}, simplified(goal)); }

  Term simplified(Term goal) {
    FormBuilder forms(Algebra::Exact, {});
    Equality equality(forms, *arithmetic_);
    return equality.simplified_index(without_remainders(goal), {});
  }

  void outputs_agree() {
    proof_.result = ProofResult::Exact;
    ElementProof elements(instance_, assumed_, *arithmetic_, options_, proof_);
    for (std::size_t k = 0; k < instance_.outputs.size() && proof_.result <= ProofResult::Real; ++k) {
      ProofResult here = elements.of(instance_.outputs[k]);
      proof_.result = std::max(proof_.result, here);
      if (here == ProofResult::Unknown && proof_.reason.empty()) {
        proof_.reason = fmt::format("output {}: the elements were not shown to be equal", k + 1);
      }
    }
    auto failing = proof_.result <= ProofResult::Real ? failing_call() : std::nullopt;
    if (failing) {
      fail(ProofResult::Unknown, *failing);
    }
  }

  // No number is an element of such a constant.
  bool some_element_is_none() {
    FormBuilder forms(Algebra::Real, assumed_.types());
    Equality equality(forms, *arithmetic_);
    return std::any_of(assumed_.of_elements().begin(), assumed_.of_elements().end(), [&](const auto& entry) {
      return arithmetic_->contradicts(entry.second.whole_facts()) ||
             equality.contradicts(with_facts(forms, {}, entry.second.facts_of(read(entry.first, {}))));
    });
  }

  // A run computes each call, also where nothing of it is chosen later: where the source's calls do not fail, the target's must
  // not.
  std::optional<std::string> failing_call() {
    FormBuilder forms(Algebra::Exact, assumed_.types());
    forms.claim_own_types(claims_own_types(instance_));
    forms.limit(options_.summands);
    Equality equality(forms, *arithmetic_);
    equality.set_fuel(options_.fuel);
    PartialUses wanted = PartialUses::that_fail(forms, arithmetic_->families());
    add_calls(wanted, true);
    if (wanted.pieces().empty()) {
      return std::nullopt;
    }
    PartialUses known = PartialUses::that_fail(forms, arithmetic_->families());
    add_calls(known, false);
    return Definedness(forms, equality, *arithmetic_).uncovered(wanted, known, {});
  }

  void add_calls(PartialUses& uses, bool of_target) const {
    for (const InstanceNode& node : instance_.nodes) {
      bool computed = !node.bodies.empty() && node.of_target == of_target && node.kind == InstanceNode::Kind::Call;
      if (!computed || (of_target && source_has(node))) {
        continue;
      }
      for (std::size_t k = 0; k < node.bodies.size(); ++k) {
        if (has_some_that_fail(node.bodies[k].value)) {
          Term value = assumed_.solved(node.bodies[k].value);
          Type result = node.type.is_tensor() ? node.type : node.type.items()[k];
          std::vector<Term> extents;
          for (Term extent : result.extents()) {
            extents.push_back(assumed_.solved(extent));
          }
          std::vector<Term> none;  // what is known of an element where no index is bound
          uses.add(node.bodies[k].indices, extents, with_elements(value, assumed_.of_elements(), {}, none));
        }
      }
    }
  }

  bool source_has(const InstanceNode& call) const {
    return std::any_of(instance_.nodes.begin(), instance_.nodes.end(), [&](const InstanceNode& other) {
      return !other.of_target && other.kind == call.kind && other.op == call.op && other.operands == call.operands &&
             other.attributes == call.attributes;
    });
  }

  const Instance& instance_;
  const ProveOptions& options_;
  const Assumptions assumed_;
  Arithmetic* arithmetic_ = nullptr;
  Proof proof_;
};

}  // namespace

Proof prove_instance(const Instance& instance, const ProveOptions& options, KeptArithmetic& kept) {
  return Prover(instance, options).run(kept);
}

Proof prove_instance(const Instance& instance, const ProveOptions& options) {
  KeptArithmetic none;
  return prove_instance(instance, options, none);
}

}  // namespace vouch
