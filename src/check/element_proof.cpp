#include "check/element_proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/congruence.h"
#include "algebra/logarithm.h"
#include "check/definedness.h"
#include "check/looked_up.h"
#include "facts/shape_of_terms.h"
#include "instance/proof_key.h"
#include "instance/wrapped_equations.h"
#include "instance/wrapping.h"
#include "term/infinity.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool has_same_indices(const InstanceOutput& output) { return output.source_body.indices == output.target_body.indices; }

bool has_no_elements(const InstanceOutput& output) {
  const std::vector<Term>& extents = output.source_type.extents();
  return std::find(extents.begin(), extents.end(), Term(0)) != extents.end();
}

void assume_positive(FormBuilder& forms, const std::vector<Term>& facts) {
  for (Term fact : facts) {
    bool above = fact.kind() == TermKind::RealLt && fact.arg(0).kind() == TermKind::RealConst && fact.arg(0)->value >= 0;
    NormalForm form = above && fact.arg(1).kind() == TermKind::Read ? forms.of(fact.arg(1)) : NormalForm{};
    if (is_one_atom(form, AtomKind::Read)) {
      forms.assume_positive(form[0].factors[0].atom);
    }
  }
}

}  // namespace

Context with_facts(FormBuilder& forms, Context context, const std::vector<Term>& facts) {
  for (Term fact : facts) {
    auto cases = forms.split(fact, true);
    if (cases.size() == 1) {
      context = context.with(cases[0]);
    }
  }
  return context;
}

ElementProof::ElementProof(const Instance& instance, const Assumptions& assumed, Arithmetic& arithmetic,
                           const ProveOptions& options, Proof& proof)
    : instance_(instance),
      assumed_(assumed),
      arithmetic_(arithmetic),
      options_(options),
      proof_(proof),
      stores_(instance),
      own_types_(claims_own_types(instance)) {}

ProofResult ElementProof::of(const InstanceOutput& output) {
  const Sides sides{assumed_.solved(output.source_body.value), assumed_.solved(output.target_body.value)};
  if ((sides.source == sides.target && has_same_indices(output)) || has_no_elements(output)) {
    return ProofResult::Exact;
  }
  ProofResult result = compare(output, sides);
  return result == ProofResult::Unknown ? compare_wrapped(output, sides) : result;
}

// Equations of integers by what they are modulo 2^w: seldom needed, and so looked at last.
ProofResult ElementProof::compare_wrapped(const InstanceOutput& output, const Sides& stored) {
  const Sides wrapped{with_wrapped_equations(stores_, own_types_, stored.source),
                      with_wrapped_equations(stores_, own_types_, stored.target)};
  bool other = wrapped.source != stored.source || wrapped.target != stored.target;
  return other ? compare(output, wrapped) : ProofResult::Unknown;
}

ProofResult ElementProof::compare(const InstanceOutput& output, Sides stored) {
  const Context box = with_positions(box_of(output), output, stored.source);
  FormBuilder exact(Algebra::Exact, assumed_.types());
  exact.claim_own_types(own_types_);
  exact.limit(options_.summands);
  Equality as_is(exact, arithmetic_);
  Congruence congruence(as_is, arithmetic_);
  stored.source = congruence.settled(stored.source, box.facts);
  stored.target = congruence.settled(stored.target, box.facts);
  const Sides chosen{with_truths_chosen(stored.source), with_truths_chosen(stored.target)};
  const bool alike = may_be_exact(chosen.source, chosen.target);
  // Infinity is none of the reals: their laws say nothing of it.
  const bool real = !speaks_of_infinity(stored.source) && !speaks_of_infinity(stored.target);
  if (alike && (congruence.congruent(stored.source, stored.target, box.facts) ||
                congruence.congruent_by_axes(stored.source, stored.target, box.facts))) {
    return ProofResult::Exact;
  }
  bool has_ties = false;
  for (const Attempt& how : kAttempts) {
    const bool bitwise = how.algebra == Algebra::Exact;
    if ((bitwise ? !alike : !real) || (how.other_ties && !has_ties)) {
      continue;
    }
    // What is rounded or wrapped in between matters bit for bit only.
    const Sides sides = bitwise ? chosen : Sides{without_stores(stored.source), without_stores(stored.target)};
    if (auto result = attempt(how, output, box, stored, sides, has_ties)) {
      return *result;
    }
  }
  return ProofResult::Unknown;
}

std::optional<ProofResult> ElementProof::attempt(const Attempt& how, const InstanceOutput& output, const Context& box,
                                                 const Sides& stored, Sides sides, bool& has_ties) {
  const bool bitwise = how.algebra == Algebra::Exact;
  std::vector<Term> of_scalars = assumed_.of_scalars();
  const std::set<Symbol> outside = outside_of_reductions(output);
  sides.source = with_elements(sides.source, assumed_.of_elements(), outside, of_scalars);
  sides.target = with_elements(sides.target, assumed_.of_elements(), outside, of_scalars);
  FormBuilder forms(how.algebra, assumed_.types());
  if (how.other_ties) {
    forms.take_other_ties();
  }
  forms.claim_own_types(own_types_);
  forms.limit(options_.summands);
  Equality equality(forms, arithmetic_);
  equality.set_fuel(options_.fuel);
  equality.limit_pairs(options_.pairs);
  equality.set_explain(options_.explain);
  const Context context = with_facts(forms, box, of_scalars);
  if (!bitwise) {
    assume_positive(forms, of_scalars);
    assume_functions_defined(forms, sides.source);
  }
  const bool equal = equality.equal(forms.of(sides.source), forms.of(sides.target), context);
  has_ties = forms.has_taken_ties();
  if (equality.spent_pairs()) {
    proof_.reason = fmt::format("more pairs of summands than are compared (to {})", options_.pairs);
  }
  if (!equal && how.algebra == Algebra::Real) {
    proof_.remainder = equality.remainder();
  }
  if (equal && !bitwise && !survives_wrapping(stores_, stored.source, stored.target)) {
    proof_.reason = "integers may wrap around";
    return ProofResult::Unknown;
  }
  if (!equal || !is_defined(forms, equality, sides, context)) {
    return std::nullopt;
  }
  if (auto nowhere = undefined_source(forms, equality, sides.source, context)) {
    proof_.reason = *nowhere;
    return ProofResult::Unknown;
  }
  return bitwise || is_modular(output, sides) ? ProofResult::Exact : ProofResult::Real;
}

// A truth value is 1 where it is set, and 0 elsewhere, and nothing else: no law of arithmetic.
Term ElementProof::with_truths_chosen(Term term) const {
  if (std::none_of(assumed_.types().begin(), assumed_.types().end(),
                   [](const auto& type) { return type.second == DType::Bool; })) {
    return term;
  }
  return replace_reads(term, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
    auto found = assumed_.types().find(tensor);
    if (found == assumed_.types().end() || found->second != DType::Bool) {
      return std::nullopt;
    }
    Term value = read(tensor, std::vector<Term>(indices.begin(), indices.end()));
    return select(real_eq(value, real_const(0)), real_const(0), real_const(1));
  });
}

// Integers that are only added, subtracted and multiplied: the laws of a ring hold of them bit for bit.
bool ElementProof::is_modular(const InstanceOutput& output, const Sides& sides) const {
  bool integers = is_integer(output.source_type.dtype()) && std::none_of(assumed_.types().begin(), assumed_.types().end(),
                                                                         [](const auto& type) { return is_float(type.second); });
  return integers && is_ring_of_integers(sides.source) && is_ring_of_integers(sides.target);
}

std::set<Symbol> ElementProof::outside_of_reductions(const InstanceOutput& output) const {
  std::set<Symbol> out(output.source_body.indices.begin(), output.source_body.indices.end());
  for (const FreeSymbol& symbol : instance_.symbols) {
    out.insert(symbol.name);
  }
  return out;
}

// Where the source has a value, what it looks up is there. (Nothing is said where that is nowhere.)
Context ElementProof::with_positions(Context box, const InstanceOutput& output, Term source) const {
  if (!has_some_that_fail(source)) {
    return box;
  }
  std::map<Symbol, std::vector<Term>> extents;
  for (const InputTensor& input : instance_.inputs) {
    std::vector<Term>& of = extents[input.name];
    for (Term extent : input.type.extents()) {
      of.push_back(without_remainders(assumed_.solved(extent)));
    }
  }
  Context with = box;
  for (Term fact : positions_inside(source, outside_of_reductions(output), extents, arithmetic_)) {
    with.facts.push_back(fact);
  }
  return with.facts.size() == box.facts.size() || arithmetic_.contradicts(with.facts) ? box : with;
}

Context ElementProof::box_of(const InstanceOutput& output) const {
  Context context;
  for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
    Term index = int_var(output.source_body.indices[axis]);
    Term extent = without_remainders(assumed_.solved(output.source_type.extents()[axis]));
    context.facts.push_back(le(0, index));
    context.facts.push_back(lt(index, extent));
  }
  return context;
}

// A proof over the reals says nothing of a source that has no value: a rule about such a source alone would mean nothing.
std::optional<std::string> ElementProof::undefined_source(FormBuilder& forms, Equality& equality, Term source,
                                                          const Context& context) {
  if (forms.algebra() == Algebra::Exact) {
    return std::nullopt;
  }
  PartialUses uses(forms, arithmetic_.families(), source);
  auto name = Definedness(forms, equality, arithmetic_).nowhere_defined(uses, context);
  return name ? std::optional(fmt::format("the source has no value: its {} has none, whatever is fed", *name)) : std::nullopt;
}

// Partial functions of the target are applied only to what the source applies them to; what was cancelled is not 0.
bool ElementProof::is_defined(FormBuilder& forms, Equality& equality, const Sides& sides, const Context& context) {
  Definedness defined(forms, equality, arithmetic_);
  PartialUses uses(forms, arithmetic_.families(), sides.source);
  std::vector<AtomRef> cancelled = forms.cancelled();
  for (AtomRef atom : cancelled) {
    if (!defined.is_not_zero(atom, uses, context)) {
      proof_.reason = fmt::format("{} was cancelled and may be 0", forms.text(atom));
      return false;
    }
  }
  if (sides.source == sides.target) {
    return true;
  }
  PartialUses wanted(forms, arithmetic_.families(), sides.target);
  if (!sees_undefined(sides.source) && !sees_undefined(sides.target)) {
    defined.take_extrema_as_elements();
  }
  auto uncovered = defined.uncovered(wanted, uses, context);
  if (!uncovered && forms.algebra() != Algebra::Exact && sees_undefined(sides.source)) {
    uncovered = forgets_otherwise(forms, equality, sides, context);
  }
  proof_.reason = uncovered ? *uncovered : proof_.reason;
  return !uncovered;
}

// A source that compares what has no value, and so forgets it, has a value there, which the target has to have.
std::optional<std::string> ElementProof::forgets_otherwise(FormBuilder& forms, Equality& equality, const Sides& sides,
                                                           const Context& context) {
  auto uses = [&](Term side, Fate fate) { return PartialUses(forms, arithmetic_.families(), side, fate); };
  Definedness defined(forms, equality, arithmetic_);
  const PartialUses forgotten = uses(sides.source, Fate::Forgotten);
  if (forgotten.pieces().empty()) {
    return std::nullopt;
  }
  if (defined.uncovered(forgotten, uses(sides.target, Fate::Forgotten), context)) {
    return "a comparison of the source is false where a number has no value; none of the target is shown to be";
  }
  return defined.uncovered(uses(sides.target, Fate::Kept), uses(sides.source, Fate::Kept), context);
}

}  // namespace vouch
