#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "certify/index_lowering.h"
#include "certify/index_schedule.h"
#include "certify/index_schedule_copy.h"
#include "certify/index_schedule_size.h"
#include "certify/index_tabulate.h"
#include "certify/index_tile.h"
#include "certify/index_work.h"
#include "support/fault.h"

namespace vouch {
namespace {

using array::Size;

std::string sizes_text(const std::vector<Size>& sizes, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const Size& n : sizes) {
    out.push_back(array::print_size(n, names));
  }
  return out.empty() ? "one element" : fmt::format("{}", fmt::join(out, " x "));
}

// Of a plan that fits so far: what is left of the output, and how it is reached.
struct StepPlace {
  std::vector<Size> extents;
  std::vector<Size> lanes;  // of the tile, the outermost first
  std::size_t outer = 0;    // index variables around
  unsigned depth = 0;       // data variables around
  bool simple = true;       // what a sum goes on from is a variable or a constant
  bool ends = false;        // something is done to the elements
  bool shared = false;      // a loop around is parallel
  bool in_copy = false;     // tensors have other numbers
};

// Mirrors `plan_ok` in coq/index/Plan.v: what is refused here, the certificate would refuse.
class Fitter {
 public:
  Fitter(const IndexKernel& kernel, bool finishes, const SourceRef& source, Diagnostics& diagnostics, ScheduleNotes* notes)
      : kernel_(kernel), finishes_(finishes), source_(source), diagnostics_(diagnostics), notes_(notes) {}

  std::optional<IndexPlan> fit(const ScheduleStep& step, const Work& work, StepPlace at) {
    IndexPlan plan = step.node;
    std::vector<std::pair<Work, StepPlace>> parts;
    std::string problem = apply(step, plan, work, at, parts);
    if (!problem.empty()) {
      diagnostics_.error(source_, step.span, problem, "here are left " + left(work, at));
      return std::nullopt;
    }
    if (notes_ != nullptr) {
      notes_->push_back(parts.empty() ? tile_note(work, at) : "left: " + left(parts[0].first, parts[0].second));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      auto part = fit(step.parts.at(k), parts[k].first, std::move(parts[k].second));
      if (!part) {
        return std::nullopt;
      }
      plan.parts.push_back(std::move(*part));
    }
    return plan;
  }

 private:
  using Parts = std::vector<std::pair<Work, StepPlace>>;

  std::string text(const Size& n) const { return array::print_size(n, kernel_.sizes); }

  std::string left(const Work& work, const StepPlace& at) const {
    std::string out = sizes_text(at.extents, kernel_.sizes);
    if (!at.lanes.empty()) {
      out += "; tile " + sizes_text(at.lanes, kernel_.sizes);
    }
    return work.has_sum() ? out + "; sum of " + sizes_text(work.sum().loops, kernel_.sizes) : out;
  }

  std::string tile_note(const Work& work, const StepPlace& at) const {
    std::vector<Size> all = at.extents;
    all.insert(all.end(), at.lanes.begin(), at.lanes.end());
    std::string sum = work.has_sum() ? ", each a sum of " + sizes_text(work.sum().loops, kernel_.sizes) : "";
    return (all.empty() ? std::string("one element") : "elements " + sizes_text(all, kernel_.sizes)) + sum;
  }

  // What does not apply, or nothing; and what the parts of the step are about.
  std::string apply(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) {
    switch (plan.kind) {
      case IndexPlanKind::Leaf: return unrolled(plan, work);
      case IndexPlanKind::Each: return each(step, plan, work, at, parts);
      case IndexPlanKind::Tiles:
      case IndexPlanKind::Split:
      case IndexPlanKind::Blocks: return first_axis(step, plan, work, at, parts);
      case IndexPlanKind::Merge: return two_axes(step, plan, work, at, parts);
      case IndexPlanKind::Move:
      case IndexPlanKind::Over: return other_axis(step, plan, work, at, parts);
      case IndexPlanKind::Under: return under(plan, work, at, parts);
      case IndexPlanKind::Cut:
      case IndexPlanKind::Then: return sum(plan, work, at, parts);
      case IndexPlanKind::Tab: return tab(step, plan, work, at, parts);
      case IndexPlanKind::Finish: return "'finish' is the first step of a plan";
    }
    fault("no such plan");
  }

  static std::string unrolled(const IndexPlan& plan, const Work& work) {
    std::size_t most = 0;
    for (const IndexSummand& s : work.summands) {
      most = std::max(most, s.loops.size());
    }
    return plan.inner > most ? fmt::format("a sum has {} {} here, not {}", most, most == 1 ? "loop" : "loops", plan.inner) : "";
  }

  static std::string share(const IndexPlan& plan, StepPlace& within) {
    if (plan.loop != array::LoopKind::Par) {
      return {};
    }
    bool already = within.shared;
    within.shared = true;
    return already ? "a loop around is parallel already" : "";
  }

  std::string each(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) const {
    if (at.extents.empty()) {
      return "no axis is left";
    }
    std::string extent = text(at.extents[0]);
    if (step.name != extent) {
      return fmt::format("the first axis has {} positions, not {}", extent, step.name);
    }
    plan.extent = at.extents[0];
    StepPlace within = at;
    within.extents.erase(within.extents.begin());
    ++within.outer;
    ++within.depth;
    within.simple = true;
    std::string problem = share(plan, within);
    parts.emplace_back(work, within);
    return problem;
  }

  // Why a step that counts positions does not apply.
  static std::string counted(const Work& work, const StepPlace& at, std::size_t axis) {
    if (!work.whole) {
      return "the sum is cut already, and from then on only 'each', 'cut', 'then', 'copy' and 'tile' apply";
    }
    if (axis >= at.extents.size()) {
      return at.extents.empty() ? "no axis is left" : fmt::format("no axis comes after {} others", axis);
    }
    return {};
  }

  // The sizes that are written, where they have names.
  std::string named(const ScheduleStep& step, IndexPlan& plan) const {
    bool over = plan.kind == IndexPlanKind::Over;
    if (step.name.empty()) {
      return {};
    }
    auto sizes = schedule_sizes(step.name, kernel_.sizes);
    if (!sizes || sizes->size() != (plan.kind == IndexPlanKind::Split ? 2 : 1)) {
      return fmt::format("expected {}, found '{}'", plan.kind == IndexPlanKind::Split ? "two sizes with '+' between" : "a size",
                         step.name);
    }
    (over ? plan.named_width : plan.named_count) = sizes->front();
    if (plan.kind == IndexPlanKind::Split) {
      plan.named_width = sizes->back();
    }
    return {};
  }

  std::string first_axis(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) const {
    if (std::string problem = counted(work, at, 0); !problem.empty()) {
      return problem;
    }
    if (std::string problem = named(step, plan); !problem.empty()) {
      return problem;
    }
    if (step.name.empty() && at.extents[0]->kind != array::SizeKind::Const) {
      return "the axis has a size with a name: give it a number with --size, or parts of it, as in 'n / 64'";
    }
    bool split = plan.kind == IndexPlanKind::Split;
    Size all = split ? array::size_add(plan.counted(), plan.wide()) : array::size_mul(plan.counted(), plan.wide());
    bool same =
        plan.kind == IndexPlanKind::Tiles ? array::worked_out(all) == at.extents[0] : array::same_size(all, at.extents[0]);
    if (!same || (!split && plan.width == 0)) {
      return fmt::format("the first axis has {} positions, and {} {} {} are {}", text(at.extents[0]), text(plan.counted()),
                         split ? "+" : "times", text(plan.wide()), text(array::worked_out(all)));
    }
    StepPlace within = at;
    if (plan.kind == IndexPlanKind::Tiles) {
      if (plan.inner > at.lanes.size()) {
        return fmt::format("the tile has {} axes, and cannot have {} further inside", at.lanes.size(), plan.inner);
      }
      within.extents.erase(within.extents.begin());
      within.lanes.insert(within.lanes.end() - plan.inner, array::size_const(plan.width));
      ++within.outer;
      ++within.depth;
      std::string problem = share(plan, within);
      parts.emplace_back(work, within);
      return problem;
    }
    within.extents[0] = plan.counted();
    if (split) {
      parts.emplace_back(work, within);
      within.extents[0] = plan.wide();
      parts.emplace_back(work_at(after(at.extents.size(), at.outer, plan.counted()), work), within);
    } else {
      within.extents.insert(within.extents.begin() + 1, array::size_const(plan.width));
      parts.emplace_back(work_at(blocked(at.extents.size(), at.outer, plan.width), work), within);
    }
    return {};
  }

  std::string two_axes(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) const {
    if (std::string problem = counted(work, at, 0); !problem.empty()) {
      return problem;
    }
    if (at.extents.size() < 2) {
      return "two axes are merged, and one is left";
    }
    if (std::string problem = named(step, plan); !problem.empty()) {
      return problem;
    }
    if (plan.width == 0 || !array::same_size(plan.counted(), at.extents[0]) ||
        !array::same_size(array::size_const(plan.width), at.extents[1])) {
      return fmt::format("the first two axes have {} and {} positions, not {} and {}", text(at.extents[0]), text(at.extents[1]),
                         text(plan.counted()), plan.width.str());
    }
    StepPlace within = at;
    within.extents.erase(within.extents.begin());
    within.extents[0] = times_size(at.extents[0], at.extents[1]);
    parts.emplace_back(work_at(merged(at.extents.size(), at.outer, plan.width), work), within);
    return {};
  }

  std::string other_axis(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) const {
    bool over = plan.kind == IndexPlanKind::Over;
    std::string problem = counted(work, at, plan.inner);
    if (!problem.empty() && (over || !work.whole || plan.inner >= at.extents.size())) {
      return problem;
    }
    StepPlace within = at;
    auto axis = within.extents.begin() + static_cast<std::ptrdiff_t>(plan.inner);
    if (!over) {
      std::rotate(within.extents.begin(), axis, axis + 1);
      parts.emplace_back(work_at(moved(at.extents.size(), plan.inner, at.outer), work), within);
      return {};
    }
    if (problem = named(step, plan); !problem.empty()) {
      return problem;
    }
    if (!array::size_at_most({}, *axis, plan.wide())) {
      return fmt::format("the axis has {} positions, more than {}", text(*axis), text(plan.wide()));
    }
    *axis = plan.wide();
    parts.emplace_back(work, within);
    return {};
  }

  static std::string under(const IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) {
    std::string problem = counted(work, at, 0);
    if (problem.empty()) {
      StepPlace within = at;
      within.extents[0] = plus_size(array::size_const(plan.width), at.extents[0]);
      parts.emplace_back(work_at(before(at.extents.size(), at.outer, plan.width), work), within);
    }
    return problem;
  }

  static std::string sum(const IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) {
    bool cuts = plan.kind == IndexPlanKind::Cut;
    if (!work.has_sum()) {
      return "only one sum alone can be cut, and here there is another number of them";
    }
    const Size& terms = work.sum().loops[0];
    if (terms->kind != array::SizeKind::Const) {
      return "the sum has a size with a name: give it a number with --size";
    }
    Integer all = cuts ? Integer(plan.count * plan.width) : Integer(plan.count + plan.width);
    if (all != terms->value) {
      return fmt::format("the outermost loop of the sum has {} terms, and {} {} {} are {}", terms->value.str(), plan.count.str(),
                         cuts ? "times" : "+", plan.width.str(), all.str());
    }
    std::size_t n = at.extents.size();
    StepPlace first = at;
    first.ends = false;
    if (cuts) {
      if (at.ends) {
        return "what the kernel does to complete sums needs a last part that stands alone: 'then' before 'cut'";
      }
      ++first.outer;
      first.depth += 2;
      first.simple = true;
      parts.emplace_back(part_at(vouch::cut(n, at.outer, plan.width), plan.width, work.sum()), first);
      return {};
    }
    StepPlace second = at;
    first.simple = work.whole || at.simple;
    second.simple = false;
    parts.emplace_back(part_at(variables(0, n + at.outer + 1), plan.count, work.sum()), first);
    parts.emplace_back(part_at(later(n + at.outer, plan.count), plan.width, work.sum(), work.end), second);
    return {};
  }

  std::string tab(const ScheduleStep& step, IndexPlan& plan, const Work& work, const StepPlace& at, Parts& parts) const {
    if (!step.name.empty()) {
      auto input = std::find_if(kernel_.inputs.begin(), kernel_.inputs.end(),
                                [&](const array::Parameter& p) { return p.name == step.name; });
      if (at.in_copy) {
        return "inside of a copy tensors have numbers: 'copy tensor 0 over ...', and number 0 is the copy around";
      }
      if (input == kernel_.inputs.end()) {
        return fmt::format("the kernel has no input '{}'", step.name);
      }
      plan.inner = static_cast<unsigned>(kernel_.locals.size() - (finishes_ ? 1 : 0) + (input - kernel_.inputs.begin()));
    }
    if (!at.simple) {
      return "a sum goes on here, and a copy has to be made before it";
    }
    if (!at.lanes.empty()) {
      return "a copy is made outside of tiles, not between their axes";
    }
    if (std::string problem = why_not_tabulated(plan.inner, plan.over, work.summands, at.extents); !problem.empty()) {
      return problem;
    }
    Tabulated copy = tabulated(plan.inner, plan.over, work.summands, at.extents, at.outer, at.depth);
    StepPlace within = at;
    within.depth = 0;
    within.in_copy = true;
    parts.emplace_back(Work{work.whole, copy.summands, past(at.depth + 1, work.end)}, within);
    return {};
  }

  const IndexKernel& kernel_;
  bool finishes_;
  const SourceRef& source_;
  Diagnostics& diagnostics_;
  ScheduleNotes* notes_;
};

// The order of the kernel's sums, split by split.
std::optional<Reordering> fit_splits(const ScheduleText& schedule, const IndexKernel& kernel, const SourceRef& source,
                                     Diagnostics& diagnostics) {
  Reordering out(kernel);
  for (const ScheduleSplit& one : schedule.splits) {
    if (std::string problem = out.why_not(one.split); !problem.empty()) {
      diagnostics.error(source, one.span, problem);
      return std::nullopt;
    }
    out.apply(one.split);
  }
  return out;
}

// In what a plan of locals does not stand.
std::string why_no_local(const ScheduleLocal& local, const ScheduleText& schedule, const IndexKernel& ordered,
                         const std::vector<std::optional<IndexPlan>>& plans) {
  auto at = statement_named(ordered, local.name);
  if (!at || *at == ordered.locals.size()) {
    return fmt::format("there is no local tensor '{}', or more than one", local.name);
  }
  if (plans[*at]) {
    return fmt::format("'{}' has a plan above already", local.name);
  }
  if (!schedule.copies.empty()) {
    return "a schedule has copies of inputs or plans of locals, not both";
  }
  return schedule.plan->node.kind == IndexPlanKind::Finish ? "where locals have plans of their own, there is no 'finish'" : "";
}

// The plan of a local, as it is written.
std::optional<IndexPlan> fit_local(const ScheduleStep& plan, const IndexKernel& kernel, std::size_t at, const SourceRef& source,
                                   Diagnostics& diagnostics, ScheduleNotes* notes) {
  IndexKernel before = up_to_local(kernel, at);
  Work work{true, before.output.summands, itself()};
  return Fitter(before, false, source, diagnostics, notes).fit(plan, work, {before.output.extents, {}, 0, 0, true});
}

// The plans of copies that have any; `kernel` reads the copies.
bool fit_copy_plans(const ScheduleText& schedule, const IndexKernel& kernel, IndexTiling& tiling, const SourceRef& source,
                    Diagnostics& diagnostics, ScheduleNotes* notes) {
  for (std::size_t k = 0; k < schedule.copies.size(); ++k) {
    if (const std::optional<ScheduleStep>& plan = schedule.copies[k].plan) {
      tiling.copies[k].plan = fit_local(*plan, kernel, local_of_copy(tiling.copies, k), source, diagnostics, notes);
      if (!tiling.copies[k].plan) {
        return false;
      }
    }
  }
  return true;
}

// The plans of locals that have any, in the order of the text.
bool fit_locals(const ScheduleText& schedule, const IndexKernel& ordered, IndexTiling& tiling, const SourceRef& source,
                Diagnostics& diagnostics, ScheduleNotes* notes) {
  std::vector<std::optional<IndexPlan>> plans(ordered.locals.size());
  for (const ScheduleLocal& local : schedule.locals) {
    if (std::string problem = why_no_local(local, schedule, ordered, plans); !problem.empty()) {
      diagnostics.error(source, local.span, problem);
      return false;
    }
    std::size_t at = *statement_named(ordered, local.name);
    plans[at] = fit_local(local.plan, ordered, at, source, diagnostics, notes);
    if (!plans[at]) {
      return false;
    }
  }
  tiling.locals = schedule.locals.empty() ? std::vector<std::optional<IndexPlan>>() : std::move(plans);
  return true;
}

}  // namespace

std::optional<IndexTiling> fit_schedule(const ScheduleText& schedule, const IndexKernel& kernel, const SourceRef& source,
                                        Diagnostics& diagnostics, ScheduleNotes* notes) {
  ensure(schedule.plan.has_value(), "the schedule is not plain");
  auto order = fit_splits(schedule, kernel, source, diagnostics);
  auto copies = order ? fit_copies(schedule.copies, order->kernel(), source, diagnostics) : std::nullopt;
  if (!copies) {
    return std::nullopt;
  }
  IndexTiling out{std::move(*copies), {}};
  for (const ScheduleSplit& one : schedule.splits) {
    out.splits.push_back(one.split);
  }
  IndexKernel with_copies = packed(order->kernel(), out.copies);
  if (!fit_copy_plans(schedule, with_copies, out, source, diagnostics, notes) ||
      !fit_locals(schedule, order->kernel(), out, source, diagnostics, notes)) {
    return std::nullopt;
  }
  const ScheduleStep* step = &*schedule.plan;
  bool finishes = step->node.kind == IndexPlanKind::Finish;
  auto sums = finishes ? unfinished(with_copies) : std::nullopt;
  if (finishes && !sums) {
    diagnostics.error(source, step->span, "the output does more than finish each element of the last local, one by one");
    return std::nullopt;
  }
  if (finishes && notes != nullptr) {
    notes->push_back("left: " + sizes_text(sums->output.extents, kernel.sizes));
  }
  const IndexStatement& statement = finishes ? sums->output : with_copies.output;
  IndexBody end = finishes ? ending(with_copies.output) : itself();
  StepPlace at{statement.extents, {}, 0, 0, true, !is_itself(end), false, false};
  auto plan = Fitter(with_copies, finishes, source, diagnostics, notes)
                  .fit(finishes ? step->parts.at(0) : *step, {true, statement.summands, end}, at);
  if (!plan) {
    return std::nullopt;
  }
  out.plan = finishes ? IndexPlan{IndexPlanKind::Finish, array::LoopKind::Seq, array::size_const(0), 0, 0, 0, {*plan}} : *plan;
  return out;
}

}  // namespace vouch
