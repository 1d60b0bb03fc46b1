#include "facts/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "facts/exact_quotient.h"
#include "facts/linear_solver.h"
#include "facts/witnesses.h"

namespace vouch {
namespace {

// Sets of symbols as bits: which facts are connected is asked at every query.
class SymbolSets {
 public:
  using Set = std::vector<std::uint64_t>;

  const Set& of(Term term) {
    auto found = known_.find(term);
    if (found == known_.end()) {
      Set set;
      for (Symbol name : symbols_of(term)) {
        std::size_t bit = bits_.try_emplace(name, bits_.size()).first->second;
        set.resize(std::max(set.size(), bit / 64 + 1));
        set[bit / 64] |= std::uint64_t{1} << (bit % 64);
      }
      found = known_.emplace(term, std::move(set)).first;
    }
    return found->second;
  }
  static bool meet(const Set& a, const Set& b) {
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      if ((a[k] & b[k]) != 0) {
        return true;
      }
    }
    return false;
  }
  // False if it had all of them.
  static bool add(Set& to, const Set& more) {
    to.resize(std::max(to.size(), more.size()));
    bool grew = false;
    for (std::size_t k = 0; k < more.size(); ++k) {
      grew = grew || (more[k] & ~to[k]) != 0;
      to[k] |= more[k];
    }
    return grew;
  }

 private:
  std::unordered_map<Symbol, std::size_t> bits_;
  std::unordered_map<Term, Set> known_;
};

SymbolSets& symbol_sets() {
  thread_local SymbolSets sets;
  return sets;
}

// Answers that hold for every instance of a rule, not only for the one that asked: a query is determined by its facts, by
// which of their divisors count as positive, and by what holds of every branch, since nothing else decides the lemmas.
std::unordered_map<Ids, bool, WordsHash>& known_answers() {
  thread_local std::unordered_map<Ids, bool, WordsHash> answers;
  return answers;
}

Witnesses& witnesses() {
  thread_local Witnesses points;
  return points;
}

// Steps that no useful query comes near; a hopeless one ends after a tenth of a second or so.
constexpr std::uint32_t kSteps = 60000;

// Questions that one instance may ask; proofs of the shipped rules ask a few hundred at most. Those that a point answers count:
// which ones do depends on what the solver was asked before.
constexpr std::size_t kMostQueries = 5000;

// A fresh one costs more than most proofs; but its expressions are kept, so begin anew at times.
std::unique_ptr<LinearSolver>& thread_solver() {
  thread_local std::unique_ptr<LinearSolver> solver;
  return solver;
}

std::uint32_t& thread_seed() {
  thread_local std::uint32_t seed = 0;
  return seed;
}

LinearSolver& ready_solver() {
  std::unique_ptr<LinearSolver>& solver = thread_solver();
  constexpr std::size_t kMostChecks = 20000;
  if (!solver || solver->checks() > kMostChecks) {
    solver = std::make_unique<LinearSolver>(Solver::Options{kSteps, thread_seed()});
  }
  return *solver;
}

Facts without_remainders(Facts facts) {
  for (Term& fact : facts) {
    fact = vouch::without_remainders(fact);
  }
  return facts;
}

}  // namespace

Arithmetic::Arithmetic(Facts base, bool keep_scripts, FamilyFacts families)
    : base_(without_remainders(std::move(base))),
      base_bounds_(base_),
      families_(std::move(families)),
      keep_scripts_(keep_scripts) {
  base_products_ = product_equations(base_);
  base_symbols_.reserve(base_.size());
  for (Term fact : base_) {
    base_symbols_.push_back(&symbol_sets().of(fact));
  }
}

void Arithmetic::begin_proof() {
  scripts_.clear();
  queries_ = 0;
  questions_ = 0;
  most_questions_ = std::numeric_limits<std::size_t>::max();
  unknowns_ = 0;
  slowest_ = 0;
}

bool Arithmetic::unsat(const Facts& facts) {
  if (exhausted()) {
    return false;
  }
  ++questions_;
  Facts kept;
  kept.reserve(facts.size());
  for (Term fact : facts) {
    if (is_false(fact)) {
      return true;
    }
    if (!is_true(fact) && std::find(kept.begin(), kept.end(), fact) == kept.end()) {
      kept.push_back(fact);
    }
  }
  Ids key = key_of(kept);
  auto& answers = known_answers();
  if (auto found = answers.find(key); found != answers.end()) {
    return found->second;
  }
  if (queries_ == kMostQueries) {
    ++unknowns_;
    return false;
  }
  ++queries_;
  for (Term fact : kept) {
    if (std::find(kept.begin(), kept.end(), negate(fact)) != kept.end()) {
      return answers[key] = true;
    }
  }
  if (witnesses().satisfy(kept)) {
    return answers[key] = false;
  }
  Facts all = with_lemmas(kept, families_, [this](Term divisor) { return is_positive(divisor); });
  std::string name = fmt::format("q{}", queries_);
  LinearSolver& solver = ready_solver();
  Answer answer = solver.check(all, name);
  if (answer == Answer::Sat) {
    witnesses().offer(kept, [&](Symbol variable) { return solver.value(variable); });
  }
  if (keep_scripts_ && answer == Answer::Unsat) {
    scripts_.push_back({name, answer, solver.script(all, name, answer)});
  }
  unknowns_ += answer == Answer::Unknown ? 1 : 0;
  slowest_ = std::max(slowest_, solver.last_ms());
  return answers[key] = answer == Answer::Unsat;
}

Ids Arithmetic::key_of(const Facts& facts) {
  std::set<Term, TermOrder> divisors;
  Ids key;
  key.reserve(2 * facts.size());
  for (Term fact : facts) {
    key.push_back(fact.id());
    const std::vector<Term>& inside = divisors_of(fact);
    divisors.insert(inside.begin(), inside.end());
  }
  std::sort(key.begin(), key.end());
  key.push_back(nullptr);
  for (Term divisor : divisors) {
    if (is_positive(divisor)) {
      key.push_back(divisor.id());
    }
  }
  key.push_back(nullptr);
  for (const Universal& u : families_.universals) {
    key.push_back(u.guard.id());
  }
  return key;
}

void Arithmetic::begin_rule(std::uint32_t seed) {
  known_answers().clear();
  witnesses() = {};
  symbol_sets() = {};
  if (thread_seed() != seed) {
    thread_seed() = seed;
    thread_solver() = nullptr;
  }
}

// The facts that are connected to these terms' symbols, directly or through others.
Facts Arithmetic::relevant(const Facts& more, std::span<const Term> terms) const {
  SymbolSets& sets = symbol_sets();
  SymbolSets::Set reached;
  for (Term term : terms) {
    SymbolSets::add(reached, sets.of(term));
  }
  std::vector<const SymbolSets::Set*> all;
  all.reserve(base_.size() + more.size());
  all = base_symbols_;
  for (Term fact : more) {
    all.push_back(&sets.of(fact));
  }
  // Those that are not reached yet, in order.
  std::vector<std::uint32_t> apart(all.size());
  std::iota(apart.begin(), apart.end(), 0U);
  std::vector<bool> taken(all.size());
  std::size_t count = 0;
  for (bool grew = true; grew;) {
    grew = false;
    std::erase_if(apart, [&](std::uint32_t k) {
      if (!SymbolSets::meet(*all[k], reached)) {
        return false;
      }
      taken[k] = true;
      ++count;
      grew = SymbolSets::add(reached, *all[k]) || grew;
      return true;
    });
  }
  Facts out;
  out.reserve(count + 2);  // who asks adds a denial
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (taken[k]) {
      out.push_back(k < base_.size() ? base_[k] : more[k - base_.size()]);
    }
  }
  return out;
}

namespace {

// The negation as facts of their own, as far as it is a conjunction.
void deny(Term goal, Facts& facts) {
  if (goal.kind() == TermKind::Or) {
    for (Term part : goal.args()) {
      deny(part, facts);
    }
  } else if (goal.kind() == TermKind::Not && goal.arg(0).kind() == TermKind::And) {
    facts.insert(facts.end(), goal.arg(0).args().begin(), goal.arg(0).args().end());
  } else {
    facts.push_back(negate(goal));
  }
}

}  // namespace

bool Arithmetic::entails(const Facts& more, Term goal) {
  goal = without_remainders(goal);
  if (auto known = const_bool(goal)) {
    return *known;
  }
  if (goal.kind() == TermKind::And) {
    return std::all_of(goal.args().begin(), goal.args().end(), [&](Term part) { return entails(more, part); });
  }
  const UnderFacts question = under(goal, more);
  if (auto known = answered_.find(question); known != answered_.end()) {
    return known->second;
  }
  bool follows = derives(more, goal);
  if (follows || judging_ == 0) {  // a divisor that is being judged counts as not positive, for so long
    answered_.emplace(question, follows);
  }
  return follows;
}

// Is the goal a fact, or an equation between the same two terms as one?
bool Arithmetic::says(const Facts& more, Term goal) const {
  bool equation = goal.kind() == TermKind::IntEq;
  Term zero = equation ? goal.arg(1) - goal.arg(0) : Term();
  auto is_goal = [&](Term fact) {
    if (fact == goal || !equation || fact.kind() != TermKind::IntEq) {
      return fact == goal;
    }
    Term other = fact.arg(1) - fact.arg(0);
    return other == zero || other == Term(0) - zero;
  };
  return std::any_of(base_.begin(), base_.end(), is_goal) || std::any_of(more.begin(), more.end(), is_goal);
}

// Is it an equation whose sides are one once products that facts call equal are one?
bool Arithmetic::says_by_products(const Facts& more, Term goal) const {
  if (goal.kind() != TermKind::IntEq) {
    return false;
  }
  std::vector<ProductEquation> products = product_equations(more);
  products.insert(products.end(), base_products_.begin(), base_products_.end());
  return !products.empty() && rewritten(goal.arg(1) - goal.arg(0), products) == Term(0);
}

// The goal with quotients as the facts' equations give them: it holds where the goal does.
Term Arithmetic::with_exact_quotients(const Facts& more, Term goal) {
  if (divisors_of(goal).empty()) {
    return goal;
  }
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    Term before = goal;
    for (Term atom : deep_atoms(goal)) {
      if (atom.kind() != TermKind::FloorDiv) {
        continue;
      }
      auto whole = quotient_by_equation(atom.arg(0), atom.arg(1), base_);
      whole = whole ? whole : quotient_by_equation(atom.arg(0), atom.arg(1), more);
      if (whole && is_positive(atom.arg(1))) {
        goal = without_remainders(replaced(goal, atom, *whole));
        break;
      }
    }
    if (goal == before) {
      break;
    }
  }
  return goal;
}

bool Arithmetic::derives(const Facts& more, Term goal) {
  if (exhausted()) {
    return false;
  }
  if (says(more, goal)) {
    return true;
  }
  // Evidence has every step, these too.
  if (!keep_scripts_ && says_by_products(more, goal)) {
    return true;
  }
  Term simpler = keep_scripts_ ? goal : with_exact_quotients(more, goal);
  bool other = simpler != goal && !is_false(simpler);
  return (other && (is_true(simpler) || says(more, simpler) || follows(more, simpler))) || follows(more, goal);
}

const LowerBounds& Arithmetic::bounds_under(const Facts& more) {
  const std::uint32_t list = lists_.of(more);
  if (!bounds_ || bounds_list_ != list) {
    bounds_.emplace(more, &base_bounds_);
    bounds_list_ = list;
  }
  return *bounds_;
}

bool Arithmetic::follows(const Facts& more, Term goal) {
  if (!keep_scripts_ && bounds_under(more).entails(goal)) {
    return true;
  }
  Facts facts = relevant(more, std::span(&goal, 1));
  deny(goal, facts);
  if (unsat(facts)) {
    return true;
  }
  // A nonlinear equality as two inequalities, which take part in products.
  bool bent = goal.kind() == TermKind::IntEq && [&] {
    for (const Monomial& m : monomials(goal.arg(1) - goal.arg(0))) {
      if (m.atoms.size() > 1) {
        return true;
      }
    }
    return false;
  }();
  if (!bent) {
    return false;
  }
  facts.back() = lt(goal.arg(0), goal.arg(1));
  if (!unsat(facts)) {
    return false;
  }
  facts.back() = lt(goal.arg(1), goal.arg(0));
  return unsat(facts);
}

// Is the fact false at these bounds?
static bool is_out_of_bounds(const LowerBounds& bounds, Term fact) {
  auto is_above_zero = [&](Term integer) {
    std::optional<Integer> least = bounds.of(integer);
    return least && *least >= 1;
  };
  switch (fact.kind()) {
    case TermKind::IntLe: return is_above_zero(fact.arg(0) - fact.arg(1));
    case TermKind::IntEq: return is_above_zero(fact.arg(0) - fact.arg(1)) || is_above_zero(fact.arg(1) - fact.arg(0));
    case TermKind::And:
      return std::any_of(fact.args().begin(), fact.args().end(), [&](Term part) { return is_out_of_bounds(bounds, part); });
    default: return false;
  }
}

bool Arithmetic::contradicts(const Facts& more) {
  if (more.empty()) {
    return unsat(base_);
  }
  Facts clean;
  clean.reserve(more.size());
  for (Term fact : more) {
    clean.push_back(without_remainders(fact));
    if (is_false(clean.back())) {
      return true;
    }
  }
  if (!keep_scripts_) {
    LowerBounds bounds(clean, &base_bounds_);
    if (std::any_of(clean.begin(), clean.end(), [&](Term fact) { return is_out_of_bounds(bounds, fact); })) {
      return true;
    }
  }
  return unsat(relevant(clean, clean));
}

bool Arithmetic::is_positive(Term divisor) {
  divisor = without_remainders(divisor);
  if (auto known = const_int(divisor)) {
    return *known >= 1;
  }
  auto [at, is_new] = positive_.emplace(divisor, -1);
  if (!is_new) {
    return at->second == 1;
  }
  ++judging_;
  // Factor by factor is a question about less, and mostly so; the product itself is asked about where that does not do.
  std::vector<Monomial> ms = monomials(divisor);
  bool product = ms.size() == 1 && ms[0].coefficient >= 1 && ms[0].atoms.size() > 1;
  bool yes = product && std::all_of(ms[0].atoms.begin(), ms[0].atoms.end(), [&](Term a) { return is_positive(a); });
  yes = yes || entails({}, ge(divisor, 1));
  --judging_;
  positive_[divisor] = yes ? 1 : 0;
  return yes;
}

}  // namespace vouch
