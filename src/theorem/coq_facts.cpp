#include "theorem/coq_facts.h"

#include <algorithm>

#include "algebra/congruence.h"
#include "facts/integral_guards.h"
#include "facts/product_equations.h"
#include "facts/unit_equations.h"
#include "instance/proof_key.h"
#include "term/comparison.h"

namespace vouch {
namespace {

// Asked of integers while proofs for one instance are looked for. The shipped rules need fewer than a thousand; a search that
// asks more has split cases of cases, and whoever wants the theorem would wait for hours.
constexpr std::size_t kMostQuestions = 20'000;

void add_parts(Term fact, Facts& out) {
  if (fact.kind() == TermKind::And) {
    for (Term part : fact.args()) {
      add_parts(part, out);
    }
  } else if (!is_true(fact) && !speaks_of_scalars(fact)) {
    out.push_back(fact);
  }
}

void add_parts(const ElementCondition& condition, std::vector<ElementCondition>& out) {
  if (condition.guard.kind() == TermKind::And) {
    for (Term part : condition.guard.args()) {
      add_parts({condition.input, condition.element, part}, out);
    }
  } else {
    out.push_back(condition);
  }
}

// Of the reals, whatever they are: each is what it is.
bool compares_with_itself(Term guard) {
  bool holds = guard.kind() == TermKind::RealEq || guard.kind() == TermKind::RealLe;
  return holds && guard.arg(0) == guard.arg(1);
}

// What the guard speaks of, if it is one element that is compared.
std::optional<Term> element_of(Term guard) {
  std::optional<Term> out;
  for (Term arg : guard.args()) {
    if (arg.kind() == TermKind::Read) {
      out = arg;
    }
  }
  return out;
}

}  // namespace

ElementTypes CoqFacts::types_of(const Instance& instance) {
  ElementTypes out;
  for (const InputTensor& input : instance.inputs) {
    out.emplace(input.name, input.type.dtype());
  }
  return out;
}

std::vector<ElementCondition> CoqFacts::conditions_of(const Instance& instance) {
  std::vector<ElementCondition> out;
  for (const ElementCondition& condition : instance.every) {
    const InputTensor& input = instance.inputs[condition.input];
    if (is_float(input.type.dtype()) && !input.contents && !input.fill) {
      add_parts(condition, out);
    }
  }
  return out;
}

std::vector<std::pair<Symbol, Term>> CoqFacts::in_order(const Substitution& equals) {
  std::vector<std::pair<Symbol, Term>> out(equals.begin(), equals.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first.name() < b.first.name(); });
  return out;
}

// What speaks of sizes in the theorems of an instance.
std::vector<Term> CoqFacts::terms_of(const Instance& instance) {
  std::vector<Term> out;
  for (const auto* conditions : {&instance.assumptions, &instance.obligations}) {
    for (const InstanceCondition& condition : *conditions) {
      out.push_back(condition.guard);
    }
  }
  for (const InstanceOutput& output : instance.outputs) {
    out.insert(out.end(), {output.source_body.value, output.target_body.value});
  }
  return out;
}

Facts CoqFacts::facts_of(const Instance& instance, bool name_quotients) {
  std::vector<Term> all = assumed_;
  solved_ = solve_units(all, name_quotients ? &of_quotients_ : nullptr, name_quotients ? &quotients_ : nullptr);
  all.insert(all.end(), of_quotients_.begin(), of_quotients_.end());
  Facts plain;
  for (Term fact : all) {
    add_parts(substitute(fact, solved_), plain);
  }
  short_ = short_quotients(terms_of(instance), solved_, plain);
  Facts facts;
  for (Term fact : all) {
    add_parts(of_integers(with_names(without_remainders(substitute(fact, solved_)), short_)), facts);
  }
  for (Term fact : Facts(facts)) {
    auto shorter = without_common_factor(fact, facts);
    if (shorter && std::find(shorter_.begin(), shorter_.end(), *shorter) == shorter_.end()) {
      shorter_.push_back(*shorter);
    }
  }
  facts.insert(facts.end(), shorter_.begin(), shorter_.end());
  if (!short_.empty()) {
    by_short_ = solve_units(facts, nullptr);
  }
  return with_equals(facts);
}

Facts CoqFacts::with_equals(const Facts& facts) const {
  Facts out;
  for (Term fact : facts) {
    add_parts(substitute(fact, by_short_), out);
  }
  return out;
}

Term CoqFacts::of_integers(Term guard) const { return scalars_ == CoqScalars::Reals ? integral_guard(guard) : guard; }

CoqFacts::CoqFacts(const Instance& instance, CoqScalars scalars, bool name_quotients)
    : scalars_(scalars),
      types_(types_of(instance)),
      inputs_(instance.inputs),
      every_(conditions_of(instance)),
      own_types_(claims_own_types(instance)),
      assumed_(assumed(instance)),
      arithmetic_(facts_of(instance, name_quotients)),
      forms_(Algebra::Exact, {}),
      equality_(forms_, arithmetic_) {
  arithmetic_.limit(kMostQuestions);
}

bool CoqFacts::lies_inside(Term read, const InputTensor& tensor, const Facts& more) {
  for (std::size_t axis = 0; axis < read.args().size(); ++axis) {
    if (!entails(more, in_range(read.arg(axis), tensor.type.extents()[axis]))) {
      return false;
    }
  }
  return true;
}

bool CoqFacts::is_met(Term guard, const Facts& more) {
  std::optional<Term> element = element_of(guard);
  bool assumed = std::find(assumed_.begin(), assumed_.end(), guard) != assumed_.end();
  return assumed || (element && std::any_of(every_.begin(), every_.end(), [&](const ElementCondition& condition) {
                       const InputTensor& input = inputs_[condition.input];
                       return (*element)->symbol == input.name &&
                              substitute(condition.guard, condition.element, *element) == guard &&
                              lies_inside(*element, input, more);
                     }));
}

std::optional<NumberRange> CoqFacts::elements_of(Symbol tensor) const {
  auto found = types_.find(tensor);
  bool known = own_types_ && found != types_.end() && is_integer(found->second);
  return known ? std::optional(range_of(found->second)) : std::nullopt;
}

bool CoqFacts::is_whole(Symbol tensor) const {
  auto found = types_.find(tensor);
  return found != types_.end() && is_integer(found->second);
}

Term CoqFacts::prepared(Term term) const {
  Term out = substitute(with_names(without_remainders(substitute(term, solved_)), short_), by_short_);
  return out.sort() == Sort::Bool ? of_integers(out) : out;
}

Facts CoqFacts::prepared(const Facts& more) const {
  Facts out;
  for (Term fact : more) {
    add_parts(prepared(fact), out);
  }
  return out;
}

bool CoqFacts::entails(const Facts& more, Term given) {
  Term goal = of_integers(given);
  if (speaks_of_scalars(goal)) {
    return is_true(goal) || (scalars_ == CoqScalars::Reals && compares_with_itself(goal)) ||
           std::find(more.begin(), more.end(), given) != more.end();
  }
  Facts facts = prepared(more);
  Term wanted = prepared(goal);
  if (arithmetic_.entails(facts, wanted)) {
    return true;
  }
  Term simpler = equality_.simplified_index(wanted, facts);
  return (simpler != wanted && arithmetic_.entails(facts, simpler)) || arithmetic_.entails(simplified(facts), simpler);
}

Facts CoqFacts::simplified(const Facts& facts) {
  Facts out;
  for (Term fact : facts) {
    add_parts(equality_.simplified_index(fact, facts), out);
  }
  return out;
}

bool CoqFacts::contradicts(const Facts& more) {
  Facts facts = prepared(more);
  return arithmetic_.contradicts(facts) || arithmetic_.contradicts(simplified(facts));
}

Term CoqFacts::simplified(Term term, const Facts& more) { return equality_.simplified_index(prepared(term), prepared(more)); }

bool CoqFacts::equal(Term a, Term b, const Facts& more) { return a == b || entails(more, eq(a, b)); }

bool CoqFacts::same(Term a, Term b, const Facts& more) {
  if (a == b) {
    return true;
  }
  Facts facts = prepared(more);
  Congruence congruence(equality_, arithmetic_);
  Term x = congruence.settled(prepared(a), facts);
  Term y = congruence.settled(prepared(b), facts);
  if (congruence.congruent(x, y, facts)) {
    return true;
  }
  for (Algebra algebra : {Algebra::Real, Algebra::Split}) {
    FormBuilder forms(algebra, types_);
    Equality equality(forms, arithmetic_);
    constexpr std::size_t kFuel = 1000;
    equality.set_fuel(kFuel);
    Context context;
    context.facts = facts;
    for (Term fact : more) {
      if (speaks_of_scalars(fact)) {
        auto cases = forms.split(fact, true);
        if (cases.size() == 1) {
          context = context.with(cases[0]);
        }
      }
    }
    if (equality.equal(forms.of(x), forms.of(y), context)) {
      return true;
    }
  }
  return false;
}

}  // namespace vouch
