// Guards over integer terms as linear constraints: products of unknowns, `//`, minima, choices and data are unknowns of
// their own (data at equal indices being equal).
#pragma once

#include <optional>
#include <unordered_map>

#include "facts/lemmas.h"
#include "facts/query_forms.h"
#include "solver/solver.h"
#include "support/words_hash.h"

namespace vouch {

class LinearSolver {
 public:
  explicit LinearSolver(Solver::Options options) : solver_(options) {}

  // Asks the solver only what it has not answered before under other names. What it could not answer is asked again.
  Answer check(const Facts& facts, const std::string& name);
  // These facts as an SMT-LIB 2 script with its expected answer.
  std::string script(const Facts& facts, const std::string& name, Answer answer);
  // The value of a variable in the model of the last check, which was satisfiable; nothing for one that it did not speak of.
  std::optional<std::int64_t> value(Symbol variable) const;
  std::size_t checks() const { return solver_.records().size(); }
  double last_ms() const { return last_ms_; }

 private:
  using Values = std::vector<std::optional<std::int64_t>>;  // of unknowns, by their place in a form
  struct Known {
    Answer answer = Answer::Unknown;
    Values values;
  };

  Known ask(const Facts& facts, const std::string& name);
  Values values_of_model();
  SolverExpr atom(Term term);
  SolverExpr product(const std::vector<Term>& atoms);
  SolverExpr integer(Term term);
  SolverExpr guard(Term term);
  SolverExpr made(Term term);

  Solver solver_;
  std::unordered_map<Term, SolverExpr> known_;  // guards, atoms and products of atoms
  QueryForms forms_;
  std::unordered_map<QueryForms::Form, Known, WordsHash> answered_;
  const Values* model_ = nullptr;  // of the last check
  double last_ms_ = 0;
};

}  // namespace vouch
