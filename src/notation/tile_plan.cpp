#include "notation/tile_plan.h"

#include <algorithm>

#include "notation/tk_bounds.h"
#include "term/substitute.h"

namespace vouch {

bool names_index(Term term, Symbol name) {
  std::vector<Symbol> names = free_variables(term);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Integer> coefficient_of(Term term, Symbol name) {
  Integer out = 0;
  for (const Monomial& monomial : monomials(term)) {
    if (monomial.atoms.size() == 1 && monomial.atoms[0] == int_var(name)) {
      out = monomial.coefficient;
    } else if (names_index(from_monomials({monomial}), name)) {
      return std::nullopt;
    }
  }
  return out;
}

namespace {

constexpr std::int64_t kSums = 12;  // vectors of a tile, of sixteen registers
constexpr std::int64_t kMostFrame = std::int64_t{1} << 20;
constexpr std::int64_t kRowsOfFrame = 96;

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

// The value is zero, of whatever sign, wherever `padded` is: then what `finite` is told must be finite.
bool vanishes(Term value, Term padded, std::vector<Symbol>& finite);

bool is_finite(Term value, std::vector<Symbol>& finite) {
  if (value.kind() == TermKind::Read) {
    finite.push_back(value->symbol);
  }
  return value.kind() == TermKind::Read || value.kind() == TermKind::RealConst || value.kind() == TermKind::RealOf ||
         (value.kind() == TermKind::RealNeg && is_finite(value.arg(0), finite));
}

bool vanishes(Term value, Term padded, std::vector<Symbol>& finite) {
  switch (value.kind()) {
    case TermKind::Read: return value == padded;
    case TermKind::RealNeg: return vanishes(value.arg(0), padded, finite);
    case TermKind::RealDiv: {
      bool constant = value.arg(1).kind() == TermKind::RealConst && value.arg(1)->value != 0;
      return constant && vanishes(value.arg(0), padded, finite);
    }
    case TermKind::RealMul:
      for (std::size_t k : {0U, 1U}) {
        std::vector<Symbol> also;
        if (vanishes(value.arg(k), padded, also) && is_finite(value.arg(1 - k), also)) {
          finite.insert(finite.end(), also.begin(), also.end());
          return true;
        }
      }
      return false;
    default: return false;
  }
}

class SummandPlanner {
 public:
  SummandPlanner(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand)
      : kernel_(kernel), summand_(summand), lane_(statement.indices.back()), box_(summand_box(kernel, statement, summand)) {}

  TileSummand out;
  std::vector<Symbol> finite;
  bool padded = false;

  bool plan() {
    bool empty = std::any_of(summand_.loops.begin(), summand_.loops.end(), [&](const TkLoop& loop) {
      return box_.at_least(*box_.at(loop.name).low - Term(1), *box_.at(loop.name).high);
    });
    return !empty && find_reads(summand_.body) && split_conditions() && split_loops() && pads_do() && stays_inside(summand_.body);
  }

  // The box of elements that the read takes in while loops (and rows) run.
  bool frame(VectorRead& read, Symbol row, std::int64_t width) const {
    std::int64_t volume = 1;
    for (std::size_t a = 0; a < read.read.args().size(); ++a) {
      Term begin = read.read.arg(a);
      Integer count = 1;
      for (Symbol name : free_variables(begin)) {
        bool runs =
            name == row || std::any_of(out.loops.begin(), out.loops.end(), [&](const TkLoop& loop) { return loop.name == name; });
        auto by = coefficient_of(begin, name);
        if (!by) {
          return false;
        }
        if (runs) {
          const Interval& range = box_.at(name);
          begin = substitute(begin, name, *by > 0 ? *range.low : *range.high);
          count += abs(*by) * *number_of(*range.high - *range.low);
        }
      }
      if (count > kMostFrame) {
        return false;
      }
      read.begins.push_back(begin);
      read.counts.push_back(static_cast<std::int64_t>(count));
      volume *= read.counts.back() + (a + 1 == read.read.args().size() ? width - 1 : 0);
      if (volume > kMostFrame) {
        return false;
      }
    }
    return true;
  }

 private:
  // Every use of the lanes' axis is the last subscript of a read, in steps of 1.
  bool find_reads(Term term) {
    if (!names_index(term, lane_)) {
      return true;
    }
    auto all_of_args = [&](std::size_t from) {
      return std::all_of(term.args().begin() + static_cast<std::ptrdiff_t>(from), term.args().end(),
                         [&](Term part) { return find_reads(part); });
    };
    switch (term.kind()) {
      case TermKind::Read: {
        bool elsewhere = std::any_of(term.args().begin(), term.args().end() - 1, [&](Term at) { return names_index(at, lane_); });
        bool known = std::any_of(out.reads.begin(), out.reads.end(), [&](const VectorRead& r) { return r.read == term; });
        if (!known) {
          out.reads.push_back({term, false, {}, {}});
        }
        return !elsewhere && coefficient_of(term.args().back(), lane_) == Integer(1);
      }
      case TermKind::RealAdd:
      case TermKind::RealSub:
      case TermKind::RealMul:
      case TermKind::RealDiv:
      case TermKind::RealNeg: return all_of_args(0);
      case TermKind::Select:
        return !names_index(term.arg(0), lane_) && names_index(term.arg(1), lane_) && names_index(term.arg(2), lane_) &&
               all_of_args(1);
      default: return false;
    }
  }

  bool split_conditions() {
    for (Term part : parts_of(summand_.guard, TermKind::And)) {
      if (!names_index(part, lane_)) {
        out.conditions.push_back(part);
      } else if (part.kind() != TermKind::IntLe) {
        return false;
      } else {
        gaps_.push_back(part.arg(1) - part.arg(0));
      }
    }
    return true;
  }

  // What of a bound does not name the lanes; the rest is a gap, and then the box bounds the loop too.
  Term common_bound(const TkLoop& loop, bool end) {
    TermKind kind = end ? TermKind::IntMin : TermKind::IntMax;
    Term found;
    bool constant = false;
    auto join = [&](Term part) { found = !found ? part : end ? int_min(found, part) : int_max(found, part); };
    std::size_t before = gaps_.size();
    for (Term part : parts_of(end ? loop.end : loop.begin, kind)) {
      if (names_index(part, lane_)) {
        gaps_.push_back(end ? part - Term(1) - int_var(loop.name) : int_var(loop.name) - part);
      } else {
        constant = constant || is_const(part);
        join(part);
      }
    }
    if (gaps_.size() > before) {
      const Interval& range = box_.at(loop.name);
      if (!constant) {
        join(end ? *range.high + Term(1) : *range.low);
      }
    }
    return found;
  }

  bool split_loops() {
    for (const TkLoop& loop : summand_.loops) {
      Term begin = common_bound(loop, false);
      Term end = common_bound(loop, true);
      out.loops.push_back({loop.name, begin, end});
    }
    return true;
  }

  // Each gap is what keeps a read inside of its tensor, and where that read is 0 nothing is added.
  bool pads_do() {
    padded = !gaps_.empty();
    for (Term gap : gaps_) {
      for (Symbol name : free_variables(gap)) {
        widened_.push_back(name);
      }
    }
    return std::all_of(gaps_.begin(), gaps_.end(), [&](Term gap) {
      return std::any_of(out.reads.begin(), out.reads.end(), [&](const VectorRead& vector) {
        Term last = vector.read.args().back();
        Term above = Term(kernel_.tensor(vector.read->symbol).extents().back() - 1) - last;
        return (gap == last || gap == above) && vanishes(summand_.body, vector.read, finite);
      });
    });
  }

  // What dropped bounds and conditions name takes more values than it did: every read stays inside all the same, but along its
  // lanes, where frames have 0.
  bool stays_inside(Term term) const {
    if (term.kind() != TermKind::Read) {
      return std::all_of(term.args().begin(), term.args().end(),
                         [&](Term part) { return part.sort() == Sort::Int || stays_inside(part); });
    }
    const Extents extents = kernel_.tensor(term->symbol).extents();
    for (std::size_t a = 0; a < term.args().size(); ++a) {
      bool moved = std::any_of(widened_.begin(), widened_.end(), [&](Symbol name) { return names_index(term.arg(a), name); });
      Interval range = range_of(term.arg(a), box_);
      bool inside = range.bounded() && box_.at_least(*range.low, Term(0)) && box_.at_least(Term(extents[a] - 1), *range.high);
      if (moved && !inside && !names_index(term.arg(a), lane_)) {
        return false;
      }
    }
    return true;
  }

  const TkKernel& kernel_;
  const TkSummand& summand_;
  Symbol lane_;
  Box box_;
  std::vector<Term> gaps_;       // at least 0 in each lane that adds to the sum
  std::vector<Symbol> widened_;  // named by gaps
};

bool is_free_of(const TkSummand& summand, Symbol name) {
  return !names_index(summand.guard, name) && std::none_of(summand.loops.begin(), summand.loops.end(), [&](const TkLoop& loop) {
    return names_index(loop.begin, name) || names_index(loop.end, name);
  });
}

// The longest axis that some vector does not name and that no bound and condition names.
void choose_rows(const TkStatement& statement, const Extents& extents, TilePlan& plan) {
  plan.rows_axis = extents.size() - 1;
  std::int64_t longest = 1;
  for (std::size_t a = 0; a + 1 < extents.size(); ++a) {
    Symbol row = statement.indices[a];
    bool shared = std::any_of(plan.summands.begin(), plan.summands.end(), [&](const TileSummand& s) {
      return std::any_of(s.reads.begin(), s.reads.end(),
                         [&](const VectorRead& vector) { return !names_index(vector.read, row); });
    });
    bool free =
        std::all_of(statement.summands.begin(), statement.summands.end(), [&](const TkSummand& s) { return is_free_of(s, row); });
    if (shared && free && extents[a] > longest) {
      plan.rows_axis = a;
      longest = extents[a];
    }
  }
  std::int64_t enough = (extents.back() + plan.lanes - 1) / plan.lanes;
  bool thirds = enough % 3 == 0 && enough % 2 != 0;  // three vectors leave fewer lanes over than two
  plan.vectors = std::min<std::int64_t>(enough, longest < 4 ? 4 : thirds ? 3 : 2);
  plan.rows = std::min(longest, kSums / plan.vectors);
  plan.block = std::min(longest, kRowsOfFrame / plan.rows * plan.rows);
}

// Frames pay where they are read several times; a padded read needs one.
bool choose_frames(const TkStatement& statement, const std::vector<SummandPlanner>& planners, TilePlan& plan) {
  Symbol row = plan.rows > 1 ? statement.indices[plan.rows_axis] : Symbol();
  for (std::size_t s = 0; s < planners.size(); ++s) {
    for (VectorRead& read : plan.summands[s].reads) {
      bool framed = planners[s].frame(read, row, plan.width());
      read.packed = framed && (planners[s].padded || (plan.block >= 4 * plan.rows && !names_index(read.read, row)));
      if (planners[s].padded && !framed) {
        return false;
      }
      plan.frames_only = plan.frames_only && read.packed;
    }
  }
  return true;
}

}  // namespace

std::optional<TilePlan> plan_tiles(const TkKernel& kernel, const TkStatement& statement) {
  const Extents extents = kernel.tensor(statement.target).extents();
  TilePlan plan;
  plan.lanes = kVectorBytes / (kernel.dtype == "float" ? 4 : 8);
  bool loops =
      std::any_of(statement.summands.begin(), statement.summands.end(), [](const TkSummand& s) { return !s.loops.empty(); });
  if (kernel.dtype == "int" || extents.back() < 2 * plan.lanes || !loops) {
    return std::nullopt;
  }
  std::vector<SummandPlanner> planners;
  bool vectors = false;
  for (const TkSummand& summand : statement.summands) {
    planners.emplace_back(kernel, statement, summand);
    if (!planners.back().plan()) {
      return std::nullopt;
    }
    plan.summands.push_back(planners.back().out);
    vectors = vectors || !planners.back().out.reads.empty();
    for (Symbol tensor : planners.back().finite) {
      if (std::find(plan.finite.begin(), plan.finite.end(), tensor) == plan.finite.end()) {
        plan.finite.push_back(tensor);
      }
    }
  }
  if (!vectors) {
    return std::nullopt;
  }
  choose_rows(statement, extents, plan);
  bool good = choose_frames(statement, planners, plan);
  return good && (plan.frames_only || extents.back() >= plan.width()) ? std::optional(plan) : std::nullopt;
}

}  // namespace vouch
