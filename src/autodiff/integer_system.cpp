#include "autodiff/integer_system.h"

namespace vouch {
namespace {

// Column operations on the equations and, alike, on the unimodular matrix (rows are variables); the opposite row operations
// on its inverse.
struct Columns {
  std::vector<Equation>& equations;
  std::vector<std::vector<Integer>> transform;
  std::vector<std::vector<Integer>> inverse;

  void subtract(std::size_t from, std::size_t by, const Integer& factor) {
    for (Equation& equation : equations) {
      equation.coefficients[from] -= factor * equation.coefficients[by];
    }
    for (auto& row : transform) {
      row[from] -= factor * row[by];
    }
    for (std::size_t v = 0; v < inverse.size(); ++v) {
      inverse[by][v] += factor * inverse[from][v];
    }
  }
};

// The open column with the smallest non-zero coefficient in this row; of these the one of least rank, the last of them.
std::optional<std::size_t> smallest(const Equation& equation, const std::vector<bool>& used, const std::vector<Integer>& rank) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < used.size(); ++c) {
    const Integer& a = equation.coefficients[c];
    if (used[c] || a == 0) {
      continue;
    }
    Integer now = best ? abs(equation.coefficients[*best]) : Integer(0);
    if (!best || abs(a) < now || (abs(a) == now && rank[c] <= rank[*best])) {
      best = c;
    }
  }
  return best;
}

// Leaves one open column with a non-zero coefficient in row `r`, as Euclid does.
std::optional<std::size_t> reduce_row(Columns& columns, std::size_t r, const std::vector<bool>& used,
                                      const std::vector<Integer>& rank) {
  for (;;) {
    auto pivot = smallest(columns.equations[r], used, rank);
    if (!pivot) {
      return std::nullopt;
    }
    bool alone = true;
    for (std::size_t c = 0; c < used.size(); ++c) {
      if (!used[c] && c != *pivot && columns.equations[r].coefficients[c] != 0) {
        Integer factor = columns.equations[r].coefficients[c] / columns.equations[r].coefficients[*pivot];
        columns.subtract(c, *pivot, factor);
        alone = alone && columns.equations[r].coefficients[c] == 0;
      }
    }
    if (alone) {
      return pivot;
    }
  }
}

}  // namespace

IntegerSolution solve_equations(std::vector<Equation> equations, const std::vector<Integer>& rank) {
  std::size_t variables = rank.size();
  Columns columns{equations, {}, {}};
  columns.transform.assign(variables, std::vector<Integer>(variables, 0));
  for (std::size_t v = 0; v < variables; ++v) {
    columns.transform[v][v] = 1;
  }
  columns.inverse = columns.transform;
  std::vector<bool> used(variables, false);
  std::vector<Term> values(variables, Term(0));
  IntegerSolution out;
  out.guard = bool_const(true);
  for (std::size_t r = 0; r < equations.size(); ++r) {
    auto pivot = reduce_row(columns, r, used, rank);
    Term rest = equations[r].right;
    for (std::size_t c = 0; c < variables; ++c) {
      if (used[c]) {
        rest = rest - int_const(equations[r].coefficients[c]) * values[c];
      }
    }
    if (!pivot) {
      out.guard = both(out.guard, eq(rest, Term(0)));
      continue;
    }
    Integer p = equations[r].coefficients[*pivot];
    if (p < 0) {
      p = -p;
      rest = -rest;
    }
    used[*pivot] = true;
    out.guard = both(out.guard, divides(int_const(p), rest));
    values[*pivot] = p == 1 ? rest : floor_div(rest, int_const(p));
  }
  for (std::size_t v = 0; v < variables; ++v) {
    Term offset(0);
    for (std::size_t c = 0; c < variables; ++c) {
      offset = used[c] ? offset + int_const(columns.transform[v][c]) * values[c] : offset;
    }
    out.offset.push_back(offset);
  }
  for (std::size_t c = 0; c < variables; ++c) {
    if (!used[c]) {
      out.origins.push_back(c);
      out.inverse.push_back(columns.inverse[c]);
      out.directions.emplace_back();
      for (std::size_t v = 0; v < variables; ++v) {
        out.directions.back().push_back(columns.transform[v][c]);
      }
    }
  }
  return out;
}

}  // namespace vouch
