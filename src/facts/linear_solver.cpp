#include "facts/linear_solver.h"

#include "term/print.h"

namespace vouch {

Answer LinearSolver::check(const Facts& facts, const std::string& name) {
  last_ms_ = 0;
  model_ = nullptr;
  auto [at, is_new] = answered_.try_emplace(forms_.form_of(facts));
  if (is_new || at->second.answer == Answer::Unknown) {
    at->second = ask(facts, name);
  }
  model_ = &at->second.values;
  return at->second.answer;
}

LinearSolver::Known LinearSolver::ask(const Facts& facts, const std::string& name) {
  Known out;
  solver_.push();
  for (Term fact : facts) {
    solver_.add(guard(fact));
  }
  out.answer = solver_.check(name);
  if (out.answer == Answer::Sat) {
    out.values = values_of_model();
  }
  solver_.pop();
  last_ms_ = solver_.records().back().milliseconds;
  return out;
}

LinearSolver::Values LinearSolver::values_of_model() {
  Values out;
  for (const QueryForms::Variable& variable : forms_.variables()) {
    out.resize(variable.place + 1);
    auto expr = known_.find(variable.name);
    std::optional<Integer> value = expr == known_.end() ? std::nullopt : solver_.value(expr->second);
    out.back() = value ? int64_of(*value) : std::nullopt;
  }
  return out;
}

std::string LinearSolver::script(const Facts& facts, const std::string& name, Answer answer) {
  solver_.push();
  for (Term fact : facts) {
    solver_.add(guard(fact));
  }
  std::string text = solver_.smtlib(name, answer);
  solver_.pop();
  return text;
}

std::optional<std::int64_t> LinearSolver::value(Symbol variable) const {
  std::uint32_t place = forms_.place_of(int_var(variable));
  return model_ != nullptr && place < model_->size() ? (*model_)[place] : std::nullopt;
}

SolverExpr LinearSolver::atom(Term term) {
  if (auto found = known_.find(term); found != known_.end()) {
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
  } else {
    expr = solver_.variable(print_term(term));
  }
  known_.emplace(term, expr);
  return expr;
}

SolverExpr LinearSolver::product(const std::vector<Term>& atoms) {
  if (atoms.size() == 1) {
    return atom(atoms[0]);
  }
  Term whole = from_monomials({{1, atoms}});
  if (auto found = known_.find(whole); found != known_.end()) {
    return found->second;
  }
  std::string name;
  for (Term a : atoms) {
    name += (name.empty() ? "" : " * ") + print_term(a);
  }
  return known_.emplace(whole, solver_.variable(name)).first->second;
}

SolverExpr LinearSolver::integer(Term term) {
  std::vector<SolverExpr> summands;
  for (const Monomial& m : monomials_of(term)) {
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

SolverExpr LinearSolver::guard(Term term) {
  if (auto found = known_.find(term); found != known_.end()) {
    return found->second;
  }
  SolverExpr expr = made(term);
  known_.emplace(term, expr);
  return expr;
}

SolverExpr LinearSolver::made(Term term) {
  switch (term.kind()) {
    case TermKind::BoolConst: return solver_.truth(is_true(term));
    case TermKind::IntLe: return solver_.le(integer(term.arg(0)), integer(term.arg(1)));
    case TermKind::IntEq: return solver_.eq(integer(term.arg(0)), integer(term.arg(1)));
    case TermKind::Not: return solver_.negate(guard(term.arg(0)));
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

}  // namespace vouch
