#include "kernel/tk_bounds.h"

#include <algorithm>

namespace vouch {
namespace {

std::optional<Integer> lowest(Term begin, const Box& box) {
  if (begin.kind() != TermKind::IntMax) {
    return range_of(begin, box).low;
  }
  auto a = lowest(begin.arg(0), box);
  auto b = lowest(begin.arg(1), box);
  return a && b ? std::optional(std::max(*a, *b)) : a ? a : b;
}

std::optional<Integer> highest(Term end, const Box& box) {
  if (end.kind() != TermKind::IntMin) {
    return range_of(end, box).high;
  }
  auto a = highest(end.arg(0), box);
  auto b = highest(end.arg(1), box);
  return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
}

}  // namespace

Interval loop_range(const TkLoop& loop, const Box& box) {
  auto end = highest(loop.end, box);
  return {lowest(loop.begin, box), end ? std::optional<Integer>(*end - 1) : std::nullopt};
}

Box statement_box(const TkKernel& kernel, const TkStatement& statement) {
  Box box;
  const Extents& extents = kernel.tensor(statement.target).extents;
  for (std::size_t a = 0; a < statement.indices.size(); ++a) {
    box[statement.indices[a]] = {Integer(0), Integer(extents[a] - 1)};
  }
  return box;
}

Box summand_box(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand) {
  Box box = statement_box(kernel, statement);
  for (const TkLoop& loop : summand.loops) {
    box[loop.name] = loop_range(loop, box);
  }
  return box;
}

}  // namespace vouch
