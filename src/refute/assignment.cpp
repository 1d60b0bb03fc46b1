#include "refute/assignment.h"

#include <algorithm>
#include <set>

#include "refute/guard_code.h"
#include "support/fault.h"
#include "term/eval.h"

namespace vouch {

Substitution substitution_of(const Assignment& assignment, const Instance& instance) {
  Substitution out;
  for (const FreeSymbol& symbol : instance.symbols) {
    auto found = assignment.find(symbol.name);
    ensure(found != assignment.end(), "an assignment has a value for each symbol");
    out.emplace(symbol.name,
                symbol.kind == SymbolKind::Real ? real_const(found->second) : int_const(Integer(numerator(found->second))));
  }
  return out;
}

std::vector<Rational> default_domain(const FreeSymbol& symbol, std::int64_t spread) {
  if (symbol.kind == SymbolKind::Real) {
    return {1, 2, Rational(1, 2), 0, -1, 4, -2, 3};
  }
  std::vector<Rational> out;
  std::int64_t least = symbol.at_least.value_or(-spread);
  for (std::int64_t size = 0; size <= std::max(spread, std::abs(least)); ++size) {
    for (std::int64_t value : {size, -size}) {
      bool repeated = size == 0 && !out.empty();
      if (value >= least && !repeated && (value <= spread || value == least)) {
        out.emplace_back(value);
      }
    }
  }
  return out;
}

class AssignmentSearch::Impl {
 public:
  explicit Impl(const Instance& instance) : instance_(instance) {
    for (std::size_t v = 0; v < instance.symbols.size(); ++v) {
      position_.emplace(instance.symbols[v].name, v);
    }
    guards_of_.resize(instance.symbols.size());
    values_.resize(instance.symbols.size());
    for (const InstanceCondition& condition : instance.assumptions) {
      add(condition.guard);
    }
  }

  std::optional<Assignment> find(std::mt19937& random, std::int64_t spread, const Domains& domains, bool in_order,
                                 std::int64_t steps) {
    steps_ = steps;
    given_ = &domains;
    std::fill(values_.begin(), values_.end(), Known{});
    prepare_domains(random, spread, domains, in_order);
    open_.assign(guards_.size(), 0);
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      open_[g] = guards_[g].variables().size();
      if (open_[g] == 0 && !holds(g)) {
        return std::nullopt;
      }
    }
    if (impossible_ || !descend()) {
      return std::nullopt;
    }
    return with_scalars(random, in_order);
  }

  bool satisfies(const Assignment& assignment) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      auto value = int64_of(Integer(numerator(assignment.at(instance_.symbols[v].name))));
      values_[v] = value ? known(*value) : Known{};
    }
    bool in_domain = std::all_of(instance_.symbols.begin(), instance_.symbols.end(), [&](const FreeSymbol& symbol) {
      return !symbol.at_least || assignment.at(symbol.name) >= *symbol.at_least;
    });
    for (std::size_t g = 0; in_domain && g < guards_.size(); ++g) {
      in_domain = holds(g);
    }
    return in_domain && !impossible_ && late_hold(assignment);
  }

 private:
  void add(Term guard) {
    if (is_true(guard)) {
      return;
    }
    if (is_false(guard)) {
      impossible_ = true;
      return;
    }
    if (guard.kind() == TermKind::And) {
      for (Term part : guard.args()) {
        add(part);
      }
      return;
    }
    fix_scalar(guard);
    GuardCode code(guard, position_);
    if (!code.supported()) {
      late_.push_back(guard);
      for (Symbol symbol : free_variables(guard)) {
        note_numbers(guard, spoken_of_[symbol]);
      }
      return;
    }
    for (std::size_t v : code.variables()) {
      guards_of_[v].push_back(guards_.size());
    }
    guards_.push_back(std::move(code));
  }

  // Scalars are drawn anew a few times where conditions on them do not hold.
  std::optional<Assignment> with_scalars(std::mt19937& random, bool in_order) {
    constexpr int kDraws = 8;
    for (int draw = 0; draw < (in_order ? 1 : kDraws); ++draw) {
      Assignment found;
      for (std::size_t v = 0; v < values_.size(); ++v) {
        if (instance_.symbols[v].kind != SymbolKind::Real) {
          found.emplace(instance_.symbols[v].name, Rational(values_[v].value));
        } else if (!domains_[v].empty()) {
          found.emplace(instance_.symbols[v].name, domains_[v][draw == 0 ? 0 : random() % domains_[v].size()]);
        }
      }
      if (late_hold(found)) {
        return found;
      }
    }
    return std::nullopt;
  }

  // Numbers that a condition on scalars compares with are few, and each tells one side from the other.
  static void note_numbers(Term term, std::set<Rational>& out) {
    if (term.kind() == TermKind::RealConst) {
      out.insert(term->value);
    }
    for (Term arg : term.args()) {
      note_numbers(arg, out);
    }
  }

  // A number of few digits, which every type of floats has, no larger than this one or no smaller: ranges may be narrow.
  static Rational neighbour(const Rational& number, bool above) {
    constexpr int kDigits = 10;
    Rational unit = 1;
    while (number != 0 && abs(number) < unit) {
      unit /= 2;
    }
    while (abs(number) >= unit * 2) {
      unit *= 2;
    }
    unit /= Rational(1 << kDigits);
    Integer steps = floor_of(number / unit);
    return Rational(steps + (above ? 1 : 0)) * unit;
  }

  // A scalar that must equal a number takes that number.
  void fix_scalar(Term guard) {
    if (guard.kind() != TermKind::RealEq) {
      return;
    }
    for (std::size_t side : {0, 1}) {
      Term a = guard.arg(side);
      Term b = guard.arg(1 - side);
      if (a.kind() == TermKind::RealVar && b.kind() == TermKind::RealConst) {
        fixed_.emplace(a->symbol, b->value);
      }
    }
  }

  // A size that is divided by a number is tried as a few multiples of it.
  std::vector<Rational> small_values(std::size_t v, std::int64_t spread) const {
    constexpr std::int64_t kMostDivisor = 64;
    std::vector<Rational> values = default_domain(instance_.symbols[v], spread);
    if (instance_.symbols[v].kind == SymbolKind::Real) {
      return values;
    }
    std::set<std::int64_t> multiples;
    for (std::size_t g : guards_of_[v]) {
      for (std::int64_t divisor : guards_[g].is_polynomial_in(v) ? std::vector<std::int64_t>() : guards_[g].divisors()) {
        for (std::int64_t times = 1; times <= 3 && divisor <= kMostDivisor; ++times) {
          multiples.insert(times * divisor);
        }
      }
    }
    for (std::int64_t multiple : multiples) {
      if (multiple > spread) {
        values.emplace_back(multiple);
      }
    }
    return values;
  }

  void prepare_domains(std::mt19937& random, std::int64_t spread, const Domains& domains, bool in_order) {
    domains_.clear();
    for (std::size_t v = 0; v < instance_.symbols.size(); ++v) {
      const FreeSymbol& symbol = instance_.symbols[v];
      auto given = domains.find(symbol.name);
      std::vector<Rational> values = given != domains.end() ? given->second : small_values(v, spread);
      if (auto spoken = spoken_of_.find(symbol.name); symbol.kind == SymbolKind::Real && spoken != spoken_of_.end()) {
        for (const Rational& number : spoken->second) {
          values.insert(values.end(), {number, number + 1, number * 2, neighbour(number, false), neighbour(number, true)});
        }
      }
      if (auto fixed = fixed_.find(symbol.name); fixed != fixed_.end()) {
        values = {fixed->second};
      }
      if (!in_order) {
        std::shuffle(values.begin(), values.end(), random);
      }
      domains_.push_back(std::move(values));
    }
  }

  Known truth_of(std::size_t g) { return guards_[g].truth_at(values_); }
  bool holds(std::size_t g) {
    Known value = truth_of(g);
    return value.known && value.value != 0;
  }

  // The symbol whose guards are nearest to being decided.
  std::optional<std::size_t> next_symbol() const {
    std::optional<std::size_t> best;
    std::size_t best_open = 0;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (values_[v].known || instance_.symbols[v].kind == SymbolKind::Real) {
        continue;
      }
      std::size_t least = guards_.size() + values_.size() + 1;
      for (std::size_t g : guards_of_[v]) {
        // An equality that has this symbol left determines it.
        least = std::min(least, 2 * open_[g] - (guards_[g].is_equality() ? 1 : 0));
      }
      if (!best || least < best_open) {
        best = v;
        best_open = least;
      }
    }
    return best;
  }

  // The value that an equality with this last open symbol forces, if it is linear in it.
  std::optional<std::int64_t> forced(std::size_t v) {
    for (std::size_t g : guards_of_[v]) {
      if (open_[g] != 1 || !guards_[g].is_equality() || !guards_[g].is_polynomial_in(v)) {
        continue;
      }
      Known at[3];
      for (std::int64_t k = 0; k < 3; ++k) {
        values_[v] = known(k);
        at[k] = guards_[g].difference_at(values_);
      }
      values_[v] = {};
      if (!at[0].known || !at[1].known || !at[2].known) {
        continue;
      }
      std::int64_t slope = at[1].value - at[0].value;
      if (slope != 0 && at[2].value - at[1].value == slope && at[0].value % slope == 0) {
        return -at[0].value / slope;
      }
    }
    return std::nullopt;
  }

  bool try_value(std::size_t v, std::int64_t value) {
    const FreeSymbol& symbol = instance_.symbols[v];
    if (--steps_ < 0 || (symbol.at_least && value < *symbol.at_least)) {
      return false;
    }
    values_[v] = known(value);
    for (std::size_t g : guards_of_[v]) {
      --open_[g];
    }
    bool possible = std::all_of(guards_of_[v].begin(), guards_of_[v].end(), [this](std::size_t g) {
      Known guard = truth_of(g);
      return guard.known ? guard.value != 0 : open_[g] != 0;
    });
    if (possible && descend()) {
      return true;
    }
    values_[v] = {};
    for (std::size_t g : guards_of_[v]) {
      ++open_[g];
    }
    return false;
  }

  // As deep as there are symbols; rules have few.
  bool descend() {
    auto v = next_symbol();
    if (!v) {
      return true;
    }
    if (auto value = forced(*v)) {
      auto given = given_->find(instance_.symbols[*v].name);
      bool allowed = given == given_->end() ||
                     std::find(given->second.begin(), given->second.end(), Rational(*value)) != given->second.end();
      return allowed && try_value(*v, *value);
    }
    for (const Rational& value : domains_[*v]) {
      if (steps_ < 0) {
        return false;
      }
      if (try_value(*v, numerator(value).convert_to<std::int64_t>())) {
        return true;
      }
    }
    return false;
  }

  bool late_hold(const Assignment& assignment) const {
    EvalEnvironment environment;
    for (const FreeSymbol& symbol : instance_.symbols) {
      const Rational& value = assignment.at(symbol.name);
      if (symbol.kind == SymbolKind::Real) {
        environment.scalars.emplace(symbol.name, value);
      } else {
        environment.integers.emplace(symbol.name, Integer(numerator(value)));
      }
    }
    return std::all_of(late_.begin(), late_.end(), [&](Term guard) {
      auto value = eval_guard(guard, environment);
      const bool* decided = std::get_if<bool>(&value);
      return decided != nullptr && *decided;
    });
  }

  const Instance& instance_;
  Positions position_;
  std::vector<GuardCode> guards_;
  std::vector<std::vector<std::size_t>> guards_of_;  // per symbol
  std::vector<Term> late_;                           // checked once all symbols have values
  std::map<Symbol, Rational> fixed_;                 // scalars
  std::map<Symbol, std::set<Rational>> spoken_of_;   // beside a symbol, in late guards
  bool impossible_ = false;
  std::vector<Known> values_;
  std::vector<std::vector<Rational>> domains_;
  std::vector<std::size_t> open_;  // per guard: symbols without value
  const Domains* given_ = nullptr;
  std::int64_t steps_ = 0;
};

AssignmentSearch::AssignmentSearch(const Instance& instance) : impl_(std::make_unique<Impl>(instance)) {}
AssignmentSearch::~AssignmentSearch() = default;

std::optional<Assignment> AssignmentSearch::find(std::mt19937& random, std::int64_t spread, const Domains& domains, bool in_order,
                                                 std::int64_t steps) {
  return impl_->find(random, spread, domains, in_order, steps);
}

bool AssignmentSearch::satisfies(const Assignment& assignment) const { return impl_->satisfies(assignment); }

}  // namespace vouch
