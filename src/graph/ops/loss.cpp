// Losses of classification: negative log likelihood, and cross entropy of a softmax.
#include <fmt/format.h>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

using Element = std::function<Term(const Terms&)>;

// x: [N, C, d…] (scores or log probabilities), target: [N, d…], the class of each position; weight: [C].
bool require_classes(OpContext& c) {
  if (!require_rank_at_least(c, 0, 2) || !require_float(c, 0) || !require_rank(c, 1, c.rank(0) - 1) || !require_integer(c, 1)) {
    return false;
  }
  for (std::size_t k = 0; k < c.rank(1); ++k) {
    c.require(eq(c.extent(1, k), c.extent(0, k == 0 ? 0 : k + 1)), "the target has the scores' sizes without the classes");
  }
  if (c.has(2) && require_rank(c, 2, 1) && require_same_dtype(c, 0, 2)) {
    c.require(eq(c.extent(2, 0), c.extent(0, 1)), "there is one weight for each class");
  }
  return !c.failed();
}

Term is_ignored(const OpContext& c, const Terms& at) {
  return c.has_attr("ignore_index") ? real_eq(c.read(1, at), real_of(c.attr_int("ignore_index"))) : bool_const(false);
}

Term class_at(const OpContext& c, const Terms& at) { return data_index(c.read(1, at), c.extent(0, 1)); }

// What a position counts: its class's weight, 0 if it is ignored.
Term weight_at(const OpContext& c, const Terms& at) {
  return select(is_ignored(c, at), real(0), c.has(2) ? c.read(2, {class_at(c, at)}) : real(1));
}

Term loss_at(const OpContext& c, const Element& log_likelihood, const Terms& at) {
  Terms i = at;
  i.insert(i.begin() + 1, class_at(c, at));
  Term loss = -log_likelihood(i);
  loss = c.has(2) ? loss * c.read(2, {class_at(c, at)}) : loss;
  return select(is_ignored(c, at), real(0), loss);
}

Term sum_over_target(const OpContext& c, const Element& element) {
  std::vector<BoundIndex> bound;
  Terms at;
  for (std::size_t k = 0; k < c.rank(1); ++k) {
    bound.push_back(c.bound(fmt::format("k{}", k), c.extent(1, k)));
    at.push_back(int_var(bound.back().name));
  }
  return reduce(Reduction::Sum, bound, bool_const(true), element(at));
}

void result_loss(OpContext& c, const Element& log_likelihood) {
  std::string reduction = c.attr_string("reduction");
  if (reduction == "none") {
    return c.result(c.dtype(0), c.extents(1), [&](const Terms& i) { return loss_at(c, log_likelihood, i); });
  }
  c.result(c.dtype(0), {}, [&](const Terms&) {
    Term total = sum_over_target(c, [&](const Terms& at) { return loss_at(c, log_likelihood, at); });
    return reduction == "sum" ? total : total / sum_over_target(c, [&](const Terms& at) { return weight_at(c, at); });
  });
}

void define_likelihood(OpContext& c) {
  if (require_classes(c)) {
    result_loss(c, [&](const Terms& i) { return c.read(0, i); });
  }
}

// x - max - log(sum(exp(x - max))), over the classes
void local_log_softmax(OpContext& c) {
  Terms extents = c.extents(0);
  extents[1] = 1;
  c.require(ge(c.extent(0, 1), 1), "there must be a class");
  auto over_classes = [&](Reduction reduction, const Terms& i, const Element& element) {
    BoundIndex bound = c.bound("class", c.extent(0, 1));
    Terms at = i;
    at[1] = int_var(bound.name);
    return reduce(reduction, {bound}, bool_const(true), element(at));
  };
  auto flat = [](Terms i) {
    i[1] = 0;
    return i;
  };
  c.local("largest", c.dtype(0), extents,
          [&](const Terms& i) { return over_classes(Reduction::Max, i, [&](const Terms& at) { return c.read(0, at); }); });
  c.local("log_total", c.dtype(0), extents, [&](const Terms& i) {
    return call(Fn::Log, {over_classes(Reduction::Sum, i, [&](const Terms& at) {
                  return call(Fn::Exp, {c.read(0, at) - c.read_local("largest", flat(at))});
                })});
  });
  c.local("log_probability", c.dtype(0), c.extents(0),
          [&](const Terms& i) { return c.read(0, i) - c.read_local("largest", flat(i)) - c.read_local("log_total", flat(i)); });
}

template <bool only_probability>
void define_cross_entropy(OpContext& c) {
  if (!require_classes(c)) {
    return;
  }
  local_log_softmax(c);
  Element log_probability = [&](const Terms& i) { return c.read_local("log_probability", i); };
  if (only_probability) {
    return c.result(c.dtype(0), c.extents(0), log_probability);
  }
  result_loss(c, log_probability);
}

}  // namespace

std::vector<OpDef> loss_ops() {
  const std::vector<OperandDef> operands{{"x"}, {"target"}, {"weight", OperandKind::Optional}};
  const std::vector<AttrDef> attributes{
      {.name = "ignore_index", .otherwise = Absent{}},
      {.name = "reduction", .type = AttrType::String, .otherwise = "mean", .choices = {"none", "mean", "sum"}}};
  return {
      {.name = "NegativeLogLikelihoodLoss", .operands = operands, .attributes = attributes, .define = define_likelihood},
      {.name = "SoftmaxCrossEntropyLoss",
       .operands = operands,
       .attributes = attributes,
       .define = define_cross_entropy<false>,
       .further = {"SoftmaxCrossEntropyLossLogProbability"}},
      {.name = "SoftmaxCrossEntropyLossLogProbability",
       .operands = operands,
       .attributes = attributes,
       .define = define_cross_entropy<true>},
  };
}

}  // namespace vouch
