#include <algorithm>
#include <iterator>

#include "certify/index_lowering.h"
#include "certify/index_plan.h"
#include "support/fault.h"

namespace vouch {
namespace {

using array::Size;

IndexTerm plus(const IndexTerm& t, const Integer& by) { return by == 0 ? t : term_sum(t, term_constant(by)); }

// Of blocks; where the extent has a name, one of them may be empty.
Size block_count(const Size& n, const Integer& width) {
  if (n->kind == array::SizeKind::Const) {
    return array::size_const(floor_div(n->value + width - 1, width));
  }
  return n->kind == array::SizeKind::Var
             ? array::size_add(array::size_part(array::SizePart::Quotient, n->var, width), array::size_const(1))
             : n;
}

Size axis_size(const IndexAxis& axis, const Size& n) {
  switch (axis.kind) {
    case IndexAxisKind::Whole: return plus_size(n, array::size_const(axis.low + axis.high));
    case IndexAxisKind::Block: return block_count(n, axis.width);
    case IndexAxisKind::Lane: return array::size_const(axis.width);
  }
  fault("no such axis");
}

IndexTerm axis_term(const IndexAxis& axis, const IndexTerm& t) {
  switch (axis.kind) {
    case IndexAxisKind::Whole: return plus(t, axis.low);
    case IndexAxisKind::Block: return {IndexTermKind::Div, 0, axis.width, {}, {t}};
    case IndexAxisKind::Lane: return {IndexTermKind::Mod, 0, axis.width, {}, {t}};
  }
  fault("no such axis");
}

// From the subscripts of the copy, that of an axis of the input.
IndexTerm axis_back(const std::vector<IndexAxis>& form, unsigned axis) {
  auto at_place = [&](const IndexAxis& wanted) {
    auto place = std::find(form.begin(), form.end(), wanted);
    ensure(place != form.end(), "the axis is in the form");
    return term_variable(static_cast<unsigned>(form.end() - place) - 1);
  };
  auto first = std::find_if(form.begin(), form.end(), [&](const IndexAxis& f) { return f.axis == axis; });
  ensure(first != form.end(), "every axis is in the form");
  if (first->kind == IndexAxisKind::Whole) {
    return plus(at_place(*first), -first->low);
  }
  IndexTerm block = term_scaled(first->width, at_place({axis, IndexAxisKind::Block, 0, 0, first->width}));
  return term_sum(block, at_place({axis, IndexAxisKind::Lane, 0, 0, first->width}));
}

IndexStatement copied(const IndexCopy& copy) {
  IndexStatement out;
  for (const IndexAxis& axis : copy.form) {
    out.extents.push_back(axis_size(axis, copy.extents[axis.axis]));
  }
  IndexSummand all;
  all.body.kind = IndexBodyKind::Read;
  all.body.tensor = copy.input;
  all.body.extents = copy.extents;
  for (unsigned axis = 0; axis < copy.extents.size(); ++axis) {
    all.body.at.push_back(axis_back(copy.form, axis));
  }
  out.summands = {all};
  return out;
}

// After `locals` other locals.
void pack(const IndexCopy& copy, unsigned locals, IndexBody& b) {
  if (b.kind == IndexBodyKind::Read && b.tensor == locals + copy.input) {
    IndexBody read = b;
    read.tensor = locals;
    read.at.clear();
    read.extents.clear();
    for (const IndexAxis& axis : copy.form) {
      read.at.push_back(axis_term(axis, b.at[axis.axis]));
      read.extents.push_back(axis_size(axis, b.extents[axis.axis]));
    }
    b = read;
  } else if (b.kind == IndexBodyKind::Read) {
    b.tensor += b.tensor < locals ? 0 : 1;
  }
  for (IndexBody& arg : b.args) {
    pack(copy, locals, arg);
  }
}

void pack(const IndexCopy& copy, std::size_t locals, IndexStatement& s) {
  for (IndexSummand& summand : s.summands) {
    pack(copy, static_cast<unsigned>(locals), summand.body);
  }
}

}  // namespace

IndexKernel packed(IndexKernel kernel, const std::vector<IndexCopy>& copies) {
  for (const IndexCopy& copy : copies) {
    for (std::size_t k = 0; k < kernel.locals.size(); ++k) {
      pack(copy, k, kernel.locals[k]);
    }
    pack(copy, kernel.locals.size(), kernel.output);
    kernel.locals.insert(kernel.locals.begin(), copied(copy));
  }
  return kernel;
}

std::vector<std::optional<IndexPlan>> plans_of_locals(const IndexTiling& tiling) {
  std::vector<std::optional<IndexPlan>> out;
  std::transform(tiling.copies.rbegin(), tiling.copies.rend(), std::back_inserter(out),
                 [](const IndexCopy& copy) { return copy.plan; });
  out.insert(out.end(), tiling.locals.begin(), tiling.locals.end());
  while (!out.empty() && !out.back()) {
    out.pop_back();
  }
  return out;
}

}  // namespace vouch
