#include "refute/assignment.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

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

namespace {

// A value that may not be known yet, or not exist.
struct Known {
  bool known = false;
  std::int64_t value = 0;
};

Known known(std::int64_t value) { return {true, value}; }
Known truth(bool value) { return {true, value ? 1 : 0}; }

using Positions = std::unordered_map<Symbol, std::size_t>;

// A guard over integers as straight-line code in the order of its parts; variables by their positions.
class GuardCode {
 public:
  GuardCode(Term guard, const Positions& positions) : positions_(&positions) {
    root_ = compile(guard);
    positions_ = nullptr;
    at_.clear();
  }

  bool supported() const { return supported_; }
  const std::vector<std::size_t>& variables() const { return variables_; }
  bool is_equality() const { return steps_[root_].kind == TermKind::IntEq; }

  Known truth_at(const std::vector<Known>& values) {
    run(values);
    return values_[root_];
  }

  // Of an equality: left minus right.
  Known difference_at(const std::vector<Known>& values) {
    run(values);
    const Known& a = values_[steps_[root_].args[0]];
    const Known& b = values_[steps_[root_].args[1]];
    Known out;
    out.known = a.known && b.known && !__builtin_sub_overflow(a.value, b.value, &out.value);
    return out;
  }

 private:
  struct Step {
    TermKind kind = TermKind::IntConst;
    std::vector<std::size_t> args;
    Known constant;
    std::size_t position = 0;  // of a variable
  };

  std::size_t compile(Term t) {
    if (auto found = at_.find(t); found != at_.end()) {
      return found->second;
    }
    Step step{t.kind(), {}, {}, 0};
    switch (t.kind()) {
      case TermKind::IntConst:
      case TermKind::BoolConst:
        if (auto value = int64_of(Integer(numerator(t->value)))) {
          step.constant = known(*value);
        } else {
          supported_ = false;
        }
        break;
      case TermKind::IntVar:
        if (auto known = positions_->find(t->symbol); known != positions_->end()) {
          step.position = known->second;
          variables_.push_back(step.position);
        } else {
          supported_ = false;
        }
        break;
      case TermKind::IntAdd:
      case TermKind::IntMul:
      case TermKind::FloorDiv:
      case TermKind::FloorMod:
      case TermKind::IntMin:
      case TermKind::IntMax:
      case TermKind::IntSelect:
      case TermKind::IntLe:
      case TermKind::IntEq:
      case TermKind::And:
      case TermKind::Or:
      case TermKind::Not:
        for (Term arg : t.args()) {
          step.args.push_back(compile(arg));
        }
        break;
      default:  // scalars: left to exact evaluation once all symbols have values
        supported_ = false;
        break;
    }
    steps_.push_back(std::move(step));
    values_.emplace_back();
    at_.emplace(t, steps_.size() - 1);
    return steps_.size() - 1;
  }

  void run(const std::vector<Known>& values) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      values_[i] = step.kind == TermKind::IntVar ? values[step.position] : compute(step);
    }
  }

  Known compute(const Step& step) const {
    auto arg = [&](std::size_t k) -> const Known& { return values_[step.args[k]]; };
    switch (step.kind) {
      case TermKind::IntConst:
      case TermKind::BoolConst: return step.constant;
      case TermKind::IntAdd:
      case TermKind::IntMul: return folded(step);
      case TermKind::And:
      case TermKind::Or: return junction(step);
      case TermKind::Not: return arg(0).known ? truth(arg(0).value == 0) : Known{};
      case TermKind::IntSelect: return arg(0).known ? arg(arg(0).value != 0 ? 1 : 2) : Known{};
      default: break;
    }
    if (!arg(0).known || !arg(1).known) {
      return {};
    }
    std::int64_t a = arg(0).value;
    std::int64_t b = arg(1).value;
    switch (step.kind) {
      case TermKind::FloorDiv: return b == 0 ? Known{} : known(floor_div(a, b));
      case TermKind::FloorMod: return b == 0 ? Known{} : known(floor_mod(a, b));
      case TermKind::IntMin: return known(std::min(a, b));
      case TermKind::IntMax: return known(std::max(a, b));
      case TermKind::IntLe: return truth(a <= b);
      case TermKind::IntEq: return truth(a == b);
      default: fault("a step of a guard has a value");
    }
  }

  Known folded(const Step& step) const {
    bool adds = step.kind == TermKind::IntAdd;
    Known total = known(adds ? 0 : 1);
    for (std::size_t at : step.args) {
      const Known& next = values_[at];
      bool fits = next.known && !(adds ? __builtin_add_overflow(total.value, next.value, &total.value)
                                       : __builtin_mul_overflow(total.value, next.value, &total.value));
      if (!fits) {
        return {};
      }
    }
    return total;
  }

  Known junction(const Step& step) const {
    std::int64_t decisive = step.kind == TermKind::Or ? 1 : 0;
    bool open = false;
    for (std::size_t at : step.args) {
      if (values_[at].known && values_[at].value == decisive) {
        return known(decisive);
      }
      open |= !values_[at].known;
    }
    return open ? Known{} : known(1 - decisive);
  }

  std::vector<Step> steps_;
  std::vector<Known> values_;
  std::unordered_map<Term, std::size_t> at_;
  std::vector<std::size_t> variables_;
  std::size_t root_ = 0;
  bool supported_ = true;
  const Positions* positions_;  // while it is compiled
};

}  // namespace

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

  void prepare_domains(std::mt19937& random, std::int64_t spread, const Domains& domains, bool in_order) {
    domains_.clear();
    for (const FreeSymbol& symbol : instance_.symbols) {
      auto given = domains.find(symbol.name);
      std::vector<Rational> values = given != domains.end() ? given->second : default_domain(symbol, spread);
      if (auto spoken = spoken_of_.find(symbol.name); symbol.kind == SymbolKind::Real && spoken != spoken_of_.end()) {
        for (const Rational& number : spoken->second) {
          values.insert(values.end(), {number, number + 1});
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
      if (open_[g] != 1 || !guards_[g].is_equality()) {
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
