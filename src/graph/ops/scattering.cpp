// Elements put where indices that are data say: of each place, which update is the last one, or all of them, in order. ONNX
// leaves it open which of several updates of one place counts; here the last one does.
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

Term at_most(Term scalar, Term bound) { return call(Fn::Min, {scalar, bound}); }
Term at_least(Term scalar, Term bound) { return call(Fn::Max, {scalar, bound}); }

// The updates of one place, by the index `k` that runs over all that may be.
struct Updates {
  BoundIndex bound;
  Term met;     // is it one of this place?
  Term update;  // its element

  Term k() const { return int_var(bound.name); }
  Term over_all(Reduction reduction, Term neutral) const {
    return reduce(reduction, {bound}, bool_const(true), select(met, update, neutral));
  }
};

// Which update is the last one of a place, or -1.
Term last_of(const Updates& updates) {
  Term last = reduce(Reduction::Max, {updates.bound}, bool_const(true), select(updates.met, real_of(updates.k()), real(-1)));
  return at_least(last, real(-1));
}

// The element with all its updates.
Term combined(const std::string& reduction, Term x, const Updates& updates) {
  return reduction == "add"   ? x + updates.over_all(Reduction::Sum, real(0))
         : reduction == "mul" ? x * updates.over_all(Reduction::Product, real(1))
         : reduction == "max" ? at_least(x, updates.over_all(Reduction::Max, x))
                              : at_most(x, updates.over_all(Reduction::Min, x));
}

bool require_updates(OpContext& c, const std::string& reduction) {
  return require_integer(c, 1) && require_same_dtype(c, 0, 2) && (reduction == "none" || require_numeric(c, 0));
}

Terms with(Terms indices, std::size_t axis, Term index) {
  indices[axis] = index;
  return indices;
}

// Indices and updates have one shape, which fits into that of the data on all other axes.
bool require_scatter_elements(OpContext& c, std::size_t axis, const std::string& reduction) {
  if (!require_updates(c, reduction) || !require_rank(c, 1, c.rank(0)) || !require_equal_extents(c, 1, 2)) {
    return false;
  }
  for (std::size_t k = 0; k < c.rank(0); ++k) {
    if (k != axis) {
      c.require(le(c.extent(1, k), c.extent(0, k)), "the indices must not reach beyond the data");
    }
  }
  return !c.failed();
}

// y[…, i, …] = updates[…, k, …] for the last k with indices[…, k, …] = i, or else x[…, i, …].
void define_scatter_elements(OpContext& c) {
  std::string reduction = c.attr_string("reduction");
  if (!require_rank_at_least(c, 0, 1)) {
    return;
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed() || !require_scatter_elements(c, axis, reduction)) {
    return;
  }
  Term size = c.extent(0, axis);
  auto updates = [&](const Terms& i) {
    BoundIndex bound = c.bound("k", c.extent(1, axis));
    Terms at = with(i, axis, int_var(bound.name));
    Terms guards;
    for (std::size_t k = 0; k < c.rank(0); ++k) {
      if (k != axis && c.extent(1, k) != c.extent(0, k)) {
        guards.push_back(lt(i[k], c.extent(1, k)));
      }
    }
    guards.push_back(eq(data_index(c.read(1, at), size), i[axis]));
    return Updates{bound, all_of(guards), c.read(2, at)};
  };
  // What is updated is read: so an index that is out of range is found.
  c.local("updated", c.dtype(0), c.extents(1),
          [&](const Terms& i) { return c.read(0, with(i, axis, data_index(c.read(1, i), size))); });
  if (reduction != "none") {
    return c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return combined(reduction, c.read(0, i), updates(i)); });
  }
  c.local("last", DType::Int64, c.extents(0), [&](const Terms& i) { return last_of(updates(i)); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term last = c.read_local("last", i);
    return select(real_lt(last, real(0)), c.read(0, i), c.read(2, with(i, axis, int_of(last))));
  });
}

// As ScatterND with one position of each row of updates.
void define_scatter_rows(OpContext& c) {
  std::string reduction = c.attr_string("reduction");
  if (!require_rank(c, 0, 2) || !require_rank(c, 1, 1) || !require_rank(c, 2, 2) || !require_updates(c, reduction)) {
    return;
  }
  c.require(eq(c.extent(2, 0), c.extent(1, 0)), "there is a row of updates for each position");
  c.require(eq(c.extent(2, 1), c.extent(0, 1)), "rows of updates are as long as those of the data");
  if (c.failed()) {
    return;
  }
  auto updates = [&](Term row, std::optional<Term> column) {
    BoundIndex bound = c.bound("k", c.extent(1, 0));
    Term k = int_var(bound.name);
    return Updates{bound, eq(data_index(c.read(1, {k}), c.extent(0, 0)), row), column ? c.read(2, {k, *column}) : real(0)};
  };
  c.local("updated", c.dtype(0), c.extents(2), [&](const Terms& i) {
    return c.read(0, {data_index(c.read(1, {i[0]}), c.extent(0, 0)), i[1]});
  });
  if (reduction != "none") {
    return c.result(c.dtype(0), c.extents(0),
                    [&](const Terms& i) { return combined(reduction, c.read(0, i), updates(i[0], i[1])); });
  }
  c.local("last", DType::Int64, {c.extent(0, 0)}, [&](const Terms& i) { return last_of(updates(i[0], std::nullopt)); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term last = c.read_local("last", {i[0]});
    return select(real_lt(last, real(0)), c.read(0, i), c.read(2, {int_of(last), i[1]}));
  });
}

}  // namespace

std::vector<OpDef> scattering_ops() {
  const std::vector<OperandDef> operands{{"x"}, {"indices"}, {"updates"}};
  const AttrDef reduction{
      .name = "reduction", .type = AttrType::String, .otherwise = "none", .choices = {"none", "add", "mul", "max", "min"}};
  return {
      {.name = "ScatterElements",
       .operands = operands,
       .attributes = {{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis}, reduction},
       .define = define_scatter_elements},
      // What ScatterND does where its indices are data, once they are numbers of rows.
      {.name = "scatter_rows", .operands = operands, .attributes = {reduction}, .define = define_scatter_rows},
  };
}

}  // namespace vouch
