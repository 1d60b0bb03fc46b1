#include "kernel/loop_product.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "kernel/loop_run.h"
#include "kernel/tile_product.h"
#include "support/worker_pool.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kFewRows = 4;                     // below, panels cost more than they save
constexpr std::int64_t kMaxDepth = std::int64_t{1} << 17;
constexpr std::int64_t kPanelB = std::int64_t{1} << 22;  // elements of panels
constexpr std::int64_t kPanelA = std::int64_t{1} << 17;

bool depends(Term term, Symbol name) {
  std::vector<Symbol> free = free_variables(term);
  return std::find(free.begin(), free.end(), name) != free.end();
}

bool depends(Term term, const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return depends(term, axis.name); });
}

void collect_factors(Term term, std::vector<Term>& factors) {
  if (term.kind() == TermKind::RealMul) {
    collect_factors(term.arg(0), factors);
    collect_factors(term.arg(1), factors);
  } else {
    factors.push_back(term);
  }
}

Term product_of_factors(const std::vector<Term>& factors) {
  Term product = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) {
    product = product * factors[i];
  }
  return product;
}

// The index terms `name // m` of a term, for constant m: the m that its values change with.
void collect_divisors(Term term, Symbol name, std::vector<std::int64_t>& divisors) {
  if (term.kind() == TermKind::FloorDiv && term.arg(0) == int_var(name)) {
    if (auto divisor = const_int(term.arg(1))) {
      divisors.push_back(*divisor);
    }
  }
  for (Term arg : term.args()) {
    collect_divisors(arg, name, divisors);
  }
}

struct Factors {
  std::vector<Term> a;  // not along the row axis
  std::vector<Term> b;  // not along the lanes
};

std::optional<Factors> split(const std::vector<Term>& factors, Symbol row, const std::vector<Axis>& lanes) {
  Factors out;
  for (Term factor : factors) {
    bool on_row = depends(factor, row);
    bool on_lanes = depends(factor, lanes);
    if (on_row && on_lanes) {
      return std::nullopt;
    }
    (on_row || (!on_lanes && !out.a.empty()) ? out.b : out.a).push_back(factor);
  }
  bool both = !out.a.empty() && !out.b.empty() && depends(product_of_factors(out.a), lanes) &&
              depends(product_of_factors(out.b), row);
  return both ? std::optional(std::move(out)) : std::nullopt;
}

struct Candidate {
  Factors factors;
  std::vector<Axis> outer;  // without the row axis
  Axis row;
};

class Planner {
 public:
  Planner(Term reduction, const std::vector<Axis>& outer, const std::vector<Axis>& lanes, Ranges& ranges)
      : reduction_(reduction), outer_(outer), lanes_(lanes), ranges_(ranges) {
    collect_factors(reduction.arg(0), factors_);
  }

  // The longest row axis that does.
  std::optional<Candidate> best() {
    std::optional<Candidate> found;
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      std::optional<Candidate> candidate = plain(i);
      candidate = candidate ? candidate : grouped(i);
      if (candidate && candidate->row.extent >= kFewRows && (!found || candidate->row.extent > found->row.extent)) {
        found = std::move(candidate);
      }
    }
    return found;
  }

 private:
  std::optional<Candidate> plain(std::size_t at) const {
    auto factors = split(factors_, outer_[at].name, lanes_);
    if (!factors) {
      return std::nullopt;
    }
    Candidate candidate{std::move(*factors), outer_, outer_[at]};
    candidate.outer.erase(candidate.outer.begin() + static_cast<std::ptrdiff_t>(at));
    return candidate;
  }

  // The axis o as m * group + row, if some factor changes with o // m only.
  std::optional<Candidate> grouped(std::size_t at) {
    const Axis& axis = outer_[at];
    std::vector<std::int64_t> divisors;
    for (Term factor : factors_) {
      collect_divisors(factor, axis.name, divisors);
    }
    if (divisors.empty() || divisors[0] < kFewRows || axis.extent % divisors[0] != 0) {
      return std::nullopt;
    }
    std::int64_t m = divisors[0];
    Axis group{Symbol(axis.name.name() + "#group"), axis.extent / m, axis.stride * m};
    Axis row{Symbol(axis.name.name() + "#row"), m, axis.stride};
    ranges_.bind(group.name, {0, group.extent - 1});
    ranges_.bind(row.name, {0, row.extent - 1});
    std::vector<Term> factors;
    for (Term factor : factors_) {
      factors.push_back(ranges_.simplify(substitute(factor, axis.name, int_var(group.name) * Term(m) + int_var(row.name))));
    }
    auto parts = split(factors, row.name, lanes_);
    if (!parts) {
      return std::nullopt;
    }
    Candidate candidate{std::move(*parts), outer_, row};
    candidate.outer[at] = group;
    return candidate;
  }

  Term reduction_;
  const std::vector<Axis>& outer_;
  const std::vector<Axis>& lanes_;
  Ranges& ranges_;
  std::vector<Term> factors_;
};

std::int64_t clamped_multiple(std::int64_t value, std::int64_t unit, std::int64_t most) {
  std::int64_t rounded = value / unit * unit;
  std::int64_t limit = (most + unit - 1) / unit * unit;
  return std::clamp(rounded, unit, limit);
}

// p without strides, then k with the strides of a panel whose rows are `row` long.
std::vector<Axis> panel_axes(const std::vector<Axis>& outer, const std::vector<Axis>& inner, std::int64_t row) {
  std::vector<Axis> axes = outer;
  for (Axis& axis : axes) {
    axis.stride = 0;
  }
  std::int64_t stride = row;
  for (std::size_t i = inner.size(); i-- > 0;) {
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(outer.size()), {inner[i].name, inner[i].extent, stride});
    stride *= inner[i].extent;
  }
  return axes;
}

}  // namespace

std::optional<ProductPlan> plan_product(Term reduction, const std::vector<Axis>& outer, const std::vector<Axis>& lanes,
                                        const TensorTable& tensors, Ranges& ranges) {
  if (reduction->reduction != Reduction::Sum || !is_true(reduction.arg(1))) {
    return std::nullopt;
  }
  std::vector<Axis> inner;
  ProductPlan plan;
  for (std::size_t i = 0; i < reduction->bound.size(); ++i) {
    auto extent = const_int(reduction.arg(i + 2));
    if (!extent || *extent < 1 || *extent > kMaxDepth / plan.depth) {
      return std::nullopt;
    }
    plan.depth *= *extent;
    inner.push_back({reduction->bound[i], *extent, 0});
  }
  for (const Axis& axis : lanes) {
    plan.lanes *= axis.extent;
  }
  std::optional<Candidate> candidate = Planner(reduction, outer, lanes, ranges).best();
  if (!candidate || plan.lanes < kFewRows) {
    return std::nullopt;
  }
  plan.outer = candidate->outer;
  plan.row = candidate->row;
  plan.row_tile = clamped_multiple(kPanelB / plan.depth, kTileRows, plan.row.extent);
  plan.lane_tile = clamped_multiple(kPanelA / plan.depth, kTileLanes, plan.lanes);
  std::string error;
  auto a = compile_loops(product_of_factors(candidate->factors.a), panel_axes(plan.outer, inner, plan.lane_tile), lanes,
                         tensors, ranges, error);
  Axis row{plan.row.name, plan.row.extent, 1};
  auto b = compile_loops(product_of_factors(candidate->factors.b), panel_axes(plan.outer, inner, plan.row_tile), {row},
                         tensors, ranges, error);
  // Integers wrap in 64 bits, which doubles cannot do.
  if (!a || !b || (!a->registers[a->result].real && !b->registers[b->result].real)) {
    return std::nullopt;
  }
  plan.a = std::move(*a);
  plan.b = std::move(*b);
  return plan;
}

namespace {

class ProductRun {
 public:
  ProductRun(const ProductPlan& plan, std::span<const Tensor> tensors, std::span<double> result, int threads,
             std::string& failure)
      : plan_(plan), tensors_(tensors), result_(result), threads_(threads), failure_(failure) {}

  bool run() {
    std::vector<std::int64_t> point(plan_.outer.size());
    LoopRun b(plan_.b, tensors_);
    std::vector<double> panel(static_cast<std::size_t>(plan_.depth * plan_.row_tile));
    packed_.resize(panel.size());
    bool one_panel = plan_.row_tile >= plan_.row.extent && !b_varies();
    bool filled = false;
    do {
      for (std::int64_t row = 0; row < plan_.row.extent; row += plan_.row_tile) {
        std::int64_t rows = std::min(plan_.row_tile, plan_.row.extent - row);
        if (!filled || !one_panel) {
          if (!b.run_inner(point, row, row + rows, {DType::Float64, std::as_writable_bytes(std::span(panel)), 0})) {
            failure_ = b.failure();
            return false;
          }
          pack(panel, rows);
          filled = true;
        }
        if (!multiply_rows(point, row, rows)) {
          return false;
        }
      }
    } while (advance(point));
    return true;
  }

 private:
  // Whether b changes with an outer axis: then some instruction reads its register.
  bool b_varies() const {
    for (const auto& scope : plan_.b.scopes) {
      for (const Instruction& instruction : scope) {
        for (std::uint32_t operand : {instruction.a, instruction.b, instruction.c, instruction.mask}) {
          for (std::size_t i = 0; i < plan_.outer.size(); ++i) {
            if (operand == plan_.b.outer_registers[i] && plan_.outer[i].extent > 1) {
              return true;
            }
          }
        }
      }
    }
    return false;
  }

  // From [k][row] to chunks of four rows, [row / 4][k][row % 4]; missing rows are zero.
  void pack(const std::vector<double>& panel, std::int64_t rows) {
    for (std::int64_t chunk = 0; chunk < rows; chunk += kTileRows) {
      double* to = packed_.data() + chunk * plan_.depth;
      for (std::int64_t k = 0; k < plan_.depth; ++k) {
        for (std::int64_t r = 0; r < kTileRows; ++r) {
          to[k * kTileRows + r] =
              chunk + r < rows ? panel[static_cast<std::size_t>(k * plan_.row_tile + chunk + r)] : 0;
        }
      }
    }
  }

  bool advance(std::vector<std::int64_t>& point) const {
    for (std::size_t i = point.size(); i-- > 0;) {
      if (++point[i] < plan_.outer[i].extent) {
        return true;
      }
      point[i] = 0;
    }
    return false;
  }

  // All tiles of lanes at one point, shared out between threads; each result belongs to one tile.
  bool multiply_rows(const std::vector<std::int64_t>& point, std::int64_t row, std::int64_t rows) {
    std::int64_t offset = row * plan_.row.stride;
    for (std::size_t i = 0; i < point.size(); ++i) {
      offset += point[i] * plan_.outer[i].stride;
    }
    std::int64_t tiles = (plan_.lanes + plan_.lane_tile - 1) / plan_.lane_tile;
    std::mutex mutex;
    std::atomic<bool> failed = false;
    parallel_ranges(tiles, threads_, [&](std::int64_t begin, std::int64_t end) {
      LoopRun a(plan_.a, tensors_);
      std::vector<double> panel(static_cast<std::size_t>(plan_.depth * plan_.lane_tile));
      for (std::int64_t tile = begin; tile < end && !failed; ++tile) {
        std::int64_t lane = tile * plan_.lane_tile;
        std::int64_t lanes = std::min(plan_.lane_tile, plan_.lanes - lane);
        if (!a.run_inner(point, lane, lane + lanes, {DType::Float64, std::as_writable_bytes(std::span(panel)), 0})) {
          std::lock_guard lock(mutex);
          failure_ = a.failure();
          failed = true;
          return;
        }
        multiply_tiles({panel.data(), plan_.lane_tile, packed_.data(), result_.data() + offset + lane,
                        plan_.row.stride, rows, lanes, plan_.depth});
      }
    });
    return !failed;
  }

  const ProductPlan& plan_;
  std::span<const Tensor> tensors_;
  std::span<double> result_;
  int threads_;
  std::string& failure_;
  std::vector<double> packed_;
};

}  // namespace

bool run_product(const ProductPlan& plan, std::span<const Tensor> tensors, std::span<double> result, int threads,
                 std::string& failure) {
  return ProductRun(plan, tensors, result, threads, failure).run();
}

}  // namespace vouch
