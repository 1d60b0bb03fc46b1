#include "certify/index_schedule_copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {
namespace {

using array::Size;

std::vector<Size> extents_of(array::Type type) {
  std::vector<Size> out;
  for (; type->kind == array::TypeKind::Array; type = type->parts.at(0)) {
    out.push_back(type->size);
  }
  return out;
}

// Mirrors `form_ok` in coq/index/Pack.v: every axis is found again.
std::string form_problem(const std::vector<IndexAxis>& form, const std::vector<Size>& extents) {
  auto is_there = [&](const IndexAxis& axis) { return std::find(form.begin(), form.end(), axis) != form.end(); };
  for (const IndexAxis& axis : form) {
    if (axis.axis >= extents.size()) {
      return fmt::format("the input has no axis {}: it has {}, counted from 0", axis.axis, extents.size());
    }
    if (axis.kind != IndexAxisKind::Whole && axis.width == 0) {
      return "a block holds at least one position";
    }
    if (axis.kind == IndexAxisKind::Block && !array::is_word(extents[axis.axis])) {
      return fmt::format("axis {} has neither a number nor one name for its size: give it a number with --size", axis.axis);
    }
    IndexAxis other = axis;
    other.kind = axis.kind == IndexAxisKind::Block ? IndexAxisKind::Lane : IndexAxisKind::Block;
    if (axis.kind != IndexAxisKind::Whole && !is_there(other)) {
      return fmt::format("block and lane of axis {} come together, of one width", axis.axis);
    }
  }
  for (unsigned a = 0; a < extents.size(); ++a) {
    if (std::none_of(form.begin(), form.end(), [&](const IndexAxis& f) { return f.axis == a; })) {
      return fmt::format("axis {} of the input is not in the copy", a);
    }
  }
  return {};
}

// Other reads than whole ones, or such of other extents, have no place in a copy. Mirrors `body_fits`.
bool copied_whole(const IndexBody& b, unsigned tensor, const std::vector<Size>& extents) {
  bool fits = b.tensor != tensor || (b.kind != IndexBodyKind::Gather && (b.kind != IndexBodyKind::Read || b.extents == extents));
  return fits &&
         std::all_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return copied_whole(arg, tensor, extents); });
}

bool copied_whole(const IndexStatement& s, std::size_t tensor, const std::vector<Size>& extents) {
  return std::all_of(s.summands.begin(), s.summands.end(),
                     [&](const IndexSummand& r) { return copied_whole(r.body, static_cast<unsigned>(tensor), extents); });
}

// What does not apply, or nothing; then `out` is the copy.
std::string fit_copy(const ScheduleCopy& written, const IndexKernel& kernel, IndexCopy& out) {
  auto input = std::find_if(kernel.inputs.begin(), kernel.inputs.end(),
                            [&](const array::Parameter& p) { return p.name == written.input; });
  if (input == kernel.inputs.end()) {
    return fmt::format("the kernel has no input '{}'", written.input);
  }
  out = {static_cast<unsigned>(input - kernel.inputs.begin()), extents_of(input->type), written.form, {}};
  if (std::string problem = form_problem(out.form, out.extents); !problem.empty()) {
    return problem;
  }
  bool whole = copied_whole(kernel.output, kernel.locals.size() + out.input, out.extents);
  for (std::size_t k = 0; k < kernel.locals.size(); ++k) {
    whole = whole && copied_whole(kernel.locals[k], k + out.input, out.extents);
  }
  return whole ? "" : fmt::format("data choose where '{}' is read, and so it is not copied", written.input);
}

}  // namespace

std::optional<std::vector<IndexCopy>> fit_copies(const std::vector<ScheduleCopy>& written, IndexKernel kernel,
                                                 const SourceRef& source, Diagnostics& diagnostics) {
  std::vector<IndexCopy> out;
  for (const ScheduleCopy& one : written) {
    IndexCopy copy;
    if (std::string problem = fit_copy(one, kernel, copy); !problem.empty()) {
      diagnostics.error(source, one.span, problem);
      return std::nullopt;
    }
    kernel = packed(std::move(kernel), {copy});
    out.push_back(std::move(copy));
  }
  return out;
}

}  // namespace vouch
