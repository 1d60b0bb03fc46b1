#include "solver/solver.h"

#include <fmt/format.h>
#include <z3++.h>

#include <chrono>
#include <unordered_map>

#include "support/fault.h"

namespace vouch {

// Names as SMT-LIB can quote them: what it cannot (or Z3 does not) quote, and a reserved `@` or `.` at the beginning, is written
// `~` and two digits, different names differently.
static std::string quotable(std::string_view name) {
  std::string out;
  for (unsigned char c : name) {
    bool reserved = out.empty() && (c == '@' || c == '.');
    bool plain = !reserved && c >= ' ' && c < 0x7f && c != '|' && c != '\\' && c != '\'' && c != '~';
    out += plain ? std::string(1, static_cast<char>(c)) : fmt::format("~{:02x}", c);
  }
  return out;
}

struct Solver::State {
  z3::context context;
  z3::solver solver;
  std::vector<z3::expr> exprs;
  std::vector<z3::expr> asserted;  // as they were added: the solver's own list is simplified
  std::vector<std::size_t> levels;
  std::unordered_map<unsigned, std::uint32_t> known;  // Z3's own id of an expression to ours
  std::optional<z3::model> model;
  std::vector<QueryRecord> records;
  Options options;

  explicit State(const Options& given) : solver(context, z3::solver::simple()), options(given) {
    solver.set(params(kOlderSimplex));
  }

  // Plain solvers: one for a logic sets up tactics that no query here comes to, which takes longer than most proofs. The older
  // simplex takes a sixth less time on small problems in integers; where it gives up, the newer one is asked.
  static constexpr unsigned kOlderSimplex = 2;
  static constexpr unsigned kNewerSimplex = 6;

  z3::params params(unsigned simplex) {
    z3::params out(context);
    out.set("random_seed", options.seed);
    out.set("rlimit", options.resource_limit);
    out.set("arith.solver", simplex);
    return out;
  }

  Answer ask(z3::solver& one, const z3::expr_vector& extra) {
    switch (one.check(extra)) {
      case z3::sat: model = one.get_model(); return Answer::Sat;
      case z3::unsat: return Answer::Unsat;
      case z3::unknown: break;
    }
    return Answer::Unknown;
  }

  Answer ask_again(const z3::expr_vector& extra) {
    z3::solver other(context, z3::solver::simple());
    other.set(params(kNewerSimplex));
    for (const z3::expr& assertion : asserted) {
      other.add(assertion);
    }
    return ask(other, extra);
  }

  SolverExpr keep(const z3::expr& e) {
    auto [at, is_new] = known.emplace(e.id(), static_cast<std::uint32_t>(exprs.size()));
    if (is_new) {
      exprs.push_back(e);
    }
    return {at->second};
  }

  const z3::expr& get(SolverExpr e) const { return exprs[e.id]; }

  z3::expr_vector vector_of(std::span<const SolverExpr> items) {
    z3::expr_vector out(context);
    for (SolverExpr item : items) {
      out.push_back(get(item));
    }
    return out;
  }
};

Solver::Solver(Options options) : state_(std::make_unique<State>(options)) {}
Solver::~Solver() = default;

SolverExpr Solver::integer(const Integer& value) { return state_->keep(state_->context.int_val(value.str().c_str())); }

SolverExpr Solver::variable(std::string_view name) { return state_->keep(state_->context.int_const(quotable(name).c_str())); }

SolverExpr Solver::apply(std::string_view function, std::span<const SolverExpr> args) {
  z3::sort integer = state_->context.int_sort();
  z3::sort_vector domain(state_->context);
  for (std::size_t i = 0; i < args.size(); ++i) {
    domain.push_back(integer);
  }
  z3::func_decl f = state_->context.function(quotable(function).c_str(), domain, integer);
  return state_->keep(f(state_->vector_of(args)));
}

SolverExpr Solver::sum(std::span<const SolverExpr> summands) {
  return summands.empty() ? integer(0) : state_->keep(z3::sum(state_->vector_of(summands)));
}

SolverExpr Solver::scale(const Integer& factor, SolverExpr e) {
  return state_->keep(state_->context.int_val(factor.str().c_str()) * state_->get(e));
}

SolverExpr Solver::le(SolverExpr a, SolverExpr b) { return state_->keep(state_->get(a) <= state_->get(b)); }
SolverExpr Solver::eq(SolverExpr a, SolverExpr b) { return state_->keep(state_->get(a) == state_->get(b)); }
SolverExpr Solver::truth(bool value) { return state_->keep(state_->context.bool_val(value)); }
SolverExpr Solver::negate(SolverExpr guard) { return state_->keep(!state_->get(guard)); }

SolverExpr Solver::conjunction(std::span<const SolverExpr> guards) { return state_->keep(z3::mk_and(state_->vector_of(guards))); }

SolverExpr Solver::disjunction(std::span<const SolverExpr> guards) { return state_->keep(z3::mk_or(state_->vector_of(guards))); }

void Solver::push() {
  state_->solver.push();
  state_->levels.push_back(state_->asserted.size());
}

void Solver::pop() {
  state_->solver.pop();
  state_->asserted.erase(state_->asserted.begin() + static_cast<std::ptrdiff_t>(state_->levels.back()), state_->asserted.end());
  state_->levels.pop_back();
}

void Solver::add(SolverExpr guard) {
  state_->solver.add(state_->get(guard));
  state_->asserted.push_back(state_->get(guard));
}

// Z3 reports trouble by exceptions; none leaves this room, and each means that nothing is known.
Answer Solver::check(std::string_view name, std::span<const SolverExpr> extra) {
  auto start = std::chrono::steady_clock::now();
  Answer answer = Answer::Unknown;
  state_->model.reset();
  try {
    z3::expr_vector more = state_->vector_of(extra);
    answer = state_->ask(state_->solver, more);
    if (answer == Answer::Unknown) {
      answer = state_->ask_again(more);
    }
  } catch (const z3::exception&) {
    answer = Answer::Unknown;
  }
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  state_->records.push_back({std::string(name), answer, spent.count()});
  return answer;
}

std::optional<Integer> Solver::value(SolverExpr e) {
  ensure(state_->model.has_value(), "a value is read after a satisfiable query");
  z3::expr v = state_->model->eval(state_->get(e), true);
  std::string digits;
  return v.is_numeral(digits) && digits.find_first_not_of("-0123456789") == std::string::npos ? std::optional(Integer(digits))
                                                                                              : std::nullopt;
}

std::string Solver::smtlib(std::string_view name, Answer expected, std::span<const SolverExpr> extra) {
  z3::solver copy(state_->context);
  for (const z3::expr& assertion : state_->asserted) {
    copy.add(assertion);
  }
  for (SolverExpr e : extra) {
    copy.add(state_->get(e));
  }
  std::string text = copy.to_smt2();
  constexpr std::string_view kOwnHead = "; \n(set-info :status unknown)\n";  // it would deny what was answered
  if (text.starts_with(kOwnHead)) {
    text.erase(0, kOwnHead.size());
  }
  return fmt::format("; {}\n(set-logic QF_UFLIA)\n(set-info :status {})\n{}(exit)\n", name, answer_name(expected), text);
}

const std::vector<QueryRecord>& Solver::records() const { return state_->records; }

std::string_view answer_name(Answer answer) {
  switch (answer) {
    case Answer::Sat: return "sat";
    case Answer::Unsat: return "unsat";
    case Answer::Unknown: return "unknown";
  }
  return "unknown";
}

std::string solver_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("Z3 {}.{}.{}", major, minor, build);
}

}  // namespace vouch
