#include "check/arithmetic.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_set>

#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool is_atom(TermKind kind) {
  return kind == TermKind::FloorDiv || kind == TermKind::FloorMod || kind == TermKind::IntMin ||
         kind == TermKind::IntMax || kind == TermKind::IntSelect || kind == TermKind::IntOf;
}

// right - left of `left <= right`.
Term slack(Term fact) { return fact.arg(1) - fact.arg(0); }

std::vector<Symbol> united(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  std::vector<Symbol> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

bool meet(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (*i == *j) {
      return true;
    }
    *i < *j ? ++i : ++j;
  }
  return false;
}

}  // namespace

const std::vector<Symbol>& symbols_of(Term term) {
  thread_local std::unordered_map<Term, std::vector<Symbol>> known;
  auto found = known.find(term);
  if (found == known.end()) {
    std::vector<Symbol> names = free_variables(term);
    std::vector<Symbol> tensors = tensors_read(term);
    std::sort(names.begin(), names.end());
    std::sort(tensors.begin(), tensors.end());
    found = known.emplace(term, united(names, tensors)).first;
  }
  return found->second;
}

bool mentions(Term term, Symbol symbol) {
  const std::vector<Symbol>& names = symbols_of(term);
  return std::binary_search(names.begin(), names.end(), symbol);
}

static void collect_atoms(Term term, std::unordered_set<Term>& seen, std::vector<Term>& out) {
  if (is_const(term) || !seen.insert(term).second) {
    return;
  }
  if (term.kind() != TermKind::IntOf) {
    for (Term arg : term.args()) {
      collect_atoms(arg, seen, out);
    }
  }
  if (is_atom(term.kind())) {
    out.push_back(term);
  }
}

std::vector<Term> deep_atoms(Term term) {
  std::unordered_set<Term> seen;
  std::vector<Term> out;
  collect_atoms(term, seen, out);
  return out;
}

Division divide(Term e, Term divisor) {
  if (e == divisor) {
    return {1, 0};
  }
  std::vector<Monomial> by = monomials(divisor);
  if (by.size() != 1) {
    return {0, e};
  }
  std::vector<Monomial> whole;
  std::vector<Monomial> rest;
  for (Monomial& m : monomials(e)) {
    std::vector<Term> atoms = m.atoms;
    bool divides_atoms = true;
    for (Term atom : by[0].atoms) {
      auto at = std::find(atoms.begin(), atoms.end(), atom);
      divides_atoms = divides_atoms && at != atoms.end();
      if (at != atoms.end()) {
        atoms.erase(at);
      }
    }
    Integer q = floor_div(m.coefficient, by[0].coefficient);
    Integer r = m.coefficient - q * by[0].coefficient;
    if (!divides_atoms || (r != 0 && !by[0].atoms.empty())) {
      rest.push_back(std::move(m));
      continue;
    }
    if (q != 0) {
      whole.push_back({q, atoms});
    }
    if (r != 0) {
      rest.push_back({r, m.atoms});
    }
  }
  return {from_monomials(whole), from_monomials(rest)};
}

namespace {

// Surely a <= b, by looking alone.
bool plainly_le(Term a, Term b) {
  Term difference = b - a;
  if (is_const(difference)) {
    return difference->value >= 0;
  }
  for (const Monomial& m : monomials(difference)) {
    if (m.atoms.size() != 1) {
      continue;
    }
    Term atom = m.atoms[0];
    Term rest = difference - int_const(m.coefficient) * atom;
    bool larger = (atom.kind() == TermKind::IntMax && m.coefficient == 1) || (atom.kind() == TermKind::IntMin && m.coefficient == -1);
    for (Term arg : larger ? atom.args() : std::span<const Term>()) {
      if (plainly_le(0, rest + int_const(m.coefficient) * arg)) {
        return true;
      }
    }
  }
  return false;
}

void flatten_chain(Term term, TermKind kind, std::vector<Term>& out) {
  if (term.kind() == kind) {
    flatten_chain(term.arg(0), kind, out);
    flatten_chain(term.arg(1), kind, out);
  } else if (std::find(out.begin(), out.end(), term) == out.end()) {
    out.push_back(term);
  }
}

// The operands of nested minima (maxima) but for those that cannot be the least (greatest).
Term normal_chain(Term term) {
  TermKind kind = term.kind();
  std::vector<Term> items;
  flatten_chain(term, kind, items);
  for (std::size_t i = 0; i < items.size();) {
    bool redundant = false;
    for (std::size_t j = 0; j < items.size() && !redundant; ++j) {
      redundant = i != j && (kind == TermKind::IntMin ? plainly_le(items[j], items[i]) : plainly_le(items[i], items[j]));
    }
    if (redundant) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  std::sort(items.begin(), items.end(), [](Term a, Term b) { return compare(a, b) < 0; });
  Term out = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) {
    out = kind == TermKind::IntMin ? int_min(out, items[i]) : int_max(out, items[i]);
  }
  return out;
}

}  // namespace

Term Arithmetic::without_remainders(Term term) {
  thread_local std::unordered_map<Term, Term> known;
  if (term.args().empty()) {
    return term;
  }
  if (auto found = known.find(term); found != known.end()) {
    return found->second;
  }
  std::vector<Term> args;
  bool changed = false;
  for (Term arg : term.args()) {
    args.push_back(without_remainders(arg));
    changed |= args.back() != arg;
  }
  Term out = changed ? rebuild(term, args) : term;
  if (term.kind() == TermKind::FloorMod) {
    out = args[0] - args[1] * floor_div(args[0], args[1]);
  } else if (out.kind() == TermKind::IntMin || out.kind() == TermKind::IntMax) {
    out = normal_chain(out);
  }
  return known[term] = out;
}

struct TermOrder {
  bool operator()(Term a, Term b) const { return compare(a, b) < 0; }
};
struct ByStructure {
  bool operator()(const std::vector<Term>& a, const std::vector<Term>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), TermOrder());
  }
};

// --- one query: facts as linear constraints over unknowns, with lemmas

class Arithmetic::Query {
 public:
  explicit Query(Arithmetic& owner) : owner_(owner), solver_(owner.solver_) {}

  std::vector<SolverExpr> constraints(const Facts& facts) {
    for (Term fact : facts) {
      constraints_.push_back(guard(fact));
      take_facts(fact);
    }
    for (std::size_t k = 0; k < atoms_.size(); ++k) {  // lemmas may bring atoms of their own
      atom_lemmas(atoms_[k]);
    }
    bound_lemmas();
    product_lemmas();
    prefix_lemmas();
    return constraints_;
  }

 private:
  void take_facts(Term fact) {
    if (fact.kind() == TermKind::IntLe) {
      facts_.push_back(slack(fact));
    } else if (fact.kind() == TermKind::IntEq) {
      equalities_.push_back(slack(fact));
    } else if (fact.kind() == TermKind::And) {
      for (Term part : fact.args()) {
        take_facts(part);
      }
    }
  }

  // --- translation

  SolverExpr atom(Term term) {
    auto found = atom_expr_.find(term);
    if (found != atom_expr_.end()) {
      return found->second;
    }
    SolverExpr expr;
    if (term.kind() == TermKind::IntVar) {
      expr = solver_.variable(term->symbol.name());
    } else if (term.kind() == TermKind::IntOf && term.arg(0).kind() == TermKind::Read) {
      std::vector<SolverExpr> args;
      for (Term index : term.arg(0).args()) {
        args.push_back(integer(index));
      }
      std::string name = "data " + term.arg(0)->symbol.name();
      expr = args.empty() ? solver_.variable(name) : solver_.apply(name, args);
      atoms_.push_back(term);
    } else {
      expr = solver_.variable(print_term(term));
      atoms_.push_back(term);
    }
    atom_expr_.emplace(term, expr);
    return expr;
  }

  SolverExpr product(const std::vector<Term>& atoms) {
    if (atoms.size() == 1) {
      return atom(atoms[0]);
    }
    for (Term a : atoms) {
      atom(a);
    }
    products_.insert(atoms);
    std::string name;
    for (Term a : atoms) {
      name += (name.empty() ? "" : " * ") + print_term(a);
    }
    return solver_.variable(name);
  }

  SolverExpr integer(Term term) {
    std::vector<SolverExpr> summands;
    for (const Monomial& m : monomials(term)) {
      if (m.atoms.empty()) {
        summands.push_back(solver_.integer(m.coefficient));
      } else if (m.coefficient == 1) {
        summands.push_back(product(m.atoms));
      } else {
        summands.push_back(solver_.scale(m.coefficient, product(m.atoms)));
      }
    }
    return summands.size() == 1 ? summands[0] : solver_.sum(summands);
  }

  SolverExpr guard(Term term) {
    switch (term.kind()) {
      case TermKind::BoolConst:
        return solver_.truth(is_true(term));
      case TermKind::IntLe:
        return solver_.le(integer(term.arg(0)), integer(term.arg(1)));
      case TermKind::IntEq:
        return solver_.eq(integer(term.arg(0)), integer(term.arg(1)));
      case TermKind::Not:
        return solver_.negate(guard(term.arg(0)));
      case TermKind::And:
      case TermKind::Or: {
        std::vector<SolverExpr> parts;
        for (Term part : term.args()) {
          parts.push_back(guard(part));
        }
        return term.kind() == TermKind::And ? solver_.conjunction(parts) : solver_.disjunction(parts);
      }
      default:
        // A comparison of scalars: a truth value of which nothing is known.
        return solver_.le(solver_.integer(1), solver_.variable("truth of " + print_term(term)));
    }
  }

  void add(Term fact) {
    if (!is_true(fact)) {
      constraints_.push_back(guard(fact));
    }
  }

  // --- lemmas

  void atom_lemmas(Term a) {
    switch (a.kind()) {
      case TermKind::FloorDiv:
        return quotient_lemmas(a);
      case TermKind::IntMin:
        add(le(a, a.arg(0)));
        add(le(a, a.arg(1)));
        add(either(eq(a, a.arg(0)), eq(a, a.arg(1))));
        return;
      case TermKind::IntMax:
        add(le(a.arg(0), a));
        add(le(a.arg(1), a));
        add(either(eq(a, a.arg(0)), eq(a, a.arg(1))));
        return;
      case TermKind::IntSelect:
        add(either(negate(a.arg(0)), eq(a, a.arg(1))));
        add(either(a.arg(0), eq(a, a.arg(2))));
        return;
      default:
        return;
    }
  }

  // q = e // m with m >= 1: m*q <= e < m*q + m, the sign of q is that of e, and m*q is 0 or at least m away from it.
  void quotient_lemmas(Term q) {
    Term e = q.arg(0);
    Term m = q.arg(1);
    if (!owner_.is_positive(m)) {
      return;
    }
    quotients_.push_back(q);
    add(le(m * q, e));
    add(lt(e, m * q + m));
    if (const_int(m)) {
      return;
    }
    Term cases[] = {both(eq(q, 0), eq(m * q, 0)), both(ge(q, 1), ge(m * q, m)), both(le(q, -1), le(m * q, -m))};
    add(any_of(cases));
    add(either(ge(e, 0), lt(q, 0)));
    add(either(lt(e, 0), ge(q, 0)));
    for (Term other : by_divisor_[m]) {
      Term order[] = {both(eq(q, other), eq(m * q, m * other)), both(gt(q, other), ge(m * q, m * other + m)),
                      both(lt(q, other), le(m * q + m, m * other))};
      add(any_of(order));
    }
    by_divisor_[m].push_back(q);
  }

  // e < m * u gives e // m < u; e >= 0 gives e // m >= 0.
  void bound_lemmas() {
    for (Term q : std::vector<Term>(quotients_)) {
      Term e = q.arg(0);
      Term m = q.arg(1);
      if (monomials(m).size() == 1 && monomials(m)[0].atoms.size() >= 2) {
        facts_.push_back(m - 1);
      }
      if (const_int(m)) {
        continue;
      }
      std::optional<Monomial> odd = not_divisible(e, m);
      for (std::size_t k = 0, count = facts_.size(); k < count; ++k) {
        Term quotient_bound = odd && !cancels(facts_[k], *odd) ? Term() : bound_by_equalities(facts_[k] + e + 1, m);
        if (quotient_bound && !contains(deep_atoms(quotient_bound), q)) {
          facts_.push_back(quotient_bound - 1 - q);
          add(lt(q, quotient_bound));
        }
        if (facts_[k] == e) {
          facts_.push_back(q);
          add(ge(q, 0));
        }
      }
    }
  }

  static bool contains(const std::vector<Term>& terms, Term term) {
    return std::find(terms.begin(), terms.end(), term) != terms.end();
  }

  // u with total == m * u, if it is short; else null.
  static Term bound_from(Term total, Term m) {
    auto [bound, rest] = divide(total, m);
    return rest == Term(0) && monomials(bound).size() <= 2 ? bound : Term();
  }

  // The same, where what is known to be 0 may be added: total == w and w == m * u.
  Term bound_by_equalities(Term total, Term m) const {
    Term bound = bound_from(total, m);
    constexpr std::size_t kMostParts = 3;
    for (std::size_t k = 0; !bound && k < equalities_.size() && monomials(total).size() <= kMostParts; ++k) {
      bound = bound_from(total + equalities_[k], m);
      bound = bound ? bound : bound_from(total - equalities_[k], m);
    }
    return bound;
  }

  // A monomial of e that has to be cancelled before m (one monomial) divides the rest.
  static std::optional<Monomial> not_divisible(Term e, Term m) {
    std::vector<Monomial> by = monomials(m);
    if (by.size() != 1) {
      return std::nullopt;
    }
    for (const Monomial& part : monomials(e)) {
      if (!part.atoms.empty() && !without(part.atoms, by[0].atoms)) {
        return part;
      }
    }
    return std::nullopt;
  }

  static bool cancels(Term fact, const Monomial& odd) {
    const std::vector<Monomial>& parts = monomials_of(fact);
    return std::any_of(parts.begin(), parts.end(), [&](const Monomial& p) {
      return p.atoms == odd.atoms && p.coefficient + odd.coefficient == 0;
    });
  }

  static const std::vector<Monomial>& monomials_of(Term term) {
    thread_local std::unordered_map<Term, std::vector<Monomial>> known;
    auto found = known.find(term);
    return found != known.end() ? found->second : known.emplace(term, monomials(term)).first->second;
  }

  static std::vector<Monomial> nonlinear(Term p) {
    std::vector<Monomial> out;
    for (Monomial& m : monomials(p)) {
      if (m.atoms.size() > 1) {
        out.push_back(std::move(m));
      }
    }
    return out;
  }

  std::size_t new_products(const std::vector<Monomial>& nonlinear_part) const {
    return static_cast<std::size_t>(std::count_if(nonlinear_part.begin(), nonlinear_part.end(), [&](const Monomial& m) {
      return !products_.contains(m.atoms);
    }));
  }

  // Whether the product of two facts brings at most one product that is not there yet: told before it is multiplied out,
  // since most pairs are of no use and a polynomial product costs more than all else in a query.
  bool may_matter(const std::vector<Monomial>& f, const std::vector<Monomial>& g) const {
    std::vector<Term> fresh;
    bool any = false;
    std::vector<Term> atoms;
    for (const Monomial& a : f) {
      for (const Monomial& b : g) {
        if (a.atoms.size() + b.atoms.size() < 2) {
          continue;
        }
        atoms.clear();
        std::merge(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(), std::back_inserter(atoms), TermOrder());
        any = true;
        if (atoms == fresh || products_.contains(atoms)) {
          continue;
        }
        if (!fresh.empty()) {
          return false;
        }
        fresh = atoms;
      }
    }
    return any;
  }

  // f >= 0 and g >= 0 give f * g >= 0, where that speaks of products which matter.
  void product_lemmas() {
    if (products_.empty()) {
      return;
    }
    std::set<std::vector<Term>, ByStructure> wanted = products_;
    std::vector<Term> small;
    for (Term f : facts_) {
      if (!is_const(f) && monomials_of(f).size() <= 4 && std::find(small.begin(), small.end(), f) == small.end()) {
        small.push_back(f);
      }
    }
    std::vector<Term> close;
    std::vector<Term> far;
    for (std::size_t x = 0; x < small.size(); ++x) {
      for (std::size_t y = x; y < small.size(); ++y) {
        if (!may_matter(monomials_of(small[x]), monomials_of(small[y]))) {
          continue;
        }
        Term p = small[x] * small[y];
        std::vector<Monomial> bent = nonlinear(p);
        std::size_t fresh = new_products(bent);
        if (!bent.empty() && fresh == 0) {
          close.push_back(p);
        } else if (fresh == 1 && bent.size() >= 2) {
          far.push_back(p);
        }
      }
    }
    constexpr std::size_t kMostProducts = 120;
    close.insert(close.end(), far.begin(), far.end());
    for (std::size_t k = 0; k < close.size() && k < kMostProducts; ++k) {
      add(ge(close[k], 0));
    }
    cofactor_lemmas(wanted, small);
    equality_lemmas(wanted);
  }

  // f >= 0 times a product of non-negative atoms, towards a product of three or more.
  void cofactor_lemmas(const std::set<std::vector<Term>, ByStructure>& wanted, const std::vector<Term>& small) {
    std::unordered_set<Term> non_negative;
    for (Term f : small) {
      std::vector<Monomial> ms = monomials(f);
      bool single = ms.size() == 1 || (ms.size() == 2 && ms[1].atoms.empty() && ms[1].coefficient <= 0);
      if (single && ms[0].atoms.size() == 1 && ms[0].coefficient > 0) {
        non_negative.insert(ms[0].atoms[0]);
      }
    }
    std::unordered_set<Term> done;
    for (const std::vector<Term>& target : wanted) {
      if (target.size() < 3) {
        continue;
      }
      for (Term f : small) {
        for (const Monomial& m : monomials(f)) {
          std::optional<std::vector<Term>> cofactor = without(target, m.atoms);
          if (m.atoms.empty() || !cofactor || cofactor->empty() ||
              !std::all_of(cofactor->begin(), cofactor->end(), [&](Term a) { return non_negative.contains(a); })) {
            continue;
          }
          Term p = f * product_of(*cofactor);
          if (done.size() < 80 && done.insert(p).second) {
            add(ge(p, 0));
          }
        }
      }
    }
  }

  static std::optional<std::vector<Term>> without(std::vector<Term> atoms, const std::vector<Term>& part) {
    for (Term a : part) {
      auto at = std::find(atoms.begin(), atoms.end(), a);
      if (at == atoms.end()) {
        return std::nullopt;
      }
      atoms.erase(at);
    }
    return atoms;
  }

  // An equality times an atom.
  void equality_lemmas(const std::set<std::vector<Term>, ByStructure>& wanted) {
    std::set<Term, TermOrder> factors;
    for (const std::vector<Term>& p : wanted) {
      factors.insert(p.begin(), p.end());
    }
    for (Term e : equalities_) {
      for (Term a : factors) {
        Term p = e * a;
        std::vector<Monomial> bent = nonlinear(p);
        if (!bent.empty() && new_products(bent) <= 1) {
          add(eq(p, 0));
        }
      }
    }
  }

  // Prefix sums (families.h): P(i) of sizes s(i) >= 1, P(0) = 0, P(x) + (y - x) <= P(y) for 0 <= x < y <= n.
  void prefix_lemmas() {}

  Arithmetic& owner_;
  Solver& solver_;
  std::unordered_map<Term, SolverExpr> atom_expr_;
  std::vector<Term> atoms_;
  std::vector<Term> quotients_;
  std::map<Term, std::vector<Term>, TermOrder> by_divisor_;
  std::set<std::vector<Term>, ByStructure> products_;
  std::vector<Term> facts_;       // known to be >= 0
  std::vector<Term> equalities_;  // known to be 0
  std::vector<SolverExpr> constraints_;
};

namespace {

// The divisors of all quotients inside, those within reads of data included; remembered.
const std::vector<Term>& divisors_of(Term term) {
  thread_local std::unordered_map<Term, std::vector<Term>> known;
  auto found = known.find(term);
  if (found == known.end()) {
    std::set<Term, TermOrder> all;
    for (Term arg : term.args()) {
      const std::vector<Term>& inner = divisors_of(arg);
      all.insert(inner.begin(), inner.end());
    }
    if (term.kind() == TermKind::FloorDiv) {
      all.insert(term.arg(1));
    }
    found = known.emplace(term, std::vector<Term>(all.begin(), all.end())).first;
  }
  return found->second;
}

// Answers that hold for every instance of a rule, not only for the one that asked: a query is determined by its facts and
// by which of their divisors count as positive, since nothing else decides the lemmas.
using QueryKey = std::vector<const void*>;
std::map<QueryKey, bool>& known_answers() {
  thread_local std::map<QueryKey, bool> answers;
  return answers;
}

// Steps that no useful query comes near; a hopeless one ends after a tenth of a second or so.
constexpr std::uint32_t kSteps = 60000;

Solver& thread_solver() {
  thread_local std::unique_ptr<Solver> solver;
  constexpr std::size_t kMostQueries = 20000;  // its expressions are kept: begin anew at times
  if (!solver || solver->records().size() > kMostQueries) {
    solver = std::make_unique<Solver>(Solver::Options{kSteps, 0});
  }
  return *solver;
}

}  // namespace

Arithmetic::Arithmetic(Facts base, bool keep_scripts)
    : base_(std::move(base)), solver_(thread_solver()), keep_scripts_(keep_scripts) {
  for (Term& fact : base_) {
    fact = without_remainders(fact);
  }
}

Arithmetic::~Arithmetic() = default;

bool Arithmetic::unsat(const Facts& facts) {
  Facts kept;
  for (Term fact : facts) {
    if (is_false(fact)) {
      return true;
    }
    if (!is_true(fact) && std::find(kept.begin(), kept.end(), fact) == kept.end()) {
      kept.push_back(fact);
    }
  }
  for (Term fact : kept) {
    if (std::find(kept.begin(), kept.end(), negate(fact)) != kept.end()) {
      return true;
    }
  }
  QueryKey key = key_of(kept);
  std::map<QueryKey, bool>& answers = known_answers();
  if (auto found = answers.find(key); found != answers.end()) {
    return found->second;
  }
  std::vector<SolverExpr> constraints = Query(*this).constraints(kept);
  std::string name = fmt::format("q{}", queries_);
  solver_.push();
  for (SolverExpr c : constraints) {
    solver_.add(c);
  }
  Answer answer = solver_.check(name);
  if (keep_scripts_ && answer == Answer::Unsat) {
    scripts_.push_back({name, answer, solver_.smtlib(name, answer)});
  }
  solver_.pop();
  ++queries_;
  unknowns_ += answer == Answer::Unknown ? 1 : 0;
  slowest_ = std::max(slowest_, solver_.records().back().milliseconds);
  return answers[key] = answer == Answer::Unsat;
}

std::vector<const void*> Arithmetic::key_of(const Facts& facts) {
  std::set<Term, TermOrder> divisors;
  QueryKey key;
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
  return key;
}

void Arithmetic::forget_answers() { known_answers().clear(); }

// The facts that are connected to the goal's symbols, directly or through others.
Facts Arithmetic::relevant(const Facts& more, Term goal) const {
  std::vector<Term> all = base_;
  all.insert(all.end(), more.begin(), more.end());
  std::vector<Symbol> reached = symbols_of(goal);
  std::vector<bool> taken(all.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!taken[k] && meet(symbols_of(all[k]), reached)) {
        taken[k] = true;
        std::vector<Symbol> now = united(reached, symbols_of(all[k]));
        grew = grew || now.size() != reached.size();
        reached = std::move(now);
      }
    }
  }
  Facts out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (taken[k]) {
      out.push_back(all[k]);
    }
  }
  return out;
}

bool Arithmetic::entails(const Facts& more, Term goal) {
  goal = without_remainders(goal);
  if (auto known = const_bool(goal)) {
    return *known;
  }
  if (goal.kind() == TermKind::And) {
    return std::all_of(goal.args().begin(), goal.args().end(), [&](Term part) { return entails(more, part); });
  }
  auto says = [&](const Facts& facts) { return std::find(facts.begin(), facts.end(), goal) != facts.end(); };
  if (says(base_) || says(more)) {
    return true;
  }
  Facts facts = relevant(more, goal);
  facts.push_back(negate(goal));
  if (unsat(facts)) {
    return true;
  }
  // A nonlinear equality as two inequalities, which take part in products.
  bool bent = goal.kind() == TermKind::IntEq && [&] {
    for (const Monomial& m : monomials(slack(goal))) {
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

bool Arithmetic::contradicts(const Facts& more) {
  Facts clean;
  for (Term fact : more) {
    clean.push_back(without_remainders(fact));
  }
  Term together = all_of(clean.empty() ? base_ : clean);
  return is_false(together) || unsat(clean.empty() ? base_ : relevant(clean, together));
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
  bool yes = entails({}, ge(divisor, 1));
  if (!yes) {
    std::vector<Monomial> ms = monomials(divisor);
    yes = ms.size() == 1 && ms[0].coefficient >= 1 &&
          std::all_of(ms[0].atoms.begin(), ms[0].atoms.end(), [&](Term a) { return is_positive(a); });
  }
  positive_[divisor] = yes ? 1 : 0;
  return yes;
}

}  // namespace vouch
