#include "autodiff/index_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "autodiff/integer_system.h"
#include "notation/tk_bounds.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kFirst = -(std::int64_t{1} << 62);

// From here on derived conditions are left out where something else is known to imply them, then altogether. That costs
// iterations, not correctness: every condition that was given is a bound of the innermost loop it names, or a guard.
constexpr std::size_t kManyRows = 24;
constexpr std::size_t kMostRows = 96;

// 0 <= constant + sum of coefficients * t
struct Inequality {
  std::vector<Integer> coefficients;
  Term constant;
  std::vector<std::size_t> sources;  // the given conditions that it follows from, in order
};

std::vector<std::size_t> united(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

class Change {
 public:
  Change(const IndexChange& change, const std::vector<Symbol>& z, const std::vector<Term>& shape, const SizeFacts& sizes)
      : change_(change), names_(change.variables) {
    box_.sizes = ranges_.sizes = sizes;
    for (std::size_t a = 0; a < z.size(); ++a) {
      box_[z[a]] = {Term(0), shape[a] - Term(1)};
      z_.push_back(int_var(z[a]));
    }
    targets_ = z;
    residual_ = bool_const(true);
  }

  std::optional<ChangedIndices> run() {
    // Variables of the iteration carry private names, since those of z may be the same.
    for (std::size_t v = 0; v < names_.size(); ++v) {
      private_[names_[v]] = int_var(hidden(v));
    }
    Box box;
    box.sizes = box_.sizes;
    for (std::size_t v = 0; v < change_.domain.size(); ++v) {
      Term x = int_var(hidden(v));
      ranges_[hidden(v)] = box[names_[v]] = loop_range(change_.domain[v], box);
      add_bound(substitute(change_.domain[v].begin, private_), x, TermKind::IntMax);
      add_bound(substitute(change_.domain[v].end, private_), x, TermKind::IntMin);
    }
    std::vector<Term> equal;
    for (std::size_t a = 0; a < z_.size(); ++a) {
      equal.push_back(linear(substitute(change_.subscripts[a], private_)) - z_[a]);
    }
    add_guard(substitute(change_.guard, private_));
    for (Term zero : zeros_) {
      equal.push_back(zero);
    }
    return solve(equal);
  }

 private:
  Symbol hidden(std::size_t v) const { return Symbol(fmt::format("${}", v)); }

  // The same value with a variable for every quotient and remainder.
  Term linear(Term term) {
    Term sum(0);
    for (const Monomial& monomial : monomials(term)) {
      Term part = int_const(monomial.coefficient);
      for (Term atom : monomial.atoms) {
        bool division = atom.kind() == TermKind::FloorDiv || atom.kind() == TermKind::FloorMod;
        part = part * (division ? divided(atom) : atom);
      }
      sum = sum + part;
    }
    return sum;
  }

  Term divided(Term atom) {
    if (of_sizes(atom)) {
      return atom;
    }
    Term by = atom.arg(1);
    for (const auto& [dividend, divisor, quotient, remainder] : divisions_) {
      if (dividend == atom.arg(0) && divisor == by) {
        return atom.kind() == TermKind::FloorDiv ? quotient : remainder;
      }
    }
    Term inner = linear(atom.arg(0));
    std::string base = atom.arg(0).kind() == TermKind::IntVar ? "" : "_";
    Term quotient = variable("q" + base);
    Term remainder = variable("r" + base);
    divisions_.push_back({atom.arg(0), by, quotient, remainder});
    ranges_[quotient->symbol] = range_of(floor_div(inner, by), ranges_);
    ranges_[remainder->symbol] = range_of(floor_mod(inner, by), ranges_);
    zeros_.push_back(by * quotient + remainder - inner);
    add_guard(ge(remainder, Term(0)));
    add_guard(lt(remainder, by));
    return atom.kind() == TermKind::FloorDiv ? quotient : remainder;
  }

  bool of_sizes(Term atom) const { return index_variables(atom, box_.sizes).empty(); }

  Term variable(const std::string& name) {
    names_.emplace_back(name);
    return int_var(hidden(names_.size() - 1));
  }

  // A loop's bound: a maximum below is all of its parts, a minimum above likewise.
  void add_bound(Term bound, Term x, TermKind extremum) {
    if (bound.kind() == extremum) {
      add_bound(bound.arg(0), x, extremum);
      add_bound(bound.arg(1), x, extremum);
    } else {
      add_guard(extremum == TermKind::IntMax ? le(linear(bound), x) : lt(x, linear(bound)));
    }
  }

  // Conjunctions of linear conditions become inequalities and equations; the rest stays a guard.
  void add_guard(Term guard) {
    if (guard.kind() == TermKind::And) {
      for (Term part : guard.args()) {
        add_guard(part);
      }
      return;
    }
    bool ordered = guard.kind() == TermKind::IntLe;
    Term gap = ordered || guard.kind() == TermKind::IntEq ? guard.arg(1) - guard.arg(0) : Term();
    if (!gap || !splits(gap)) {
      residual_ = both(residual_, guard);
    } else if (ordered) {
      inequalities_.push_back(gap);
    } else {
      zeros_.push_back(gap);
    }
  }

  bool splits(Term term) const {
    for (const Monomial& monomial : monomials(term)) {
      bool plain = (monomial.atoms.size() == 1 && monomial.atoms[0].kind() == TermKind::IntVar) ||
                   std::all_of(monomial.atoms.begin(), monomial.atoms.end(), [&](Term atom) { return of_sizes(atom); });
      if (!plain) {
        return false;
      }
    }
    return true;
  }

  // Coefficients of the hidden variables and what is left.
  std::pair<std::vector<Integer>, Term> row(Term term) const {
    std::vector<Integer> coefficients(names_.size(), 0);
    Term rest(0);
    for (const Monomial& monomial : monomials(term)) {
      std::size_t v = names_.size();
      if (monomial.atoms.size() == 1 && monomial.atoms[0].kind() == TermKind::IntVar &&
          monomial.atoms[0]->symbol.name()[0] == '$') {
        v = std::stoul(monomial.atoms[0]->symbol.name().substr(1));
        coefficients[v] = monomial.coefficient;
      } else {
        rest = rest + from_monomials({monomial});
      }
    }
    return {coefficients, rest};
  }

  std::optional<ChangedIndices> solve(const std::vector<Term>& equal) {
    std::vector<Equation> equations;
    for (Term zero : equal) {
      auto [coefficients, rest] = row(zero);
      equations.push_back({coefficients, -rest});
    }
    IntegerSolution solution = solve_equations(std::move(equations), ranks());
    std::vector<Symbol> free = name_free(solution);
    Substitution values;
    for (std::size_t v = 0; v < names_.size(); ++v) {
      Term value = solution.offset[v];
      for (std::size_t k = 0; k < free.size(); ++k) {
        value = value + int_const(solution.directions[k][v]) * int_var(free[k]);
      }
      values[hidden(v)] = value;
    }
    ChangedIndices out;
    out.inverse = inverse_of(solution);
    for (std::size_t v = 0; v < change_.variables.size(); ++v) {
      out.solution[change_.variables[v]] = values[hidden(v)];
    }
    out.guard = simplified(solution.guard, box_);
    out.loops = bounds(solution, free, out.guard);
    bool empty = std::any_of(out.loops.begin(), out.loops.end(),
                             [&](const TkLoop& loop) { return shortest_frame(loop, box_).count == Term(0); });
    out.guard = simplified(both(out.guard, substitute(residual_, values)), box_);
    return empty || is_false(out.guard) ? std::nullopt : std::optional(std::move(out));
  }

  // The longer a variable's range, the less its rank; quotients and remainders are solved for first.
  std::vector<Integer> ranks() const {
    std::vector<Integer> out;
    for (std::size_t v = 0; v < names_.size(); ++v) {
      const Interval& range = ranges_.at(hidden(v));
      bool division = v >= change_.variables.size();
      out.push_back(division ? Integer(kFirst) : range.bounded() ? nominal(*range.low - *range.high, box_.sizes) : Integer(0));
    }
    return out;
  }

  std::vector<Term> inverse_of(const IntegerSolution& solution) const {
    Substitution plain;
    for (std::size_t v = 0; v < change_.variables.size(); ++v) {
      plain[hidden(v)] = int_var(change_.variables[v]);
    }
    for (const Division& division : divisions_) {
      plain[division.quotient->symbol] = substitute(floor_div(division.dividend, division.divisor), plain);
      plain[division.remainder->symbol] = substitute(floor_mod(division.dividend, division.divisor), plain);
    }
    std::vector<Term> out;
    for (const std::vector<Integer>& row : solution.inverse) {
      out.push_back(substitute(combined(row), plain));
    }
    return out;
  }

  std::vector<Symbol> name_free(const IntegerSolution& solution) const {
    std::vector<Symbol> free;
    for (std::size_t origin : solution.origins) {
      free.push_back(fresh_name(names_[origin], [&](Symbol name) {
        return box_.sizes.has(name) || std::find(targets_.begin(), targets_.end(), name) != targets_.end() ||
               std::find(free.begin(), free.end(), name) != free.end();
      }));
    }
    return free;
  }

  std::vector<TkLoop> bounds(const IntegerSolution& solution, const std::vector<Symbol>& free, Term& guard) {
    std::vector<Inequality> rows;
    for (std::size_t i = 0; i < inequalities_.size(); ++i) {
      auto [coefficients, rest] = row(inequalities_[i]);
      Inequality out{std::vector<Integer>(free.size(), 0), rest, {i}};
      for (std::size_t v = 0; v < coefficients.size(); ++v) {
        out.constant = out.constant + int_const(coefficients[v]) * solution.offset[v];
        for (std::size_t k = 0; k < free.size(); ++k) {
          out.coefficients[k] += coefficients[v] * solution.directions[k][v];
        }
      }
      add_row(rows, std::move(out));
    }
    std::vector<TkLoop> loops(free.size());
    for (std::size_t k = free.size(); k-- > 0;) {
      loops[k] = loop_of(rows, free, k);
      rows = eliminated(rows, k, free.size() - k);
    }
    for (const Inequality& left : rows) {
      guard = both(guard, ge(left.constant, Term(0)));
    }
    guard = simplified(guard, box_);
    for (std::size_t k = 0; k < free.size(); ++k) {
      narrow(loops[k], range_of(combined(solution.inverse[k]), ranges_));
      box_[loops[k].name] = loop_range(loops[k], box_);
    }
    return loops;
  }

  void add_row(std::vector<Inequality>& rows, Inequality row) const {
    bool constant = std::all_of(row.coefficients.begin(), row.coefficients.end(), [](const Integer& c) { return c == 0; });
    Interval range = range_of(row.constant, box_);
    if (constant && range.low && box_.at_least(*range.low, Term(0))) {
      return;
    }
    for (Inequality& other : rows) {
      if (other.coefficients == row.coefficients) {
        Interval gap = range_of(row.constant - other.constant, box_);
        if (gap.low && box_.at_least(*gap.low, Term(0))) {
          return;
        }
        if (gap.high && box_.at_least(Term(0), *gap.high)) {
          other = std::move(row);
          return;
        }
      }
    }
    rows.push_back(std::move(row));
  }

  TkLoop loop_of(const std::vector<Inequality>& rows, const std::vector<Symbol>& free, std::size_t k) const {
    Term begin;
    Term end;
    for (const Inequality& row : rows) {
      const Integer& a = row.coefficients[k];
      if (a == 0) {
        continue;
      }
      Term rest = row.constant;
      for (std::size_t j = 0; j < k; ++j) {
        rest = rest + int_const(row.coefficients[j]) * int_var(free[j]);
      }
      // a*t + rest >= 0
      if (a > 0) {
        Term low = a == 1 ? -rest : ceil_div(-rest, int_const(a));
        begin = begin ? int_max(begin, low) : low;
      } else {
        Term high = (a == -1 ? rest : floor_div(rest, int_const(-a))) + Term(1);
        end = end ? int_min(end, high) : high;
      }
    }
    return {free[k], begin, end};
  }

  // The range that the variables' own ranges give, where conditions that say so were left out.
  void narrow(TkLoop& loop, const Interval& known) const {
    ensure(known.bounded(), "a free direction of a bounded domain has bounds");
    Term low = *known.low;
    Term end = *known.high + Term(1);
    loop.begin = loop.begin ? loop.begin : low;
    loop.end = loop.end ? loop.end : end;
    Interval range = loop_range(loop, box_);
    if (!range.low || !box_.at_least(*range.low, *known.low)) {
      loop.begin = int_max(loop.begin, low);
    }
    if (!range.high || !box_.at_least(*known.high, *range.high)) {
      loop.end = int_min(loop.end, end);
    }
  }

  Term combined(const std::vector<Integer>& row) const {
    Term sum(0);
    for (std::size_t v = 0; v < row.size(); ++v) {
      sum = sum + int_const(row[v]) * int_var(hidden(v));
    }
    return sum;
  }

  // The rows that do not name t_k, and what each pair of a lower and an upper bound implies; `count` variables are
  // eliminated then.
  std::vector<Inequality> eliminated(const std::vector<Inequality>& rows, std::size_t k, std::size_t count) const {
    std::vector<Inequality> out;
    for (const Inequality& row : rows) {
      if (row.coefficients[k] == 0) {
        add_row(out, row);
      }
    }
    for (const Inequality& lower : rows) {
      for (const Inequality& upper : rows) {
        if (lower.coefficients[k] > 0 && upper.coefficients[k] < 0 && out.size() < kMostRows) {
          Inequality row = implied(lower, upper, k);
          // Chernikov: what follows from more conditions than that follows from others as well.
          bool needed = out.size() < kManyRows || row.sources.size() <= count + 1;
          bool constant = std::all_of(row.coefficients.begin(), row.coefficients.end(), [](const Integer& c) { return c == 0; });
          if (needed && !constant) {  // a condition on z alone: an empty loop says the same
            add_row(out, std::move(row));
          }
        }
      }
    }
    return out;
  }

  static Inequality implied(const Inequality& lower, const Inequality& upper, std::size_t k) {
    Integer common = boost::multiprecision::gcd(lower.coefficients[k], upper.coefficients[k]);
    Integer p = -upper.coefficients[k] / common;
    Integer q = lower.coefficients[k] / common;
    Inequality row{{}, int_const(p) * lower.constant + int_const(q) * upper.constant, united(lower.sources, upper.sources)};
    for (std::size_t j = 0; j < lower.coefficients.size(); ++j) {
      row.coefficients.push_back(p * lower.coefficients[j] + q * upper.coefficients[j]);
    }
    return row;
  }

  static Term simplified(Term guard, const Box& box) {
    if (auto known = decided(guard, box)) {
      return bool_const(*known);
    }
    if (guard.kind() != TermKind::And) {
      return guard;
    }
    Term out = bool_const(true);
    for (Term part : guard.args()) {
      out = both(out, simplified(part, box));
    }
    return out;
  }

  struct Division {
    Term dividend, divisor, quotient, remainder;
  };

  const IndexChange& change_;
  std::vector<Symbol> names_;  // of the hidden variables
  std::vector<Symbol> targets_;
  std::vector<Term> z_;
  Box box_;
  Box ranges_;  // of the hidden variables
  Substitution private_;
  std::vector<Division> divisions_;
  std::vector<Term> zeros_;
  std::vector<Term> inequalities_;
  Term residual_;
};

}  // namespace

std::optional<ChangedIndices> change_indices(const IndexChange& change, const std::vector<Symbol>& z,
                                             const std::vector<Term>& shape, const SizeFacts& sizes) {
  return Change(change, z, shape, sizes).run();
}

}  // namespace vouch
