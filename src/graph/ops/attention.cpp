// Attention: weights from products of queries and keys, means of values by these. In steps that each are one of the operators
// that exporters write in its place:
//   p = scale q k^T;  s = softcap(p) + mask;  w = softmax(s) over the keys that count;  y = w v
#include "graph/ops/attention_form.h"
#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// Of the keys (values): what is past, then what is new.
Term with_past(const OpContext& c, const Attended& attended, const Heads& heads, const Terms& i) {
  const std::size_t operand = heads.operand == kKeys ? kPastKeys : kPastValues;
  if (!c.has(operand)) {
    return heads.read(c, i[0], i[1], i[2], i[3]);
  }
  return select(lt(i[2], attended.past), c.read(operand, i), heads.read(c, i[0], i[1], i[2] - attended.past, i[3]));
}

Terms extents_of(const Attended& attended, const Heads& heads) {
  return {attended.batch, heads.count, attended.total(), heads.size};
}

// A local, where it is put together; `name` is of what is read then.
void local_heads(OpContext& c, const Attended& attended, const Heads& heads, std::string_view name) {
  if (c.has(kPastKeys)) {
    c.local(name, c.dtype(heads.operand), extents_of(attended, heads),
            [&](const Terms& i) { return with_past(c, attended, heads, i); });
  }
}

Term read_heads(const OpContext& c, const Attended& attended, const Heads& heads, std::string_view name, const Terms& i) {
  return c.has(kPastKeys) ? c.read_local(name, i) : with_past(c, attended, heads, i);
}

Term scale_of(OpContext& c, const Attended& attended) {
  return c.has_attr("scale") ? c.attr_float("scale") : real(1) / call(Fn::Sqrt, {real_of(attended.queries.size)});
}

Term product_of_heads(OpContext& c, const Attended& attended, const Terms& i) {
  BoundIndex bound = c.bound("k", attended.queries.size);
  Term k = int_var(bound.name);
  Term key = read_heads(c, attended, attended.keys, "keys", {i[0], floor_div(i[1], attended.group), i[3], k});
  return reduce(Reduction::Sum, {bound}, bool_const(true), attended.queries.read(c, i[0], i[1], i[2], k) * key) *
         scale_of(c, attended);
}

Term score(const OpContext& c, const Attended& attended, const Terms& i) {
  Term value = c.read_local("product", i);
  if (attended.softcap) {
    value = attended.softcap * call(Fn::Tanh, {value / attended.softcap});
  }
  const bool added = c.has(kMask) && c.dtype(kMask) != DType::Bool;
  return added ? value + read_broadcast(c, kMask, attended.scores(), i) : value;
}

// Does the key count? One that comes later does not, where `is_causal`.
Term counts(const OpContext& c, const Attended& attended, const Terms& i) {
  Terms guards;
  if (attended.causal) {
    guards.push_back(le(i[3], attended.past + i[2]));
  }
  if (c.has(kCounts)) {
    guards.push_back(real_lt(real_of(i[3]), c.read(kCounts, {i[0]})));
  }
  if (c.has(kMask) && c.dtype(kMask) == DType::Bool) {
    guards.push_back(is_set(read_broadcast(c, kMask, attended.scores(), i)));
  }
  return all_of(guards);
}

// Locals up to "weight": a softmax over the keys that count. Where none does, 0 / 0.
void local_weights(OpContext& c, const Attended& attended) {
  local_heads(c, attended, attended.keys, "keys");
  c.local("product", attended.kept, attended.scores(), [&](const Terms& i) { return product_of_heads(c, attended, i); });
  c.local("score", attended.kept, attended.scores(), [&](const Terms& i) { return score(c, attended, i); });
  Terms rows = attended.scores();
  rows.pop_back();
  auto along = [&](Reduction reduction, const Terms& row, auto element) {
    BoundIndex bound = c.bound("k", attended.total());
    Terms at = row;
    at.push_back(int_var(bound.name));
    auto [guard, value] = element(at);
    return reduce(reduction, {bound}, guard, value);
  };
  c.local("maximum", attended.kept, rows, [&](const Terms& row) {
    return along(Reduction::Max, row,
                 [&](const Terms& at) { return std::pair(counts(c, attended, at), c.read_local("score", at)); });
  });
  c.local("exponential", attended.kept, attended.scores(), [&](const Terms& i) {
    Term power = call(Fn::Exp, {c.read_local("score", i) - c.read_local("maximum", {i[0], i[1], i[2]})});
    return select(counts(c, attended, i), power, real(0));
  });
  c.local("total", attended.kept, rows, [&](const Terms& row) {
    return along(Reduction::Sum, row,
                 [&](const Terms& at) { return std::pair(bool_const(true), c.read_local("exponential", at)); });
  });
  c.local("weight", attended.kept, attended.scores(), [&](const Terms& i) {
    return c.read_local("exponential", i) / c.read_local("total", {i[0], i[1], i[2]});
  });
}

Term mean_of_values(OpContext& c, const Attended& attended, const Terms& i) {
  BoundIndex bound = c.bound("k", attended.total());
  Term k = int_var(bound.name);
  Term value = read_heads(c, attended, attended.values, "values", {i[0], floor_div(i[1], attended.group), k, i[3]});
  return reduce(Reduction::Sum, {bound}, bool_const(true), c.read_local("weight", {i[0], i[1], i[2], k}) * value);
}

void define_attention(OpContext& c) {
  auto attended = attended_of(c);
  if (!attended) {
    return;
  }
  local_weights(c, *attended);
  local_heads(c, *attended, attended->values, "values");
  const Terms heads{attended->batch, attended->queries.count, attended->queries.length, attended->values.size};
  auto mean = [&](const Terms& i) { return mean_of_values(c, *attended, i); };
  if (attended->queries.apart) {
    return c.result(c.dtype(kQueries), heads, mean);
  }
  c.local("mean", c.dtype(kQueries), heads, mean);
  c.result(c.dtype(kQueries), {heads[0], heads[2], heads[1] * heads[3]}, [&](const Terms& i) {
    return c.read_local("mean", {i[0], floor_div(i[2], heads[3]), i[1], floor_mod(i[2], heads[3])});
  });
}

template <Heads Attended::*heads>
void define_present(OpContext& c) {
  if (auto attended = attended_of(c)) {
    c.result(c.dtype(kQueries), extents_of(*attended, (*attended).*heads),
             [&](const Terms& i) { return with_past(c, *attended, (*attended).*heads, i); });
  }
}

// What weights are made of, or these themselves: what is between the two is numbered in two ways.
void define_scores(OpContext& c) {
  const std::int64_t mode = c.attr_int_value("qk_matmul_output_mode");
  auto attended = attended_of(c);
  if (!attended) {
    return;
  }
  if (mode != 3 && (mode != 0 || attended->softcap)) {
    return c.fail_undecided("qk_matmul_output_mode must be 3, or 0 without softcap: other modes are read in two ways");
  }
  local_weights(c, *attended);
  c.result(c.dtype(kQueries), attended->scores(),
           [&](const Terms& i) { return c.read_local(mode == 3 ? "weight" : "product", i); });
}

}  // namespace

std::vector<OpDef> attention_ops() {
  const std::vector<OperandDef> operands{{"q"},
                                         {"k"},
                                         {"v"},
                                         {"mask", OperandKind::Optional},
                                         {"past_key", OperandKind::Optional},
                                         {"past_value", OperandKind::Optional},
                                         {"counts", OperandKind::Optional}};
  const std::vector<AttrDef> attributes{{.name = "is_causal", .otherwise = 0, .domain = AttrDomain::Flag},
                                        {.name = "kv_num_heads", .otherwise = Absent{}},
                                        {.name = "q_num_heads", .otherwise = Absent{}},
                                        {.name = "qk_matmul_output_mode", .otherwise = 0},
                                        {.name = "scale", .type = AttrType::Float, .otherwise = Absent{}},
                                        float_attribute("softcap", 0),
                                        {.name = "softmax_precision", .otherwise = Absent{}}};
  auto op = [&](std::string_view name, void (*define)(OpContext&)) {
    return OpDef{.name = name, .operands = operands, .attributes = attributes, .define = define};
  };
  std::vector<OpDef> ops{op("Attention", define_attention), op("AttentionPresentKey", define_present<&Attended::keys>),
                         op("AttentionPresentValue", define_present<&Attended::values>), op("AttentionScores", define_scores)};
  ops[0].further = {"AttentionPresentKey", "AttentionPresentValue", "AttentionScores"};
  return ops;
}

}  // namespace vouch
