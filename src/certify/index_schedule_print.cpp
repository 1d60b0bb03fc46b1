#include <fmt/format.h>
#include <fmt/ranges.h>

#include "certify/index_schedule.h"
#include "support/fault.h"

namespace vouch {
namespace {

std::string axis_text(const IndexAxis& axis) {
  switch (axis.kind) {
    case IndexAxisKind::Whole:
      return axis.low == 0 && axis.high == 0
                 ? fmt::format("axis {}", axis.axis)
                 : fmt::format("axis {} with {} before and {} after", axis.axis, axis.low.str(), axis.high.str());
    case IndexAxisKind::Block: return fmt::format("block {} of {}", axis.axis, axis.width.str());
    case IndexAxisKind::Lane: return fmt::format("lane {} of {}", axis.axis, axis.width.str());
  }
  fault("no such axis");
}

std::string copy_text(const IndexKernel& kernel, const IndexCopy& copy) {
  std::vector<std::string> form;
  for (const IndexAxis& axis : copy.form) {
    form.push_back(axis_text(axis));
  }
  return fmt::format("copy {} as {}", kernel.inputs.at(copy.input).name, fmt::join(form, ", "));
}

// Inputs have names; locals have not, and neither have tensors where a copy came before them.
std::string tensor_text(const IndexKernel& kernel, const IndexTiling& tiling, unsigned tensor, bool in_copy) {
  std::size_t locals = kernel.locals.size() + tiling.copies.size() - (tiling.plan.kind == IndexPlanKind::Finish ? 1 : 0);
  return in_copy || tensor < locals ? fmt::format("tensor {}", tensor) : kernel.inputs.at(tensor - locals).name;
}

class Printer {
 public:
  Printer(IndexKernel kernel, const IndexTiling& tiling, const ScheduleNotes& notes)
      : kernel_(std::move(kernel)), tiling_(tiling), notes_(notes) {}

  std::string text() {
    for (const IndexSplit& split : tiling_.splits) {
      out_ += print_split(split) + "\n";
    }
    const std::vector<IndexCopy>& copies = tiling_.copies;
    for (std::size_t k = 0; k < copies.size(); ++k) {
      local(copy_text(kernel_, copies[k]), packed(kernel_, copies), local_of_copy(copies, k), copies[k].plan);
    }
    for (std::size_t k = 0; k < tiling_.locals.size(); ++k) {
      if (tiling_.locals[k]) {
        local("plan " + kernel_.locals.at(k).name, kernel_, k, tiling_.locals[k]);
      }
    }
    steps(kernel_, tiling_, tiling_.plan, 0, false);
    return out_;
  }

 private:
  void local(const std::string& head, const IndexKernel& kernel, std::size_t at, const std::optional<IndexPlan>& plan) {
    line(0, head + (plan ? " {" : ""), false);
    if (plan) {
      steps(up_to_local(kernel, at), {}, *plan, 1, false);
      line(0, "}", false);
    }
  }

  void line(int depth, const std::string& text, bool noted) {
    std::string start = std::string(2 * static_cast<std::size_t>(depth), ' ') + text;
    out_ += noted && step_ < notes_.size() ? fmt::format("{:<40}# {}\n", start, notes_[step_++]) : start + "\n";
  }

  void steps(const IndexKernel& kernel, const IndexTiling& tiling, const IndexPlan& plan, int depth, bool in_copy) {
    std::string text = print_step(kernel, tiling, plan, in_copy);
    in_copy = in_copy || plan.kind == IndexPlanKind::Tab;
    if (plan.parts.size() < 2) {
      line(depth, text, true);
      for (const IndexPlan& part : plan.parts) {
        steps(kernel, tiling, part, depth, in_copy);
      }
      return;
    }
    line(depth, text + " {", true);
    steps(kernel, tiling, plan.parts[0], depth + 1, in_copy);
    line(depth, "} {", false);
    steps(kernel, tiling, plan.parts[1], depth + 1, in_copy);
    line(depth, "}", false);
  }

  const IndexKernel kernel_;
  const IndexTiling& tiling_;
  const ScheduleNotes& notes_;
  std::size_t step_ = 0;
  std::string out_;
};

}  // namespace

std::string print_step(const IndexKernel& kernel, const IndexTiling& tiling, const IndexPlan& step, bool in_copy) {
  const char* shared = step.loop == array::LoopKind::Par ? "parallel " : "";
  std::string count = array::print_size(step.counted(), kernel.sizes);
  std::string width = array::print_size(step.wide(), kernel.sizes);
  switch (step.kind) {
    case IndexPlanKind::Leaf: return step.inner > 0 ? fmt::format("tile unrolled {}", step.inner) : "tile";
    case IndexPlanKind::Each: return fmt::format("{}each {}", shared, array::print_size(step.extent, kernel.sizes));
    case IndexPlanKind::Tiles:
      return fmt::format("{}tiles {} of {}{}", shared, count, width, step.inner > 0 ? fmt::format(" inside {}", step.inner) : "");
    case IndexPlanKind::Split: return fmt::format("split {} + {}", count, width);
    case IndexPlanKind::Blocks: return fmt::format("blocks {} of {}", count, width);
    case IndexPlanKind::Merge: return fmt::format("merge {} of {}", count, width);
    case IndexPlanKind::Move: return fmt::format("move {}", step.inner);
    case IndexPlanKind::Over: return fmt::format("over {} to {}", step.inner, width);
    case IndexPlanKind::Under: return fmt::format("under {}", width);
    case IndexPlanKind::Cut: return fmt::format("cut {} of {}", count, width);
    case IndexPlanKind::Then: return fmt::format("then {} + {}", count, width);
    case IndexPlanKind::Tab:
      return fmt::format("copy {} over {}", tensor_text(kernel, tiling, step.inner, in_copy), fmt::join(step.over, " "));
    case IndexPlanKind::Finish: return "finish";
  }
  fault("no such plan");
}

std::string print_schedule(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling, const ScheduleNotes& notes) {
  return fmt::format("schedule {}\n{}", kernel.name,
                     tiling ? Printer(in_order(kernel, tiling), *tiling, notes).text() : "plain\n");
}

}  // namespace vouch
