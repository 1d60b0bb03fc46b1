// Softmax and its kin along one axis, and as ONNX had them before opset 13: along all axes from one on, as if they were one. In
// steps that each take linear time:
//   m = max(k) x[k];  e[i] = exp(x[i] - m);  s = sum(k) e[k];  y[i] = e[i] / s
#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

enum class Spread { One, Rest };

// Along the axis of a call, or along it and all behind it; other axes stay. `Line` locals have size 1 on those.
class Line {
 public:
  Line(OpContext& c, Spread axes) : c_(c), first_(c.normal_axis(c.attr_int_value("axis"), c.rank(0))) {
    if (c.failed() || !require_float(c, 0)) {
      return;
    }
    end_ = axes == Spread::One ? first_ + 1 : c.rank(0);
    extents_ = c.extents(0);
    std::fill(extents_.begin() + static_cast<std::ptrdiff_t>(first_), extents_.begin() + static_cast<std::ptrdiff_t>(end_), 1);
  }

  // Which element of its line this is.
  Term position(const Terms& i) const {
    Term position = i[first_];
    for (std::size_t axis = first_ + 1; axis < end_; ++axis) {
      position = position * c_.extent(0, axis) + i[axis];
    }
    return position;
  }
  DType dtype() const { return wide_dtype(c_.dtype(0)); }

  // name[…, 0, …] = reduction(k where guard) element(k)
  template <class Element>
  void reduce_to(std::string_view name, Reduction reduction, Element element) {
    c_.local(name, dtype(), extents_, [&](const Terms& i) {
      std::vector<BoundIndex> bounds;
      Terms at = i;
      for (std::size_t axis = first_; axis < end_; ++axis) {
        bounds.push_back(c_.bound(end_ - first_ == 1 ? "k" : fmt::format("k{}", axis - first_), c_.extent(0, axis)));
        at[axis] = int_var(bounds.back().name);
      }
      auto [guard, value] = element(at);
      return reduce(reduction, bounds, guard, value);
    });
  }

  Term read(std::string_view name, Terms i) const {
    std::fill(i.begin() + static_cast<std::ptrdiff_t>(first_), i.begin() + static_cast<std::ptrdiff_t>(end_), 0);
    return c_.read_local(name, std::move(i));
  }

  void reduce_maximum() {
    reduce_to("maximum", Reduction::Max, [&](const Terms& at) { return std::pair(bool_const(true), c_.read(0, at)); });
  }

 private:
  OpContext& c_;
  std::size_t first_;
  std::size_t end_ = 0;
  Terms extents_;
};

void define_softmax(OpContext& c, Spread axes) {
  Line line(c, axes);
  line.reduce_maximum();
  c.local("exponential", line.dtype(), c.extents(0),
          [&](const Terms& i) { return call(Fn::Exp, {c.read(0, i) - line.read("maximum", i)}); });
  line.reduce_to("total", Reduction::Sum,
                 [&](const Terms& at) { return std::pair(bool_const(true), c.read_local("exponential", at)); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return c.read_local("exponential", i) / line.read("total", i); });
}

// x - m - log(sum(k) exp(x[k] - m))
void define_log_softmax(OpContext& c, Spread axes) {
  Line line(c, axes);
  line.reduce_maximum();
  line.reduce_to("total", Reduction::Sum, [&](const Terms& at) {
    return std::pair(bool_const(true), call(Fn::Exp, {c.read(0, at) - line.read("maximum", at)}));
  });
  c.result(c.dtype(0), c.extents(0),
           [&](const Terms& i) { return c.read(0, i) - line.read("maximum", i) - call(Fn::Log, {line.read("total", i)}); });
}

// 1 at the first largest element, 0 elsewhere.
void define_hardmax(OpContext& c, Spread axes) {
  Line line(c, axes);
  line.reduce_maximum();
  line.reduce_to("first", Reduction::Min, [&](const Terms& at) {
    return std::pair(real_eq(c.read(0, at), line.read("maximum", at)), real_of(line.position(at)));
  });
  c.result(c.dtype(0), c.extents(0),
           [&](const Terms& i) { return truth(real_eq(real_of(line.position(i)), line.read("first", i))); });
}

template <void (*define)(OpContext&, Spread), Spread axes>
void along(OpContext& c) {
  define(c, axes);
}

}  // namespace

std::vector<OpDef> softmax_ops() {
  const AttrDef axis{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis};
  const AttrDef first{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis};
  return {
      {.name = "Softmax", .operands = {{"x"}}, .attributes = {axis}, .define = along<define_softmax, Spread::One>},
      {.name = "LogSoftmax", .operands = {{"x"}}, .attributes = {axis}, .define = along<define_log_softmax, Spread::One>},
      {.name = "Hardmax", .operands = {{"x"}}, .attributes = {axis}, .define = along<define_hardmax, Spread::One>},
      {.name = "softmax_11", .operands = {{"x"}}, .attributes = {first}, .define = along<define_softmax, Spread::Rest>},
      {.name = "log_softmax_11", .operands = {{"x"}}, .attributes = {first}, .define = along<define_log_softmax, Spread::Rest>},
      {.name = "hardmax_11", .operands = {{"x"}}, .attributes = {first}, .define = along<define_hardmax, Spread::Rest>},
  };
}

}  // namespace vouch
