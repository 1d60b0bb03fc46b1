#include "driver/size_witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "solver/solver.h"
#include "term/term.h"

namespace vouch {
namespace {

using array::Size;
using array::SizeFact;
using Fixed = std::map<std::size_t, Integer>;  // by number of the size

// Products of sizes are beyond the solver: sizes that have a part in one are given small numbers first. With a name for each
// product, the solver can still tell that there are no sizes at all.
class Search {
 public:
  Search(const array::Program& program, const std::vector<Size>& limits) : program_(program), limits_(limits) {
    for (unsigned k = 0; k < program.sizes.size(); ++k) {
      variables_.push_back(array::size_term(array::size_var(k)));
    }
    for (const SizeFact& fact : program.facts) {
      facts_.push_back(array::size_term(fact.second) - array::size_term(fact.first));
      for (const Monomial& monomial : monomials(facts_.back())) {
        if (monomial.atoms.size() > 1) {
          for (Term atom : monomial.atoms) {
            factors_.insert(number_of(atom));
          }
        }
      }
    }
  }

  SizeWitness run() {
    if (good(ones())) {
      return {ones(), false};
    }
    if (Found found = ask({}, 0, kLargest); found.none) {
      return {std::nullopt, true};
    }
    for (int least : {1, 0}) {
      for (const Integer& most : {Integer(64), Integer(1) << 24, kLargest}) {
        for (const Fixed& fixed : factor_values()) {
          if (Found found = ask(fixed, least, most); found.values && good(*found.values)) {
            return {found.values, false};
          }
        }
      }
    }
    return {};
  }

 private:
  struct Found {
    std::optional<std::vector<Integer>> values;
    bool none = false;
  };
  static inline const Integer kLargest = (Integer(1) << 63) - 1;

  std::size_t number_of(Term variable) const {
    return static_cast<std::size_t>(std::find(variables_.begin(), variables_.end(), variable) - variables_.begin());
  }

  std::vector<Integer> ones() const { return std::vector<Integer>(program_.sizes.size(), Integer(1)); }

  bool good(const std::vector<Integer>& values) const {
    return std::all_of(program_.facts.begin(), program_.facts.end(),
                       [&](const SizeFact& fact) { return size_value(fact.first, values) <= size_value(fact.second, values); }) &&
           std::all_of(limits_.begin(), limits_.end(),
                       [&](const Size& limit) { return size_value(limit, values) < (Integer(1) << 63); });
  }

  // Values for the factors: all alike, then each in turn apart.
  std::vector<Fixed> factor_values() const {
    if (factors_.empty()) {
      return {{}};
    }
    std::vector<Fixed> all;
    for (int common : {1, 2, 3, 4, 8, 16, 0}) {
      Fixed alike;
      for (std::size_t factor : factors_) {
        alike[factor] = common;
      }
      all.push_back(alike);
      for (std::size_t factor : factors_) {
        Fixed open = alike;
        open.erase(factor);
        all.push_back(open);
      }
    }
    return all;
  }

  SolverExpr encode(Solver& solver, Term fact, const Fixed& fixed) const {
    std::vector<SolverExpr> sum;
    for (const Monomial& monomial : monomials(fact)) {
      Integer factor = monomial.coefficient;
      std::string name;
      for (Term atom : monomial.atoms) {
        if (auto value = fixed.find(number_of(atom)); value != fixed.end()) {
          factor *= value->second;
        } else {
          name += fmt::format("{}s{}", name.empty() ? "" : "*", number_of(atom));
        }
      }
      sum.push_back(name.empty() ? solver.integer(factor) : solver.scale(factor, at_least(solver, name, 0)));
    }
    return solver.sum(sum);
  }

  static SolverExpr at_least(Solver& solver, const std::string& name, int least) {
    SolverExpr variable = solver.variable(name);
    solver.add(solver.le(solver.integer(least), variable));
    return variable;
  }

  Found ask(const Fixed& fixed, int least, const Integer& most) const {
    Solver solver({});
    std::vector<SolverExpr> variables;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      variables.push_back(at_least(solver, fmt::format("s{}", k), least));
      solver.add(solver.le(variables.back(), solver.integer(most)));
    }
    for (Term fact : facts_) {
      solver.add(solver.le(solver.integer(0), encode(solver, fact, fixed)));
    }
    Found found;
    Answer answer = solver.check("sizes");
    found.none = answer == Answer::Unsat;
    if (answer == Answer::Sat) {
      found.values.emplace();
      for (std::size_t k = 0; k < variables_.size(); ++k) {
        auto value = fixed.find(k);
        found.values->push_back(value != fixed.end() ? value->second : solver.value(variables[k]).value_or(Integer(least)));
      }
    }
    return found;
  }

  const array::Program& program_;
  const std::vector<Size>& limits_;
  std::vector<Term> facts_;      // each at least 0
  std::vector<Term> variables_;  // of the sizes, in order
  std::set<std::size_t> factors_;
};

}  // namespace

SizeWitness find_witness(const array::Program& program, const std::vector<Size>& limits) { return Search(program, limits).run(); }

}  // namespace vouch
