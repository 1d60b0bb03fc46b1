#include "certify/index_reorder.h"

#include <algorithm>
#include <map>

#include "certify/index_left.h"
#include "certify/index_lowering.h"
#include "certify/index_parts.h"
#include "certify/index_streams.h"
#include "imp/elements.h"

namespace vouch {
namespace {

using array::LoopKind;
using array::Size;
using array::SizeKind;
using array::SizePart;

constexpr long kFewElements = 4;       // each stands alone: it has many lanes, and not many elements side by side
constexpr long kLeastLength = 2;       // terms of each partial sum, else there are none
constexpr long kRestTells = 32;        // full vectors of such a sum beside which what is left over is nothing
constexpr long kManyLanes = 8;         // terms of each lane that are worth all lanes of a sum that stands alone
constexpr long kSharedWork = 1 << 16;  // additions that are worth a parallel loop
constexpr long kNarrowVector = 4;      // floats; elements that fill one are computed side by side without partial sums

// As far as numbers say: sizes that have names may be any.
LoopKind shared_kind(const IndexStatement& s) {
  Integer work = 0;
  for (const IndexSummand& one : s.summands) {
    Integer terms = 1;
    for (const std::vector<Size>* sizes : {&s.extents, &one.loops}) {
      if (!std::all_of(sizes->begin(), sizes->end(), is_number)) {
        return LoopKind::Par;
      }
      terms *= extent_product(*sizes);
    }
    work += terms;
  }
  return work >= kSharedWork ? LoopKind::Par : LoopKind::Seq;
}

// What is done with a statement of the kernel that is computed.
enum class OrderRole : std::uint8_t { Lanes, Blocks, Rows, Total };

class OrderPlanner {
 public:
  OrderPlanner(const IndexKernel& kernel, const TileTarget& target, const OrderForm& form)
      : order_(kernel), target_(target), form_(form) {
    std::vector<std::string> sums{kernel.output_name};
    for (const IndexStatement& local : kernel.locals) {
      sums.push_back(local.name);
    }
    for (const std::string& sum : sums) {
      auto at = statement_named(order_.kernel(), sum);
      auto loop = at ? streamed_loop(statement(*at), kNarrowVector) : std::nullopt;
      if (loop) {
        take_apart(sum, statement(*at), *loop);
      }
    }
  }

  bool takes_apart(const std::string& sum) const { return roles_.contains(sum); }
  bool changes() const { return !tiling_.splits.empty(); }

  IndexTiling tiling() const {
    IndexTiling out = tiling_;
    const IndexKernel& kernel = order_.kernel();
    for (std::size_t k = 0; k < kernel.locals.size(); ++k) {
      out.locals.push_back(plan_of(kernel.locals[k].name, up_to_local(kernel, k)));
    }
    out.plan = plan_of(kernel.output_name, kernel).value_or(each_of(kernel.output.extents, {}, LoopKind::Par));
    return out;
  }

 private:
  const IndexStatement& statement(std::size_t at) const {
    const IndexKernel& kernel = order_.kernel();
    return at < kernel.locals.size() ? kernel.locals[at] : kernel.output;
  }

  void take_apart(const std::string& sum, const IndexStatement& s, unsigned loop) {
    const std::vector<Size> loops = first_sum(s)->loops;
    bool numbers = std::all_of(s.extents.begin(), s.extents.end(), is_number);
    if (!at_least(loops[loop], kLeastLength * form_.row_lanes)) {
      return;
    }
    if (!numbers || extent_product(s.extents) > kFewElements) {
      in_rows(sum, loop);
    } else if (loops.size() == 1) {
      alone(sum, loops[0]);
    } else {
      auto other = static_cast<unsigned>(loop > 0 ? 0 : 1);
      auto rows = split({sum, other, false, 1, fresh(sum + "_rows")}, OrderRole::Rows);
      if (rows) {
        roles_[sum] = OrderRole::Total;
        in_rows(*rows, loop);
      }
    }
  }

  // One sum: many lanes, and blocks for threads.
  void alone(const std::string& sum, const Size& terms) {
    Integer width = at_least(terms, kManyLanes * form_.lanes) ? form_.lanes : form_.row_lanes;
    auto lanes = split({sum, 0, true, width, fresh(sum + "_lanes")}, OrderRole::Lanes);
    if (!lanes) {
      return;
    }
    roles_[sum] = OrderRole::Total;
    if (at_least(terms, kFewThreads * form_.block * width)) {
      split({*lanes, 0, false, form_.block, fresh(sum + "_blocks")}, OrderRole::Blocks);
    }
  }

  // Many sums: few lanes of each, and several sums side by side.
  void in_rows(const std::string& sum, unsigned loop) {
    auto at = statement_named(order_.kernel(), sum);
    const Size terms = first_sum(statement(*at))->loops[loop];
    if (split({sum, loop, true, row_lanes(terms), fresh(sum + "_lanes")}, OrderRole::Rows)) {
      roles_[sum] = OrderRole::Total;
    }
  }

  // Half as many, where these leave nothing: what fills no lanes is added term by term, which takes longer than half a vector.
  Integer row_lanes(const Size& terms) const {
    const Integer& whole = form_.row_lanes;
    bool half =
        is_number(terms) && terms->value % whole != 0 && 2 * terms->value % whole == 0 && terms->value < kRestTells * whole;
    return half ? Integer(whole / 2) : whole;
  }

  // The partial sums' name, where that applies.
  std::optional<std::string> split(const IndexSplit& split, OrderRole role) {
    if (!order_.why_not(split).empty()) {
      return std::nullopt;
    }
    order_.apply(split);
    tiling_.splits.push_back(split);
    roles_[split.partial] = role;
    return split.partial;
  }

  std::string fresh(std::string name) const {
    while (is_taken(order_.kernel(), name)) {
      name += "_";
    }
    return name;
  }

  // Nothing: element by element.
  std::optional<IndexPlan> plan_of(const std::string& name, const IndexKernel& kernel) const {
    std::vector<Size> extents = kernel.output.extents;
    auto role = roles_.find(name);
    if (role == roles_.end()) {
      auto usual = plan_index(kernel, {CopyPlace::Inside}, target_);
      bool alone = usual && usual->copies.empty() && usual->plan.kind != IndexPlanKind::Finish;
      return alone ? std::optional(usual->plan) : std::nullopt;
    }
    LoopKind kind = shared_kind(kernel.output);
    switch (role->second) {
      case OrderRole::Total: return each_of(extents, {}, kind);
      case OrderRole::Rows: return rows_plan(extents, kind);
      case OrderRole::Lanes: extents.pop_back(); return each_of(extents, {}, LoopKind::Seq);
      case OrderRole::Blocks: break;
    }
    Size blocks = extents.back();
    extents.resize(extents.size() - 2);
    return each_of(extents, moved_first(1, each_of({blocks}, {}, kind)), LoopKind::Seq);
  }

  // Of partial sums whose last axis is lanes: as many elements side by side as there are registers for.
  IndexPlan rows_plan(std::vector<Size> outer, LoopKind kind) const {
    Integer most = side_by_side(outer.back()->value);
    outer.pop_back();
    Integer filled = 1;
    while (!outer.empty() && is_number(outer.back()) && 2 * filled * outer.back()->value <= 3 * most) {
      filled *= outer.back()->value;
      outer.pop_back();
    }
    if (outer.empty() || filled > 1 || most == 1 || !array::is_word(outer.back())) {
      return each_of(outer, {}, kind);
    }
    Size rows = outer.back();
    outer.pop_back();
    Size full = part_of(SizePart::Quotient, rows, most);
    Size rest = part_of(SizePart::Remainder, rows, most);
    bool shared = std::any_of(outer.begin(), outer.end(), [](const Size& n) { return at_least(n, kFewThreads); });
    LoopKind loop = !shared && at_least(full, kFewThreads) ? kind : LoopKind::Seq;
    IndexPlan tail = is_number(rest) ? IndexPlan() : each(rest, LoopKind::Seq, {});
    return each_of(outer, in_parts(times_of(most, full), in_blocks(full, most, loop, {}), rest, tail), kind);
  }

  Integer side_by_side(const Integer& lanes) const {
    Integer vector = target_.vector * static_cast<long>(sizeof(float)) / array::bytes_of(order_.kernel().computed);
    Integer of_each = (lanes + vector - 1) / vector;
    return std::max(Integer(1), Integer(form_.rows / of_each));
  }

  Reordering order_;
  const TileTarget& target_;
  const OrderForm& form_;
  IndexTiling tiling_;
  std::map<std::string, OrderRole> roles_;
};

}  // namespace

std::optional<IndexTiling> plan_reordered(const IndexKernel& kernel, const TileTarget& target, const OrderForm& form) {
  OrderPlanner planner(kernel, target, form);
  // Asked of one processor, so that what is computed is the same on all.
  auto usual = planner.changes() ? plan_index(kernel, {CopyPlace::Inside}) : std::nullopt;
  bool finishes = usual && usual->plan.kind == IndexPlanKind::Finish;
  bool more = usual && (!usual->copies.empty() || (finishes && !planner.takes_apart(kernel.locals.back().name)));
  return planner.changes() && !more ? std::optional(planner.tiling()) : std::nullopt;
}

}  // namespace vouch
