#include "kernel/c_tiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kRegisters = 24;  // of 64 bytes, for sums
constexpr std::int64_t kMostRows = 12;

bool names_it(Term term, Symbol name) {
  std::vector<Symbol> names = free_variables(term);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The coefficient of an index in a term that is linear in it; nothing if it is inside of an atom.
std::optional<Integer> coefficient_of(Term term, Symbol name) {
  Integer out = 0;
  for (const Monomial& monomial : monomials(term)) {
    if (monomial.atoms.size() == 1 && monomial.atoms[0] == int_var(name)) {
      out = monomial.coefficient;
    } else if (names_it(from_monomials({monomial}), name)) {
      return std::nullopt;
    }
  }
  return out;
}

void add_parts(Term bound, TermKind kind, std::vector<Term>& out) {
  if (bound.kind() == kind) {
    for (Term part : bound.args()) {
      add_parts(part, kind, out);
    }
  } else if (!is_true(bound)) {
    out.push_back(bound);
  }
}

std::vector<Term> parts_of(Term bound, TermKind kind) {
  std::vector<Term> out;
  add_parts(bound, kind, out);
  return out;
}

// What is at least 0 in each lane that adds to the sum, of the bounds and conditions that name the lanes' axis.
std::optional<std::vector<Term>> windows(const TkSummand& summand, Symbol lane) {
  std::vector<Term> out;
  for (const TkLoop& loop : summand.loops) {
    for (Term begin : parts_of(loop.begin, TermKind::IntMax)) {
      out.push_back(int_var(loop.name) - begin);
    }
    for (Term end : parts_of(loop.end, TermKind::IntMin)) {
      out.push_back(end - Term(1) - int_var(loop.name));
    }
  }
  for (Term part : parts_of(summand.guard, TermKind::And)) {
    if (names_it(part, lane) && part.kind() != TermKind::IntLe) {
      return std::nullopt;
    }
    if (part.kind() == TermKind::IntLe) {
      out.push_back(part.arg(1) - part.arg(0));
    }
  }
  std::erase_if(out, [&](Term gap) { return !names_it(gap, lane); });
  bool good = std::all_of(out.begin(), out.end(), [&](Term gap) {
    auto coefficient = coefficient_of(gap, lane);
    return coefficient && abs(*coefficient) == 1;
  });
  return good ? std::optional(out) : std::nullopt;
}

// Every use of the lanes' axis is the last subscript of a read, in steps of 1; `vectors` are these reads.
bool reads_in_lanes(Term term, Symbol lane, const TkKernel& kernel, std::vector<Term>& vectors) {
  if (term.kind() != TermKind::Read) {
    return term.kind() != TermKind::RealOf && term.kind() != TermKind::Select
               ? std::all_of(term.args().begin(), term.args().end(), [&](Term part) { return reads_in_lanes(part, lane, kernel, vectors); })
               : !names_it(term, lane);
  }
  for (std::size_t a = 0; a + 1 < term.args().size(); ++a) {
    if (names_it(term.arg(a), lane)) {
      return false;
    }
  }
  Term last = term.args().back();
  if (names_it(last, lane)) {
    vectors.push_back(term);
  }
  return !names_it(last, lane) || coefficient_of(last, lane) == Integer(1);
}

bool is_free_of(const TkSummand& summand, Symbol name) {
  return !names_it(summand.guard, name) && std::none_of(summand.loops.begin(), summand.loops.end(), [&](const TkLoop& loop) {
    return names_it(loop.begin, name) || names_it(loop.end, name);
  });
}

std::int64_t lanes_for(std::int64_t extent, std::int64_t unit) {
  std::int64_t best = unit;
  auto covered = [&](std::int64_t lanes) { return (extent + lanes - 1) / lanes * lanes; };
  for (std::int64_t lanes = 2 * unit; lanes <= 4 * unit; lanes += unit) {
    best = covered(lanes) <= covered(best) ? lanes : best;
  }
  return best;
}

// The most rows that leave none over, if they are more than a few.
std::int64_t rows_for(std::int64_t extent, std::int64_t most) {
  for (std::int64_t rows = most; rows > most / 2; --rows) {
    if (extent % rows == 0) {
      return rows;
    }
  }
  return std::min(extent, most);
}

class TilePrinter {
 public:
  TilePrinter(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms)
      : kernel_(kernel), statement_(statement), plan_(plan), terms_(terms), extents_(kernel.tensor(statement.target).extents),
        lane_(statement.indices.back()), row_(statement.indices[plan.rows_axis]) {
    auto taken = [&](Symbol name) {
      auto has = [&](const TkSummand& s) { return std::any_of(s.loops.begin(), s.loops.end(), [&](const TkLoop& l) { return l.name == name; }); };
      return name == first_ || std::find(statement.indices.begin(), statement.indices.end(), name) != statement.indices.end() ||
             std::any_of(statement.summands.begin(), statement.summands.end(), has);
    };
    first_ = fresh_name(Symbol("first"), taken);
    each_ = fresh_name(Symbol("lane"), taken);
  }

  std::string print() {
    if (plan_.rows == 1) {
      nest(0, 1, 1);
      return out_;
    }
    std::int64_t extent = extents_[plan_.rows_axis];
    std::int64_t whole = extent / plan_.rows * plan_.rows;
    nest(0, whole, plan_.rows);
    if (whole < extent) {
      nest(whole, extent, extent - whole);
    }
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void nest(std::int64_t from, std::int64_t to, std::int64_t rows) {
    out_ += fmt::format("#pragma omp parallel for collapse({}) schedule(static)\n", extents_.size());
    depth_ = 1;
    for (std::size_t a = 0; a < extents_.size(); ++a) {
      bool last = a + 1 == extents_.size();
      bool tiled = plan_.rows > 1 && a == plan_.rows_axis;
      std::string i = CTerms::index(last ? first_ : statement_.indices[a]);
      std::int64_t step = last ? plan_.lanes : tiled ? rows : 1;
      line(fmt::format("for (int64_t {} = {}; {} < {}; {} += {}){}", i, tiled ? from : 0, i, tiled ? to : extents_[a], i, step, last ? " {" : ""));
      ++depth_;
    }
    rows_ = rows;
    for (std::int64_t r = 0; r < rows; ++r) {
      line(fmt::format("{} vouch_sum{}[{}] = {{0}};", kernel_.dtype, r, plan_.lanes));
    }
    for (const TkSummand& summand : statement_.summands) {
      sum(summand);
    }
    store();
    --depth_;
    line("}");
  }

  // As Term: the row r of the tile, lane `u` of it.
  Term at_row(Term term, std::int64_t r) const { return r == 0 ? term : substitute(term, row_, int_var(row_) + Term(r)); }
  Term at_lane(Term term, Term u) const { return substitute(term, lane_, int_var(first_) + u); }

  // A bound for all lanes together: of the lane where it is least (greatest, for an end).
  Term extreme(Term bound, bool end) const {
    bool rises = coefficient_of(bound, lane_).value_or(0) > 0;
    return at_lane(bound, Term(rises == end ? plan_.lanes - 1 : 0));
  }

  std::string loop_bound(Term bound, TermKind kind) const {
    std::vector<Term> parts = parts_of(bound, kind);
    Term out;
    for (Term part : parts) {
      Term common = extreme(part, kind == TermKind::IntMin);
      out = !out ? common : kind == TermKind::IntMin ? int_min(out, common) : int_max(out, common);
    }
    return terms_.integer(out);
  }

  void sum(const TkSummand& summand) {
    std::size_t kept = depth_;
    std::vector<Symbol> loops;
    std::vector<Term> open = parts_of(summand.guard, TermKind::And);
    std::erase_if(open, [&](Term part) { return names_it(part, lane_); });
    for (std::size_t depth = 0; depth <= summand.loops.size(); ++depth) {
      std::erase_if(open, [&](Term part) {
        bool ready = std::none_of(summand.loops.begin() + static_cast<std::ptrdiff_t>(depth), summand.loops.end(),
                                  [&](const TkLoop& loop) { return names_it(part, loop.name); });
        if (ready) {
          line(fmt::format("if ({})", terms_.guard(part)));
          ++depth_;
        }
        return ready;
      });
      if (depth < summand.loops.size()) {
        const TkLoop& loop = summand.loops[depth];
        std::string i = CTerms::index(loop.name);
        line(fmt::format("for (int64_t {} = {}; {} < {}; ++{})", i, loop_bound(loop.begin, TermKind::IntMax), i,
                         loop_bound(loop.end, TermKind::IntMin), i));
        ++depth_;
      }
    }
    out_.insert(out_.size() - 1, " {");
    lanes(summand);
    --depth_;
    line("}");
    depth_ = kept;
  }

  void lanes(const TkSummand& summand) {
    std::vector<Term> gaps = *windows(summand, lane_);
    std::int64_t extent = extents_.back();
    Term low(0);
    Term end(plan_.lanes);
    if (extent % plan_.lanes != 0) {
      end = int_min(end, Term(extent) - int_var(first_));
    }
    for (Term gap : gaps) {  // of which the lane u adds u, or takes it away
      Term at_first = at_lane(gap, Term(0));
      if (*coefficient_of(gap, lane_) == 1) {
        low = int_max(low, -at_first);
      } else {
        end = int_min(end, at_first + Term(1));
      }
    }
    if (low == Term(0) && end == Term(plan_.lanes)) {
      return body(summand, "0", fmt::format("{}", plan_.lanes));
    }
    line(fmt::format("const int vouch_low = (int){}, vouch_end = (int){};", terms_.integer(int_min(low, Term(plan_.lanes))),
                     terms_.integer(int_max(end, Term(0)))));
    body(summand, "vouch_low", "vouch_end");
  }

  void body(const TkSummand& summand, const std::string& low, const std::string& end) {
    line("#pragma omp simd");
    line(fmt::format("for (int {0} = {1}; {0} < {2}; ++{0}) {{", CTerms::index(each_), low, end));
    ++depth_;
    for (std::int64_t r = 0; r < rows_; ++r) {
      Term value = at_row(at_lane(summand.body, int_var(each_)), r);
      line(fmt::format("vouch_sum{}[{}] += {};", r, CTerms::index(each_), terms_.scalar(value)));
    }
    --depth_;
    line("}");
  }

  void store() {
    std::string count = fmt::format("{}", plan_.lanes);
    if (extents_.back() % plan_.lanes != 0) {
      count = terms_.integer(int_min(Term(plan_.lanes), Term(extents_.back()) - int_var(first_)));
    }
    line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", CTerms::index(each_), count));
    ++depth_;
    std::vector<Term> at;
    for (Symbol name : statement_.indices) {
      at.push_back(at_lane(int_var(name), int_var(each_)));
    }
    for (std::int64_t r = 0; r < rows_; ++r) {
      std::vector<Term> row;
      for (Term index : at) {
        row.push_back(at_row(index, r));
      }
      line(fmt::format("{} = vouch_sum{}[{}];", terms_.element(statement_.target, row), r, CTerms::index(each_)));
    }
    --depth_;
    line("}");
  }

  const TkKernel& kernel_;
  const TkStatement& statement_;
  const TilePlan& plan_;
  const CTerms& terms_;
  const Extents& extents_;
  Symbol lane_;
  Symbol first_;  // the first lane of the tile
  Symbol each_;   // counted from it
  Symbol row_;
  std::int64_t rows_ = 1;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::optional<TilePlan> plan_tiles(const TkKernel& kernel, const TkStatement& statement) {
  const Extents& extents = kernel.tensor(statement.target).extents;
  Symbol lane = statement.indices.back();
  std::int64_t unit = kernel.dtype == "float" ? 16 : 8;
  bool good = kernel.dtype != "int" && extents.back() >= unit && !statement.summands.empty();
  std::vector<Term> vectors;
  for (const TkSummand& summand : statement.summands) {
    good = good && !summand.loops.empty() && windows(summand, lane) && reads_in_lanes(summand.body, lane, kernel, vectors);
  }
  if (!good || vectors.empty()) {
    return std::nullopt;
  }
  TilePlan plan{extents.size() - 1, 1, lanes_for(extents.back(), unit)};
  for (std::size_t a = 0; a + 1 < extents.size(); ++a) {
    Symbol row = statement.indices[a];
    bool shared = std::any_of(vectors.begin(), vectors.end(), [&](Term vector) { return !names_it(vector, row); });
    bool free = std::all_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& s) { return is_free_of(s, row); });
    std::int64_t rows = rows_for(extents[a], std::min(kMostRows, kRegisters / (plan.lanes / unit)));
    if (shared && free && rows > plan.rows) {
      plan.rows_axis = a;
      plan.rows = rows;
    }
  }
  return plan;
}

std::string print_tiles(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms) {
  return TilePrinter(kernel, statement, plan, terms).print();
}

}  // namespace vouch
