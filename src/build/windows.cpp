#include "build/windows.h"

#include <algorithm>

#include "build/extrema.h"
#include "build/piecewise.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kLeastCells = 1024;  // fewer are not worth a tensor of their own

std::vector<Term> conjuncts(Term guard) {
  std::vector<Term> out;
  for (Term part :
       guard.kind() == TermKind::And ? std::vector<Term>(guard.args().begin(), guard.args().end()) : std::vector{guard}) {
    if (!is_true(part)) {
      out.push_back(part);
    }
  }
  return out;
}

bool mentions(Term term, Symbol name) {
  std::vector<Symbol> free = free_variables(term);
  return std::find(free.begin(), free.end(), name) != free.end();
}

// A window: its last subscript is `step * index + dilation * bound + low`, and in no other place are these two.
struct Window {
  std::size_t axis = 0;   // of the target, which `index` is for
  std::size_t bound = 0;  // which of the reduction's indices
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::vector<Term> rows;  // conditions of the other axes
  std::vector<Term> last;  // conditions of the last one
};

class Separation {
 public:
  Separation(Kernel& kernel, const Statement& statement)
      : kernel_(kernel), statement_(statement), target_(*declaration_of(kernel, statement.target)) {}

  // The statement of the rows; `whole` is then the statement over them.
  std::optional<Statement> run(Statement& whole) {
    Term value = statement_.value;
    bool extremum =
        value.kind() == TermKind::Reduce && value->reduction != Reduction::Sum && value->reduction != Reduction::Product;
    if (!extremum || !is_float(target_.dtype) || value->bound.size() < 2 || value.arg(0).kind() != TermKind::Read ||
        value.arg(0).args().empty() || !sizes()) {
      return std::nullopt;
    }
    auto window = window_of(value);
    return window && pays(*window) ? std::optional(separated(*window, whole)) : std::nullopt;
  }

 private:
  bool sizes() {
    std::int64_t cells = 1;
    for (Term extent : target_.extents) {
      extents_.push_back(const_int(extent).value_or(0));
      cells *= extents_.back();
    }
    for (Term extent : statement_.value.args().subspan(2)) {
      counts_.push_back(const_int(extent).value_or(0));
    }
    bool known = std::all_of(counts_.begin(), counts_.end(), [](std::int64_t n) { return n > 0; });
    return known && cells >= kLeastCells;
  }

  std::optional<Window> window_of(Term value) const {
    Term read = value.arg(0);
    Term at = read.args().back();
    Window out;
    int found = 0;
    for (const Monomial& monomial : monomials(at)) {
      auto factor = static_cast<std::int64_t>(monomial.coefficient);
      if (monomial.atoms.empty()) {
        out.low += factor;
        out.high += factor;
        continue;
      }
      Symbol name = monomial.atoms[0]->symbol;
      auto index = std::find(statement_.indices.begin(), statement_.indices.end(), name);
      auto bound = std::find(value->bound.begin(), value->bound.end(), name);
      bool plain = monomial.atoms.size() == 1 && monomial.atoms[0].kind() == TermKind::IntVar && factor > 0;
      if (!plain || (index == statement_.indices.end()) == (bound == value->bound.end())) {
        return std::nullopt;
      }
      bool is_index = index != statement_.indices.end();
      (is_index ? out.axis : out.bound) =
          static_cast<std::size_t>(is_index ? index - statement_.indices.begin() : bound - value->bound.begin());
      found += is_index ? 1 : 2;
      out.high += factor * ((is_index ? extents_[out.axis] : counts_[out.bound]) - 1);
    }
    return found == 3 && conditions(value, at, out) ? std::optional(out) : std::nullopt;
  }

  bool conditions(Term value, Term at, Window& window) const {
    auto of_last = [&](Term term) {
      return mentions(term, statement_.indices[window.axis]) || mentions(term, value->bound[window.bound]);
    };
    Term read = value.arg(0);
    Term extent = declaration_of(kernel_, read->symbol)->extents.back();
    for (Term part : conjuncts(value.arg(1))) {
      if (of_last(part) && part != le(0, at) && part != lt(at, extent)) {
        return false;
      }
      (of_last(part) ? window.last : window.rows).push_back(part);
    }
    return std::none_of(read.args().begin(), read.args().end() - 1, of_last);
  }

  bool pays(const Window& window) const {
    std::int64_t all = 1;
    for (std::int64_t count : counts_) {
      all *= count;
    }
    std::int64_t along = counts_[window.bound];
    std::int64_t across = all / along;
    std::int64_t many = extents_[window.axis];
    std::int64_t separately = (window.high - window.low + 1) * across + many * along;
    return along > 1 && across > 1 && 4 * separately <= 5 * many * all;  // side by side they cost far less each
  }

  Statement separated(const Window& window, Statement& whole) {
    Term value = statement_.value;
    Term read_term = value.arg(0);
    Symbol position = statement_.indices[window.axis];
    Term at = int_var(position) + Term(window.low);
    auto placed = [&](const std::vector<Term>& parts) {
      std::vector<Term> out;
      for (Term part : parts) {
        Term extent = declaration_of(kernel_, read_term->symbol)->extents.back();
        out.push_back(part == le(0, read_term.args().back()) ? le(0, at) : lt(at, extent));
      }
      return all_of(out);
    };
    std::vector<BoundIndex> across;
    for (std::size_t k = 0; k < value->bound.size(); ++k) {
      if (k != window.bound) {
        across.push_back({value->bound[k], value.arg(k + 2)});
      }
    }
    std::vector<Term> subscripts(read_term.args().begin(), read_term.args().end());
    subscripts.back() = at;
    TensorDecl rows{fresh_name(Symbol("rows"), [&](Symbol s) { return declaration_of(kernel_, s) != nullptr; }), target_.dtype,
                    target_.extents};
    rows.extents[window.axis] = Term(window.high - window.low + 1);
    Term row = reduce(value->reduction, across, all_of(window.rows), read(read_term->symbol, subscripts));
    Statement first{rows.name, statement_.indices,
                    select(placed(window.last), row, neutral_element(value->reduction, target_.dtype))};
    whole = statement_;
    std::vector<Term> of_rows;
    for (Symbol index : statement_.indices) {
      of_rows.push_back(int_var(index));
    }
    of_rows[window.axis] = read_term.args().back() - Term(window.low);
    whole.value = reduce(value->reduction, {{value->bound[window.bound], value.arg(window.bound + 2)}}, bool_const(true),
                         read(rows.name, of_rows));
    kernel_.locals.push_back(std::move(rows));
    return first;
  }

  Kernel& kernel_;
  const Statement& statement_;
  TensorDecl target_;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

void separate_windows(Kernel& kernel) {
  std::vector<Statement> out;
  for (const Statement& statement : kernel.statements) {
    Statement whole;
    if (auto rows = Separation(kernel, statement).run(whole)) {
      out.push_back(std::move(*rows));
      out.push_back(std::move(whole));
    } else {
      out.push_back(statement);
    }
  }
  kernel.statements = std::move(out);
}

}  // namespace vouch
