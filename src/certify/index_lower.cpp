#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "certify/index_lowering.h"
#include "certify/index_plan.h"
#include "certify/loop_names.h"
#include "imp/elements.h"
#include "support/fault.h"

namespace vouch {

using namespace array;

namespace {

Exp named(const Exp& loop, const std::vector<std::string>& names, std::size_t at) {
  return at < names.size() ? with_index_name(loop, names[at]) : loop;
}

std::vector<std::string> printed(const std::vector<IndexSplit>& splits) {
  std::vector<std::string> out;
  std::transform(splits.begin(), splits.end(), std::back_inserter(out), print_split);
  return out;
}

Exp sum(const Exp& a, const Exp& b) { return exp_op(Op::Add, exp_pair(a, b)); }

// From loop `from` on; the accumulator of the loop around it is `start`.
Exp fold(const IndexSummand& s, std::size_t from, IndexContext context, unsigned depth, const Exp& start) {
  const Size& n = s.loops[from];
  context.bounds.insert(context.bounds.begin(), n);
  Exp step = exp_var(1);
  if (from + 1 < s.loops.size()) {
    step = fold(s, from + 1, context, depth + 2, exp_var(1));
  } else {
    Lowering lower(context);
    Exp more = sum(exp_var(1), lower.body(s.body, depth + 2));
    step = s.condition.kind == IndexCondKind::True ? more : exp_if(lower.condition(s.condition), more, exp_var(1));
  }
  return named(exp_reduce(Place::Fresh, n, type_num(), type_num(), step, start, zeros(n)), s.names, from);
}

Exp element(const IndexStatement& s, const IndexContext& context, unsigned depth) {
  if (s.summands.empty()) {
    return exp_const(type_num(), Const());
  }
  Exp out = lowered_summand(s.summands[0], context, depth);
  for (std::size_t k = 1; k < s.summands.size(); ++k) {
    out = sum(out, lowered_summand(s.summands[k], context, depth));
  }
  return out;
}

}  // namespace

Exp lowered_summand(const IndexSummand& s, const IndexContext& context, unsigned depth) {
  Exp zero = exp_const(type_num(), Const());
  if (!s.loops.empty()) {
    return fold(s, 0, context, depth, zero);
  }
  Lowering lower(context);
  Exp body = lower.body(s.body, depth);
  return s.condition.kind == IndexCondKind::True ? body : exp_if(lower.condition(s.condition), body, zero);
}

Exp zeros(const Size& n) { return exp_const(type_array(n, type_num()), Const()); }

Type type_of(const std::vector<Size>& extents, std::size_t from) {
  Type type = type_num();
  for (std::size_t a = extents.size(); a-- > from;) {
    type = type_array(extents[a], type);
  }
  return type;
}

Exp generate(LoopKind kind, const IndexStatement& s, std::size_t axis, IndexContext context, unsigned depth) {
  if (axis == s.extents.size()) {
    return element(s, context, depth);
  }
  const Size& n = s.extents[axis];
  context.bounds.insert(context.bounds.begin(), n);
  bool one = n->kind == array::SizeKind::Const && n->value == 1;
  Exp element = generate(one ? kind : LoopKind::Seq, s, axis + 1, context, depth + 1);
  LoopKind here = one ? LoopKind::Seq : kind;
  return named(exp_map(here, n, type_num(), type_of(s.extents, axis + 1), element, zeros(n)), s.names, axis);
}

IndexKernel in_order(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  if (!tiling || tiling->splits.empty()) {
    return kernel;
  }
  IndexKernel out = reordered(kernel, tiling->splits).kernel();
  bool whole = is_whole(kernel.computed);
  out.formula += fmt::format("\nSums in another order: {}.\n{}\n", fmt::join(printed(tiling->splits), "; "),
                             whole ? "Integers that wrap around are the same in any order."
                                   : "The same over the reals; of floats, whose sums round, this order is what is computed.");
  return out;
}

IndexKernel up_to_local(const IndexKernel& kernel, std::size_t local) {
  IndexKernel out = kernel;
  out.output = kernel.locals.at(local);
  out.locals.resize(local);
  return out;
}

array::Program lower_index(const IndexKernel& written, const std::optional<IndexTiling>& tiling) {
  IndexKernel kernel = in_order(written, tiling);
  kernel = tiling ? packed(std::move(kernel), tiling->copies) : kernel;
  IndexContext context{kernel.facts, {}};
  Exp term = tiling ? lower_tiled(kernel, tiling->plan) : generate(LoopKind::Par, kernel.output, 0, context, 0);
  auto plans = tiling ? plans_of_locals(*tiling) : std::vector<std::optional<IndexPlan>>();
  bool finishes = tiling && tiling->plan.kind == IndexPlanKind::Finish;  // then the last local is nowhere in memory
  for (std::size_t k = kernel.locals.size() - (finishes ? 1 : 0); k-- > 0;) {
    bool planned = k < plans.size() && plans[k].has_value();
    Exp local =
        planned ? lower_tiled(up_to_local(kernel, k), *plans[k]) : generate(LoopKind::Par, kernel.locals[k], 0, context, 0);
    term = exp_let(exp_mem(type_of(kernel.locals[k].extents, 0), local), term);
  }
  Program program{kernel.name,
                  kernel.sizes,
                  kernel.facts,
                  kernel.inputs,
                  {kernel.output_name, type_of(kernel.output.extents, 0), kernel.output_element},
                  term,
                  kernel.formula,
                  kernel.computed};
  program.loops = loop_names(program);
  ensure(verify_program(program), "a kernel in index notation is lowered to a well-typed program");
  return program;
}

}  // namespace vouch
