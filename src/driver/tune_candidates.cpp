#include "driver/tune_candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "certify/index_finish.h"
#include "certify/index_reorder.h"
#include "certify/index_schedule.h"

namespace vouch {
namespace {

struct Form {
  long vector;
  long lanes;
  long rows;
};
// Sums that fit the registers: 32 of 16 floats, or 16 of 8, a few of which hold what is multiplied.
constexpr Form kForms[] = {{16, 32, 12}, {16, 48, 8}, {16, 32, 8}, {16, 64, 4}, {16, 32, 6}, {16, 16, 12}, {16, 128, 3},
                           {8, 16, 6},   {8, 24, 4},  {8, 32, 3},  {8, 16, 4},  {8, 8, 12},  {8, 32, 6}};
// Partial sums of a sum alone, and of many side by side: as many as additions that are under way at once, or more.
const OrderForm kOrderForms[] = {{64, 2048, 16, 8}, {32, 4096, 16, 12}, {128, 512, 16, 4}, {256, 256, 32, 4},
                                 {64, 1024, 32, 8}, {128, 2048, 64, 2}, {64, 256, 8, 8}};
constexpr long kNears[] = {1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19};
constexpr long kPanelCounts[] = {1, 2, 4, 8, 16};
constexpr unsigned kUnrolled[] = {0, 1, 2, 3};  // loops of sums, from the innermost on

void add(const IndexKernel& kernel, TuneCandidate candidate, const std::vector<TuneCandidate>& known,
         std::vector<TuneCandidate>& out) {
  candidate.schedule = print_schedule(kernel, candidate.tiling);
  auto same = [&](const TuneCandidate& other) { return other.schedule == candidate.schedule; };
  if (std::none_of(known.begin(), known.end(), same) && std::none_of(out.begin(), out.end(), same)) {
    out.push_back(std::move(candidate));
  }
}

std::string words_for(const TileTarget& target) {
  return fmt::format("tiles of {} x {} in vectors of {}, {} KB near, {} panels at once", target.rows, target.lanes, target.vector,
                     target.near * static_cast<long>(sizeof(float)) / 1024, target.panel);
}

void add_planned(const IndexKernel& kernel, const TileTarget& target, std::string what, const std::vector<TuneCandidate>& known,
                 std::vector<TuneCandidate>& out) {
  add(kernel, {std::move(what), target, plan_index(kernel, {CopyPlace::Inside}, target), ""}, known, out);
}

// Every tile with so many loops of its sums unrolled.
IndexPlan with_unrolled(IndexPlan plan, unsigned loops) {
  if (plan.kind == IndexPlanKind::Leaf) {
    plan.inner = loops;
  }
  for (IndexPlan& part : plan.parts) {
    part = with_unrolled(std::move(part), loops);
  }
  return plan;
}

std::size_t most_loops(const IndexKernel& kernel) {
  std::optional<IndexKernel> sums = unfinished(kernel);
  std::size_t out = 0;
  for (const IndexSummand& s : sums ? sums->output.summands : kernel.output.summands) {
    out = std::max(out, s.loops.size());
  }
  return out;
}

std::string words_for(const OrderForm& form) {
  return fmt::format("sums in another order: {} lanes, blocks of {}, or {} x {} lanes", form.lanes.str(), form.block.str(),
                     form.rows, form.row_lanes.str());
}

}  // namespace

std::vector<TuneCandidate> first_candidates(const IndexKernel& kernel, const std::optional<std::optional<IndexTiling>>& own,
                                            const TileTarget& usual, bool reorder) {
  std::vector<TuneCandidate> out;
  add_planned(kernel, usual, "the planner's", {}, out);
  for (const TileTarget& target : kTileTargets) {
    add_planned(kernel, target, words_for(target), {}, out);
  }
  for (const Form& form : kForms) {
    TileTarget target{"tuned", form.vector, form.lanes, form.rows, usual.near, usual.panel};
    add_planned(kernel, target, words_for(target), {}, out);
  }
  if (own) {
    add(kernel, {"the one beside the kernel", {}, *own, ""}, {}, out);
  }
  add(kernel, {"element by element", {}, std::nullopt, ""}, {}, out);
  for (const OrderForm& form : kOrderForms) {
    if (auto tiling = reorder ? plan_reordered(kernel, usual, form) : std::nullopt) {
      add(kernel, {words_for(form), {}, std::move(tiling), ""}, {}, out);
    }
  }
  return out;
}

bool same_order(const TuneCandidate& a, const TuneCandidate& b) {
  auto order = [](const TuneCandidate& one) {
    std::vector<std::string> out;
    for (const IndexSplit& split : one.tiling ? one.tiling->splits : std::vector<IndexSplit>()) {
      out.push_back(print_split(split));
    }
    return out;
  };
  return order(a) == order(b);
}

std::vector<TuneCandidate> candidates_near(const IndexKernel& kernel, const TileTarget& best,
                                           const std::vector<TuneCandidate>& known) {
  std::vector<TuneCandidate> out;
  for (long near : kNears) {
    TileTarget target = best;
    target.near = near;
    add_planned(kernel, target, words_for(target), known, out);
  }
  for (long panel : kPanelCounts) {
    TileTarget target = best;
    target.panel = panel;
    add_planned(kernel, target, words_for(target), known, out);
  }
  for (unsigned loops : kUnrolled) {
    auto tiling = loops <= most_loops(kernel) ? plan_index(kernel, {CopyPlace::Inside}, best) : std::nullopt;
    if (tiling) {
      tiling->plan = with_unrolled(std::move(tiling->plan), loops);
      add(kernel, {fmt::format("{}, loops of sums unrolled: {}", words_for(best), loops), best, std::move(tiling), ""}, known,
          out);
    }
  }
  add(kernel, {words_for(best) + ", copies before all else", best, plan_index(kernel, {CopyPlace::Before}, best), ""}, known,
      out);
  return out;
}

}  // namespace vouch
