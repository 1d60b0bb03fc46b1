// Softmax and its kin along one axis, in steps that each take linear time:
//   m = max(k) x[k];  e[i] = exp(x[i] - m);  s = sum(k) e[k];  y[i] = e[i] / s
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// Along the axis of a call; other axes stay. `Line` locals have size 1 on the axis.
class Line {
 public:
  explicit Line(OpContext& c) : c_(c), axis_(c.normal_axis(c.attr_int_value("axis"), c.rank(0))) {
    if (c.failed() || !require_float(c, 0)) {
      return;
    }
    extents_ = c.extents(0);
    extents_[axis_] = 1;
  }

  std::size_t axis() const { return axis_; }
  DType dtype() const { return wide_dtype(c_.dtype(0)); }

  // name[…, 0, …] = reduction(k where guard) element(k)
  template <class Element>
  void reduce_to(std::string_view name, Reduction reduction, Element element) {
    c_.local(name, dtype(), extents_, [&](const Terms& i) {
      BoundIndex bound = c_.bound("k", c_.extent(0, axis_));
      Terms at = i;
      at[axis_] = int_var(bound.name);
      auto [guard, value] = element(at);
      return reduce(reduction, {bound}, guard, value);
    });
  }

  Term read(std::string_view name, Terms i) const {
    i[axis_] = 0;
    return c_.read_local(name, std::move(i));
  }

  void reduce_maximum() {
    reduce_to("maximum", Reduction::Max, [&](const Terms& at) { return std::pair(bool_const(true), c_.read(0, at)); });
  }

 private:
  OpContext& c_;
  std::size_t axis_;
  Terms extents_;
};

void define_softmax(OpContext& c) {
  Line line(c);
  line.reduce_maximum();
  c.local("exponential", line.dtype(), c.extents(0),
          [&](const Terms& i) { return call(Fn::Exp, {c.read(0, i) - line.read("maximum", i)}); });
  line.reduce_to("total", Reduction::Sum,
                 [&](const Terms& at) { return std::pair(bool_const(true), c.read_local("exponential", at)); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return c.read_local("exponential", i) / line.read("total", i); });
}

// x - m - log(sum(k) exp(x[k] - m))
void define_log_softmax(OpContext& c) {
  Line line(c);
  line.reduce_maximum();
  line.reduce_to("total", Reduction::Sum, [&](const Terms& at) {
    return std::pair(bool_const(true), call(Fn::Exp, {c.read(0, at) - line.read("maximum", at)}));
  });
  c.result(c.dtype(0), c.extents(0),
           [&](const Terms& i) { return c.read(0, i) - line.read("maximum", i) - call(Fn::Log, {line.read("total", i)}); });
}

// 1 at the first largest element, 0 elsewhere.
void define_hardmax(OpContext& c) {
  Line line(c);
  line.reduce_maximum();
  line.reduce_to("first", Reduction::Min, [&](const Terms& at) {
    return std::pair(real_eq(c.read(0, at), line.read("maximum", at)), real_of(at[line.axis()]));
  });
  c.result(c.dtype(0), c.extents(0),
           [&](const Terms& i) { return truth(real_eq(real_of(i[line.axis()]), line.read("first", i))); });
}

}  // namespace

std::vector<OpDef> softmax_ops() {
  const AttrDef axis{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis};
  return {
      {.name = "Softmax", .operands = {{"x"}}, .attributes = {axis}, .define = define_softmax},
      {.name = "LogSoftmax", .operands = {{"x"}}, .attributes = {axis}, .define = define_log_softmax},
      {.name = "Hardmax", .operands = {{"x"}}, .attributes = {axis}, .define = define_hardmax},
  };
}

}  // namespace vouch
