#include "graph/ops/attention_form.h"

#include "graph/ops/broadcast.h"
#include "graph/ops/moments.h"
#include "graph/ops/scalars.h"

namespace vouch {
namespace {

Heads heads_of(OpContext& c, std::size_t operand, std::string_view attribute) {
  Heads out{.operand = operand,
            .apart = c.rank(operand) == 4,
            .count = 1,
            .length = c.extent(operand, c.rank(operand) - 2),
            .size = c.extents(operand).back()};
  const bool given = c.has_attr(attribute);
  if (out.apart) {
    out.count = c.extent(operand, 1);
    if (given) {
      require_one_reading(c, eq(c.attr_int(attribute), out.count), "a number of heads must be that of the axis of heads");
    }
    return out;
  }
  if (!given) {
    c.fail("q_num_heads and kv_num_heads must be given where heads are no axis");
    return out;
  }
  out.count = c.attr_int(attribute);
  c.require(ge(out.count, 1), "a number of heads must be at least 1");
  c.require(divides(out.count, out.size), "a number of heads must divide the last axis");
  out.size = c.failed() ? out.size : floor_div(out.size, out.count);
  return out;
}

bool require_tensors(OpContext& c) {
  if (!require_float(c, kQueries)) {
    return false;
  }
  const std::size_t rank = c.rank(kQueries);
  if ((rank != 3 && rank != 4) || c.rank(kKeys) != rank || c.rank(kValues) != rank) {
    c.fail("queries, keys and values must have rank 3, or all rank 4");
    return false;
  }
  if (!require_same_dtype(c, kQueries, kKeys)) {
    return false;
  }
  if (c.dtype(kValues) != c.dtype(kQueries)) {
    c.fail_undecided("values of another element type than queries are not supported");
    return false;
  }
  for (std::size_t operand : {kKeys, kValues}) {
    c.require(eq(c.extent(operand, 0), c.extent(kQueries, 0)), "queries, keys and values have one batch");
  }
  return !c.failed();
}

void require_past(OpContext& c, Attended& attended) {
  if (c.has(kPastKeys) != c.has(kPastValues)) {
    return c.fail("past keys and past values come together");
  }
  if (!c.has(kPastKeys)) {
    return;
  }
  for (const Heads* heads : {&attended.keys, &attended.values}) {
    const std::size_t operand = heads->operand == kKeys ? kPastKeys : kPastValues;
    if (!require_same_dtype(c, kQueries, operand) || !require_rank(c, operand, 4)) {
      return;
    }
    c.require(eq(c.extent(operand, 0), attended.batch), "what is past has the batch of the queries");
    c.require(eq(c.extent(operand, 1), heads->count), "what is past has the heads of the keys");
    c.require(eq(c.extent(operand, 3), heads->size), "what is past has heads of one size");
  }
  attended.past = c.extent(kPastKeys, 2);
  c.require(eq(c.extent(kPastValues, 2), attended.past), "there are as many past values as past keys");
}

// Numbers are added to scores, truth values say which keys count.
void require_mask(OpContext& c, const Attended& attended) {
  if (!c.has(kMask)) {
    return;
  }
  if (c.dtype(kMask) != DType::Bool && c.dtype(kMask) != c.dtype(kQueries)) {
    return c.fail_undecided("a mask must be bool, or have the element type of the queries");
  }
  if (c.rank(kMask) < 2 || c.rank(kMask) > 4) {
    return c.fail_undecided("a mask must have 2 to 4 axes");
  }
  require_one_reading(c, eq(c.extents(kMask).back(), attended.total()),
                      "a mask of another length than the keys have is padded, or repeated");
  require_broadcasts_to(c, kMask, attended.scores());
}

void require_counts(OpContext& c, const Attended& attended) {
  if (!c.has(kCounts)) {
    return;
  }
  if (attended.causal || c.has(kPastKeys)) {
    return c.fail_undecided("numbers of keys beside is_causal or past keys are read in two ways");
  }
  if (require_rank(c, kCounts, 1)) {
    c.require(eq(c.extent(kCounts, 0), attended.batch), "there is a number of keys for each element of the batch");
  }
}

// The first release of the operator caps scores that are masked, later ones mask what is capped.
void require_softcap(OpContext& c, Attended& attended) {
  Term cap = c.attr_float("softcap");
  if (!is_const(cap) || cap->value < 0) {
    return c.fail_undecided("softcap must be a number that is not negative");
  }
  if (cap->value == 0) {
    return;
  }
  if (attended.causal || c.has(kMask) || c.has(kCounts)) {
    return c.fail_undecided("softcap beside a mask is read in two ways");
  }
  attended.softcap = cap;
}

void require_positive_scale(OpContext& c) {
  Term scale = c.has_attr("scale") ? c.attr_float("scale") : real(1);
  if (!is_const(scale) || scale->value <= 0) {
    c.fail_undecided("scale must be a positive number: its root is what queries and keys are multiplied by");
  }
}

}  // namespace

std::optional<Attended> attended_of(OpContext& c) {
  if (!require_tensors(c)) {
    return std::nullopt;
  }
  Attended out{.queries = heads_of(c, kQueries, "q_num_heads"),
               .keys = heads_of(c, kKeys, "kv_num_heads"),
               .values = heads_of(c, kValues, "kv_num_heads"),
               .batch = c.extent(kQueries, 0),
               .group = 1,
               .softcap = {}};
  out.causal = c.attr_int_value("is_causal") != 0;
  auto precision = c.has_attr("softmax_precision") ? stash_dtype(c, "softmax_precision") : c.dtype(kQueries);
  if (c.failed() || !precision) {
    return std::nullopt;
  }
  out.kept = wide_dtype(*precision);
  c.require(eq(out.keys.count, out.values.count), "keys and values have the same heads");
  c.require(eq(out.keys.length, out.values.length), "there are as many values as keys");
  c.require(eq(out.keys.size, out.queries.size), "heads of queries and keys have one size");
  c.require(ge(out.keys.count, 1), "there must be a head");
  c.require(divides(out.keys.count, out.queries.count), "the heads of the queries must be divided among those of the keys");
  if (!c.failed()) {
    out.group = floor_div(out.queries.count, out.keys.count);
    require_past(c, out);
    require_mask(c, out);
    require_counts(c, out);
    require_softcap(c, out);
    require_positive_scale(c);
  }
  return c.failed() ? std::nullopt : std::optional(out);
}

}  // namespace vouch
