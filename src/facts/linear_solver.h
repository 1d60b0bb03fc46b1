// Guards over integer terms as linear constraints: products of unknowns, `//`, minima, choices and data are unknowns of
// their own (data at equal indices being equal).
#pragma once

#include <optional>
#include <unordered_map>

#include "facts/lemmas.h"
#include "solver/solver.h"

namespace vouch {

class LinearSolver {
 public:
  explicit LinearSolver(Solver::Options options) : solver_(options) {}

  Answer check(const Facts& facts, const std::string& name);
  // These facts as an SMT-LIB 2 script with its expected answer.
  std::string script(const Facts& facts, const std::string& name, Answer answer);
  // The value of a variable in the model of the last check, which was satisfiable; nothing for one that it did not speak of.
  std::optional<std::int64_t> value(Symbol variable);
  std::size_t checks() const { return solver_.records().size(); }
  double last_ms() const { return solver_.records().back().milliseconds; }

 private:
  SolverExpr atom(Term term);
  SolverExpr product(const std::vector<Term>& atoms);
  SolverExpr integer(Term term);
  SolverExpr guard(Term term);
  SolverExpr made(Term term);

  Solver solver_;
  std::unordered_map<Term, SolverExpr> known_;  // guards, atoms and products of atoms
};

}  // namespace vouch
