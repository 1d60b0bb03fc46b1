// The one place that sees Z3: integer linear arithmetic with uninterpreted functions, named queries, resource limits.
//
// An answer is a value, never an exception. Only `Unsat` is ever taken as evidence of a proof; `Sat` offers a model that
// the caller must replay; `Unknown` says that the resource limit was reached or the solver gave up. Limits count the
// solver's own steps, not seconds, and the seed is fixed, so that an answer does not depend on the machine's load.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/number.h"

namespace vouch {

enum class Answer : std::uint8_t { Sat, Unsat, Unknown };

// An expression of one solver; valid as long as that solver.
struct SolverExpr {
  std::uint32_t id = 0;
};

struct QueryRecord {
  std::string name;
  Answer answer = Answer::Unknown;
  double milliseconds = 0;
};

class Solver {
 public:
  struct Options {
    std::uint32_t resource_limit = 300000;  // Z3 `rlimit` steps for one query
    std::uint32_t seed = 0;
  };

  explicit Solver(Options options);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // --- expressions; equal arguments give equal handles
  SolverExpr integer(const Integer& value);
  SolverExpr variable(std::string_view name);
  SolverExpr apply(std::string_view function, std::span<const SolverExpr> args);  // Int^n -> Int
  SolverExpr sum(std::span<const SolverExpr> summands);
  SolverExpr scale(const Integer& factor, SolverExpr e);
  SolverExpr le(SolverExpr a, SolverExpr b);
  SolverExpr eq(SolverExpr a, SolverExpr b);
  SolverExpr truth(bool value);
  SolverExpr negate(SolverExpr guard);
  SolverExpr conjunction(std::span<const SolverExpr> guards);
  SolverExpr disjunction(std::span<const SolverExpr> guards);

  // --- assertions, in scopes
  void push();
  void pop();
  void add(SolverExpr guard);

  // Is the conjunction of the assertions and `extra` satisfiable? The name appears in records and SMT-LIB files.
  Answer check(std::string_view name, std::span<const SolverExpr> extra = {});
  // After `Sat`: the value of an integer expression; nothing if the model leaves it open or it is not integral.
  std::optional<Integer> value(SolverExpr e);
  // The current assertions and `extra` as an SMT-LIB 2 script (QF_UFLIA, quoted names) with its expected answer.
  std::string smtlib(std::string_view name, Answer expected, std::span<const SolverExpr> extra = {});

  const std::vector<QueryRecord>& records() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string_view answer_name(Answer answer);
// Name and version of the solver, as it states itself.
std::string solver_version();

}  // namespace vouch
