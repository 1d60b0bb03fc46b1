// Schedules: how kernels are made fast, as text that a person may write, or read back. A schedule is a tiling (index_plan.h), one
// step a line, and `plain` where there is none; `{` and `}` hold the two parts of what is split. What fits no kernel is refused
// here, with its place and the reason; that what fits computes the kernel is proven of each certificate anew.
//
//   schedule NAME
//   add SUM loop 1 by lanes of 64 as PARTIAL     add SUM by blocks of 4096 as PARTIAL     sums in another order (index_order.h)
//   copy INPUT as block 0 of 64, axis 1, lane 0 of 64     a copy that is made first; `axis 1 with 1 before and 2 after`; with
//                                                         {...} by a plan of its own, else element by element
//   plan LOCAL {...}                                      of a local, partial sums among them; the others element by element
//   finish
//   each 512            parallel each 512
//   tiles 8 of 64       tiles 8 of 64 inside 1            parallel tiles 8 of 64
//   blocks 8 of 64
//   move 2
//   over 1 to 64
//   under 6
//   cut 4 of 256
//   split 448 + 64 {...} {...}
//   then 256 + 768 {...} {...}
//   copy INPUT over 0 2 1       copy tensor 3 over 0 2 1
//   tile                        tile unrolled 2
#pragma once

#include "certify/index_plan.h"
#include "support/diagnostic.h"

namespace vouch {

// A node of a plan as it is written; the kernel says what its names are.
struct ScheduleStep {
  IndexPlan node;    // without parts; of `each` without the extent
  std::string name;  // each: the extent; copy: the input, or nothing for the tensor node.inner
  Span span;         // of the line
  std::vector<ScheduleStep> parts;
};

struct ScheduleCopy {
  std::string input;
  std::vector<IndexAxis> form;
  std::optional<ScheduleStep> plan;
  Span span;
};

struct ScheduleSplit {
  IndexSplit split;
  Span span;
};

struct ScheduleLocal {
  std::string name;
  ScheduleStep plan;
  Span span;  // of the name
};

struct ScheduleText {
  std::string kernel;
  Span span;  // of the name
  std::vector<ScheduleSplit> splits;
  std::vector<ScheduleCopy> copies;
  std::vector<ScheduleLocal> locals;
  std::optional<ScheduleStep> plan;  // nothing: plain
};

// Those of a file, in order.
std::optional<std::vector<ScheduleText>> parse_schedules(const SourceRef& source, Diagnostics& diagnostics);

// What is left after a step, for a person: one note for each, in the order of the text.
using ScheduleNotes = std::vector<std::string>;

// The tiling, if it fits the kernel; the schedule is not plain. Else an error at the step that does not apply.
std::optional<IndexTiling> fit_schedule(const ScheduleText& schedule, const IndexKernel& kernel, const SourceRef& source,
                                        Diagnostics& diagnostics, ScheduleNotes* notes = nullptr);

// Text that `parse_schedules` and `fit_schedule` read back as that tiling; notes become comments at the ends of lines.
std::string print_schedule(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling, const ScheduleNotes& notes = {});

// The line of a step alone, of the kernel whose sums are in the tiling's order.
std::string print_step(const IndexKernel& kernel, const IndexTiling& tiling, const IndexPlan& step, bool in_copy);

}  // namespace vouch
