#include "check/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "algebra/congruence.h"
#include "algebra/equality.h"
#include "algebra/logarithm.h"
#include "algebra/partial.h"
#include "check/definedness.h"
#include "check/every_element.h"
#include "facts/shape_of_terms.h"
#include "facts/unit_equations.h"
#include "instance/proof_key.h"
#include "instance/stores.h"
#include "instance/wrapped_equations.h"
#include "instance/wrapping.h"
#include "term/comparison.h"
#include "term/infinity.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// How a comparison is tried: by which laws, and whether the other one of two operands that tie is taken.
constexpr std::pair<Algebra, bool> kAttempts[] = {
    {Algebra::Exact, false}, {Algebra::Real, false}, {Algebra::Split, false}, {Algebra::Split, true}};

class Prover {
 public:
  Prover(const Instance& instance, const ProveOptions& options) : instance_(instance), options_(options), stores_(instance) {}

  Proof run(KeptArithmetic& kept) {
    prepare();
    // Those of families and with scripts are of one proof.
    const bool common = families_.families.empty() && families_.universals.empty() && !options_.keep_scripts;
    std::unique_ptr<Arithmetic> arithmetic =
        common ? kept.take(facts_) : std::make_unique<Arithmetic>(facts_, options_.keep_scripts, std::move(families_));
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
      kept.keep(facts_, std::move(arithmetic));
    }
    return std::move(proof_);
  }

 private:
  // Facts of the assumptions; equations with a lone unknown are solved and substituted everywhere.
  void prepare() {
    std::vector<Term> all = assumed(instance_);
    std::vector<Term> quotients;
    solved_ = solve_units(all, &quotients);
    all.insert(all.end(), quotients.begin(), quotients.end());
    solve_families(all);
    for (Term fact : all) {
      add_fact(without_remainders(solved(fact)));
    }
    for (Term fact : Facts(facts_)) {
      if (auto shorter = without_common_factor(fact, facts_)) {
        facts_.push_back(*shorter);
      }
    }
    for (const InputTensor& input : instance_.inputs) {
      types_.emplace(input.name, input.type.dtype());
    }
    for (const ElementCondition& condition : instance_.every) {
      const InputTensor& input = instance_.inputs[condition.input];
      every_.try_emplace(input.name, condition.element, input.type.dtype())
          .first->second.add(without_remainders(solved(condition.guard)));
    }
  }

  void add_fact(Term fact) {
    if (fact.kind() == TermKind::And) {
      for (Term part : fact.args()) {
        add_fact(part);
      }
    } else if (!is_true(fact)) {
      (speaks_of_scalars(fact) ? scalar_facts_ : facts_).push_back(fact);
    }
  }

  // Facts on a branch hold for all; an equation that determines an item of each is substituted everywhere.
  void solve_families(const std::vector<Term>& all) {
    families_.families = instance_.families;
    for (const Families::Range& range : instance_.families.ranges) {
      for (Term fact : all) {
        Term here = substitute(fact, solved_);
        if (mentions(here, range.index)) {
          families_.universals.push_back({range.index, range.length, range.from, without_remainders(here)});
          solve_item(here, range, all);
        }
      }
    }
    for (const auto& [name, defined] : instance_.families.defined) {
      families_.universals.push_back(
          {defined.index, defined.length, 0, eq(family_item(name, int_var(defined.index)), defined.size)});
    }
    rename_families();
    for (Universal& u : families_.universals) {
      u.guard = without_remainders(solved(u.guard));
    }
    std::erase_if(families_.universals, [](const Universal& u) { return is_true(u.guard); });
  }

  void solve_item(Term fact, const Families::Range& range, const std::vector<Term>& all) {
    if (fact.kind() != TermKind::IntEq) {
      return;
    }
    // Of the branches before `from`, which are first instances, it must have been said as well.
    for (std::int64_t k = 0; k < range.from; ++k) {
      Term there = substitute(fact, range.index, Term(k));
      if (!is_true(there) &&
          std::none_of(all.begin(), all.end(), [&](Term other) { return substitute(other, solved_) == there; })) {
        return;
      }
    }
    for (int side : {0, 1}) {
      auto item = as_family_item(fact.arg(static_cast<std::size_t>(side)));
      Term value = fact.arg(static_cast<std::size_t>(1 - side));
      if (!item || item->branch != int_var(range.index) || items_.contains(item->name)) {
        continue;
      }
      auto other = as_family_item(value);
      bool same_branch = other && other->branch == item->branch && !items_.contains(other->name);
      if (same_branch || !mentions(value, range.index)) {
        items_.emplace(item->name, substitute(value, range.index, int_var(Symbol(kPositionIndex))));
        return;
      }
    }
  }

  // Sums of items that are others, and positions among them, are sums of those and positions among those.
  void rename_families() {
    Symbol k(kPositionIndex);
    for (const auto& [name, sum] : instance_.families.sums) {
      auto value = items_.find(sum.item);
      auto other = value == items_.end() ? std::nullopt : as_family_item(value->second);
      if (other && other->branch == int_var(k)) {
        Symbol renamed("sum of " + other->name.name());
        families_.families.sums.try_emplace(renamed, Families::PrefixSum{renamed, other->name, sum.least});
        derived_.emplace(name, family_item(renamed, int_var(k)));
      } else if (value != items_.end()) {
        derived_.emplace(name, value->second * int_var(k));
      }
    }
    for (const auto& [name, position] : instance_.families.positions) {
      Families::Position now = position;
      now.size = solved(position.size);
      now.before = solved(position.before);
      now.total = solved(position.total);
      now.length = solved(position.length);
      if (now.size == position.size && now.length == position.length) {
        families_.families.positions.insert_or_assign(name, now);
        continue;
      }
      now.find = position_name(now.length, now.size);
      derived_.emplace(name, mentions(now.size, k) ? family_item(now.find, int_var(k)) : floor_div(int_var(k), now.size));
      families_.families.positions.insert_or_assign(now.find, now);
    }
  }

  Term solved(Term term) const {
    Term out = substitute(term, solved_);
    if (items_.empty() && derived_.empty()) {
      return out;
    }
    return replace_reads(out, [&](Symbol name, std::span<const Term> at) -> std::optional<Term> {
      for (const auto* known : {&items_, &derived_}) {
        if (auto found = known->find(name); found != known->end() && at.size() == 1) {
          return real_of(substitute(found->second, Symbol(kPositionIndex), at[0]));
        }
      }
      return std::nullopt;
    });
  }

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
    std::vector<Term> pending(facts_);
    for (const InstanceCondition& c : instance_.obligations) {
      pending.push_back(solved(c.guard));
    }
    for (const InstanceOutput& output : instance_.outputs) {
      for (const Body* body : {&output.source_body, &output.target_body}) {
        pending.push_back(solved(body->value));
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
      Term goal = solved(c.guard);
      if (!entails_by_cases(goal, 0)) {
        fail(ProofResult::Unknown, fmt::format("not shown: {} ({})", print_term(c.guard), c.why));
        return false;
      }
    }
    return true;
  }

  bool entails_by_cases(Term goal, int) { return arithmetic_->entails({}, goal) || arithmetic_->entails({}, simplified(goal)); }

  Term simplified(Term goal) {
    FormBuilder forms(Algebra::Exact, {});
    Equality equality(forms, *arithmetic_);
    return equality.simplified_index(without_remainders(goal), {});
  }

  void outputs_agree() {
    proof_.result = ProofResult::Exact;
    for (std::size_t k = 0; k < instance_.outputs.size() && proof_.result <= ProofResult::Real; ++k) {
      const InstanceOutput& output = instance_.outputs[k];
      Term source = solved(output.source_body.value);
      Term target = solved(output.target_body.value);
      bool same = (source == target && source_is_plain(output)) || has_no_elements(output);
      ProofResult here = same ? ProofResult::Exact : compare(output, source, target);
      if (here == ProofResult::Unknown) {
        here = compare_wrapped(output, source, target);
      }
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

  // Equations of integers by what they are modulo 2^w: seldom needed, and so looked at last.
  ProofResult compare_wrapped(const InstanceOutput& output, Term source, Term target) {
    Term wrapped_source = with_wrapped_equations(stores_, claims_own_types(instance_), source);
    Term wrapped_target = with_wrapped_equations(stores_, claims_own_types(instance_), target);
    bool other = wrapped_source != source || wrapped_target != target;
    return other ? compare(output, wrapped_source, wrapped_target) : ProofResult::Unknown;
  }

  static bool source_is_plain(const InstanceOutput& output) { return output.source_body.indices == output.target_body.indices; }

  static bool has_no_elements(const InstanceOutput& output) {
    const std::vector<Term>& extents = output.source_type.extents();
    return std::find(extents.begin(), extents.end(), Term(0)) != extents.end();
  }

  ProofResult compare(const InstanceOutput& output, Term stored_source, Term stored_target) {
    Context box = box_of(output);
    FormBuilder exact(Algebra::Exact, types_);
    claim_types(exact);
    exact.limit(options_.summands);
    Equality as_is(exact, *arithmetic_);
    Congruence congruence(as_is, *arithmetic_);
    stored_source = congruence.settled(stored_source, box.facts);
    stored_target = congruence.settled(stored_target, box.facts);
    Term chosen_source = with_truths_chosen(stored_source);
    Term chosen_target = with_truths_chosen(stored_target);
    bool alike = may_be_exact(chosen_source, chosen_target);
    // Infinity is none of the reals: their laws say nothing of it.
    const bool real = !speaks_of_infinity(stored_source) && !speaks_of_infinity(stored_target);
    if (alike && (congruence.congruent(stored_source, stored_target, box.facts) ||
                  congruence.congruent_by_axes(stored_source, stored_target, box.facts))) {
      return ProofResult::Exact;
    }
    bool has_ties = false;
    for (auto [algebra, other_ties] : kAttempts) {
      if ((algebra == Algebra::Exact ? !alike : !real) || (other_ties && !has_ties)) {
        continue;
      }
      // What is rounded or wrapped in between matters bit for bit only.
      Term source = algebra == Algebra::Exact ? chosen_source : without_stores(stored_source);
      Term target = algebra == Algebra::Exact ? chosen_target : without_stores(stored_target);
      std::vector<Term> scalar_facts = scalar_facts_;
      const std::set<Symbol> outside = outside_of_reductions(output);
      source = with_elements(source, every_, outside, scalar_facts);
      target = with_elements(target, every_, outside, scalar_facts);
      FormBuilder forms(algebra, types_);
      if (other_ties) {
        forms.take_other_ties();
      }
      claim_types(forms);
      forms.limit(options_.summands);
      Equality equality(forms, *arithmetic_);
      equality.set_fuel(options_.fuel);
      equality.limit_pairs(options_.pairs);
      equality.set_explain(options_.explain);
      Context context = box;
      context = with_facts(forms, std::move(context), scalar_facts);
      if (algebra != Algebra::Exact) {
        assume_positive(forms, scalar_facts);
        assume_functions_defined(forms, source);
      }
      bool equal = equality.equal(forms.of(source), forms.of(target), context);
      has_ties = forms.has_taken_ties();
      if (equality.spent_pairs()) {
        proof_.reason = fmt::format("more pairs of summands than are compared (to {})", options_.pairs);
      }
      if (equal && algebra != Algebra::Exact && !survives_wrapping(stores_, stored_source, stored_target)) {
        proof_.reason = "integers may wrap around";
        return ProofResult::Unknown;
      }
      if (equal && is_defined(forms, equality, source, target, context)) {
        if (auto nowhere = undefined_source(forms, equality, source, context)) {
          proof_.reason = *nowhere;
          return ProofResult::Unknown;
        }
        bool exact_as_well = algebra == Algebra::Exact || is_modular(output, source, target);
        return exact_as_well ? ProofResult::Exact : ProofResult::Real;
      }
      if (!equal && algebra == Algebra::Real) {
        proof_.remainder = equality.remainder();
      }
    }
    return ProofResult::Unknown;
  }

  // Facts of several cases say nothing here.
  static Context with_facts(FormBuilder& forms, Context context, const std::vector<Term>& facts) {
    for (Term fact : facts) {
      auto cases = forms.split(fact, true);
      if (cases.size() == 1) {
        context = context.with(cases[0]);
      }
    }
    return context;
  }

  static void assume_positive(FormBuilder& forms, const std::vector<Term>& facts) {
    for (Term fact : facts) {
      bool above = fact.kind() == TermKind::RealLt && fact.arg(0).kind() == TermKind::RealConst && fact.arg(0)->value >= 0;
      NormalForm form = above && fact.arg(1).kind() == TermKind::Read ? forms.of(fact.arg(1)) : NormalForm{};
      if (is_one_atom(form, AtomKind::Read)) {
        forms.assume_positive(form[0].factors[0].atom);
      }
    }
  }

  // No number is an element of such a constant.
  bool some_element_is_none() {
    FormBuilder forms(Algebra::Real, types_);
    Equality equality(forms, *arithmetic_);
    return std::any_of(every_.begin(), every_.end(), [&](const auto& entry) {
      return arithmetic_->contradicts(entry.second.whole_facts()) ||
             equality.contradicts(with_facts(forms, {}, entry.second.facts_of(read(entry.first, {}))));
    });
  }

  // What is claimed of these types alone may look at how large their numbers are.
  void claim_types(FormBuilder& forms) const {
    if (claims_own_types(instance_)) {
      forms.claim_own_types();
    }
  }

  // A truth value is 1 where it is set, and 0 elsewhere, and nothing else: no law of arithmetic.
  Term with_truths_chosen(Term term) const {
    if (std::none_of(types_.begin(), types_.end(), [](const auto& type) { return type.second == DType::Bool; })) {
      return term;
    }
    return replace_reads(term, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
      auto found = types_.find(tensor);
      if (found == types_.end() || found->second != DType::Bool) {
        return std::nullopt;
      }
      Term value = read(tensor, std::vector<Term>(indices.begin(), indices.end()));
      return select(real_eq(value, real_const(0)), real_const(0), real_const(1));
    });
  }

  // Integers that are only added, subtracted and multiplied: the laws of a ring hold of them bit for bit.
  bool is_modular(const InstanceOutput& output, Term source, Term target) const {
    bool integers = is_integer(output.source_type.dtype()) &&
                    std::none_of(types_.begin(), types_.end(), [](const auto& type) { return is_float(type.second); });
    return integers && is_ring_of_integers(source) && is_ring_of_integers(target);
  }

  std::set<Symbol> outside_of_reductions(const InstanceOutput& output) const {
    std::set<Symbol> out(output.source_body.indices.begin(), output.source_body.indices.end());
    for (const FreeSymbol& symbol : instance_.symbols) {
      out.insert(symbol.name);
    }
    return out;
  }

  Context box_of(const InstanceOutput& output) const {
    Context context;
    for (std::size_t axis = 0; axis < output.source_body.indices.size(); ++axis) {
      Term index = int_var(output.source_body.indices[axis]);
      Term extent = without_remainders(solved(output.source_type.extents()[axis]));
      context.facts.push_back(le(0, index));
      context.facts.push_back(lt(index, extent));
    }
    return context;
  }

  // A run computes each call, also where nothing of it is chosen later: where the source's calls do not fail, the target's must
  // not.
  std::optional<std::string> failing_call() {
    FormBuilder forms(Algebra::Exact, types_);
    claim_types(forms);
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
          Term value = solved(node.bodies[k].value);
          Type result = node.type.is_tensor() ? node.type : node.type.items()[k];
          std::vector<Term> extents;
          for (Term extent : result.extents()) {
            extents.push_back(solved(extent));
          }
          std::vector<Term> none;  // what is known of an element where no index is bound
          uses.add(node.bodies[k].indices, extents, with_elements(value, every_, {}, none));
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

  // A proof over the reals says nothing of a source that has no value: a rule about such a source alone would mean nothing.
  std::optional<std::string> undefined_source(FormBuilder& forms, Equality& equality, Term source, const Context& context) {
    if (forms.algebra() == Algebra::Exact) {
      return std::nullopt;
    }
    PartialUses uses(forms, arithmetic_->families(), source);
    auto name = Definedness(forms, equality, *arithmetic_).nowhere_defined(uses, context);
    return name ? std::optional(fmt::format("the source has no value: its {} has none, whatever is fed", *name)) : std::nullopt;
  }

  // Partial functions of the target are applied only to what the source applies them to; what was cancelled is not 0.
  bool is_defined(FormBuilder& forms, Equality& equality, Term source, Term target, const Context& context) {
    Definedness defined(forms, equality, *arithmetic_);
    PartialUses uses(forms, arithmetic_->families(), source);
    std::vector<AtomRef> cancelled = forms.cancelled();
    for (AtomRef atom : cancelled) {
      if (!defined.is_not_zero(atom, uses, context)) {
        proof_.reason = fmt::format("{} was cancelled and may be 0", forms.text(atom));
        return false;
      }
    }
    if (source == target) {
      return true;
    }
    PartialUses wanted(forms, arithmetic_->families(), target);
    if (!sees_undefined(source) && !sees_undefined(target)) {
      defined.take_extrema_as_elements();
    }
    auto uncovered = defined.uncovered(wanted, uses, context);
    if (!uncovered && forms.algebra() != Algebra::Exact && sees_undefined(source)) {
      uncovered = forgets_otherwise(forms, equality, source, target, context);
    }
    proof_.reason = uncovered ? *uncovered : proof_.reason;
    return !uncovered;
  }

  // A source that compares what has no value, and so forgets it, has a value there, which the target has to have.
  std::optional<std::string> forgets_otherwise(FormBuilder& forms, Equality& equality, Term source, Term target,
                                               const Context& context) {
    auto uses = [&](Term side, Fate fate) { return PartialUses(forms, arithmetic_->families(), side, fate); };
    Definedness defined(forms, equality, *arithmetic_);
    const PartialUses forgotten = uses(source, Fate::Forgotten);
    if (forgotten.pieces().empty()) {
      return std::nullopt;
    }
    if (defined.uncovered(forgotten, uses(target, Fate::Forgotten), context)) {
      return "a comparison of the source is false where a number has no value; none of the target is shown to be";
    }
    return defined.uncovered(uses(target, Fate::Kept), uses(source, Fate::Kept), context);
  }

  const Instance& instance_;
  const ProveOptions& options_;
  const Stores stores_;
  Substitution solved_;
  std::map<Symbol, Term> items_;    // families of which item k is known by others (kPositionIndex stands for k)
  std::map<Symbol, Term> derived_;  // and sums and positions of such
  FamilyFacts families_;
  Facts facts_;
  std::vector<Term> scalar_facts_;
  std::map<Symbol, EveryElement> every_;  // by the constant
  ElementTypes types_;
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
