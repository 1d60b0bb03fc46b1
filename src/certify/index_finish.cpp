#include "certify/index_finish.h"

#include <algorithm>

#include "certify/index_lowering.h"

namespace vouch {

using namespace array;

namespace {

// Of a summand without loops.
IndexBody end_term(const IndexSummand& s) {
  if (s.condition.kind == IndexCondKind::True) {
    return s.body;
  }
  IndexBody out;
  out.kind = IndexBodyKind::If;
  out.condition = s.condition;
  out.args = {s.body, IndexBody()};
  return out;
}

void at_number(IndexBody& b) {
  if (b.kind == IndexBodyKind::Read && b.tensor == 0) {
    b = itself();
  }
  for (IndexBody& arg : b.args) {
    at_number(arg);
  }
}

bool reads_own(const IndexBody& b, const std::vector<Size>& extents) {
  bool other = b.tensor != 0 || (b.kind != IndexBodyKind::Read && b.kind != IndexBodyKind::Gather);
  return (other || (b.kind == IndexBodyKind::Read && is_own(b, extents))) &&
         std::all_of(b.args.begin(), b.args.end(), [&](const IndexBody& arg) { return reads_own(arg, extents); });
}

// For every element of a tile, which is data variable 0.
Exp lane_ends(const IndexContext& context, const std::vector<Size>& lanes, std::size_t from, unsigned depth,
              const IndexBody& end) {
  if (from == lanes.size()) {
    return Lowering(context).body(past(depth, end), 0);
  }
  Type row = type_of(lanes, from + 1);
  return exp_map(from + 1 == lanes.size() ? LoopKind::Vec : LoopKind::Unr, lanes[from], row, row,
                 lane_ends(inside(context, lanes[from]), lanes, from + 1, depth + 1, end), exp_var(0));
}

IndexPlan with_last_block(IndexPlan plan) {
  if (plan.kind == IndexPlanKind::Cut) {
    IndexPlan block = with_last_block(plan.parts[0]);
    if (plan.count == 1) {
      return block;
    }
    Integer width = plan.width;
    plan.count -= 1;
    Integer before = plan.count * width;
    return {IndexPlanKind::Then, LoopKind::Seq, size_const(0), before, width, 0, {std::move(plan), std::move(block)}};
  }
  // Of two parts of a sum, the second is the last.
  for (std::size_t k = plan.kind == IndexPlanKind::Then ? 1 : 0; k < plan.parts.size(); ++k) {
    plan.parts[k] = with_last_block(std::move(plan.parts[k]));
  }
  return plan;
}

}  // namespace

IndexBody itself() {
  IndexBody out;
  out.kind = IndexBodyKind::Read;
  return out;
}

bool is_itself(const IndexBody& b) { return b.kind == IndexBodyKind::Read && b.tensor == 0 && b.at.empty(); }

IndexBody end_terms(const std::vector<IndexSummand>& summands) {
  IndexBody out = summands.empty() ? IndexBody() : end_term(summands[0]);
  for (std::size_t k = 1; k < summands.size(); ++k) {
    out = body_operation(Op::Add, {std::move(out), end_term(summands[k])});
  }
  return out;
}

bool is_own(const IndexBody& read, const std::vector<Size>& extents) {
  bool own = read.extents.size() == extents.size() && std::equal(extents.begin(), extents.end(), read.extents.begin(), same_size);
  for (std::size_t a = 0; own && a < extents.size(); ++a) {
    own = read.at[a].kind == IndexTermKind::Var && read.at[a].var == extents.size() - 1 - a;
  }
  return own;
}

IndexBody ending(const IndexStatement& s) {
  IndexBody out = end_terms(s.summands);
  at_number(out);
  return out;
}

IndexBody past(unsigned count, IndexBody b) {
  bool reads = b.kind == IndexBodyKind::Read || b.kind == IndexBodyKind::Gather;
  b.tensor += reads && b.tensor > 0 ? count : 0;
  for (IndexBody& arg : b.args) {
    arg = past(count, std::move(arg));
  }
  return b;
}

Exp finished(const IndexContext& context, const std::vector<Size>& lanes, unsigned depth, const IndexBody& end, const Exp& sums) {
  return is_itself(end) ? sums : exp_let(sums, lane_ends(context, outside_in(lanes), 0, depth, end));
}

std::optional<IndexKernel> unfinished(const IndexKernel& kernel) {
  if (kernel.locals.empty()) {
    return std::nullopt;
  }
  const std::vector<Size>& extents = kernel.output.extents;
  const std::vector<Size>& of_local = kernel.locals.back().extents;
  bool ends = std::equal(extents.begin(), extents.end(), of_local.begin(), of_local.end(), same_size) &&
              std::all_of(kernel.output.summands.begin(), kernel.output.summands.end(),
                          [&](const IndexSummand& s) { return s.loops.empty() && reads_own(s.body, extents); });
  if (!ends) {
    return std::nullopt;
  }
  IndexKernel out = kernel;
  out.output = std::move(out.locals.back());
  out.locals.pop_back();
  return out;
}

IndexPlan finishing(const IndexPlan& sums) {
  return {IndexPlanKind::Finish, LoopKind::Seq, size_const(0), 0, 0, 0, {with_last_block(sums)}};
}

}  // namespace vouch
