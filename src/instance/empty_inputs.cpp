#include "instance/empty_inputs.h"

#include <algorithm>
#include <utility>

namespace vouch {
namespace {

const Symbol kShape("shape");

bool is_written_zero(const Rule& rule, AttrId id) {
  const AttrExpr& e = rule.attr(id);
  return e.kind == AttrKind::Value && e.value.int64() == 0;
}

bool is_shape(const Rule& rule, AttrId id) { return rule.attr(id).kind == AttrKind::Access && rule.attr(id).name == kShape; }

bool is_size(const Rule& rule, AttrId id) {
  return rule.attr(id).kind == AttrKind::Project && is_shape(rule, rule.attr(id).args[0]);
}

// A size beside 0, or a shape beside a tuple that has one.
bool is_empty_beside(const Rule& rule, AttrId size, AttrId zero) {
  const AttrExpr& e = rule.attr(zero);
  bool among =
      e.kind == AttrKind::Tuple && std::any_of(e.args.begin(), e.args.end(), [&](AttrId a) { return is_written_zero(rule, a); });
  return (is_size(rule, size) && is_written_zero(rule, zero)) || (is_shape(rule, size) && among);
}

bool is_comparison(BinaryOp op) {
  return op == BinaryOp::Eq || op == BinaryOp::Ne || op == BinaryOp::Lt || op == BinaryOp::Le || op == BinaryOp::Gt ||
         op == BinaryOp::Ge;
}

bool compares_with_zero(const Rule& rule, AttrId id) {
  const AttrExpr& e = rule.attr(id);
  bool here = e.kind == AttrKind::Binary && is_comparison(e.binary) &&
              (is_empty_beside(rule, e.args[0], e.args[1]) || is_empty_beside(rule, e.args[1], e.args[0]));
  return here || std::any_of(e.args.begin(), e.args.end(), [&](AttrId arg) { return compares_with_zero(rule, arg); });
}

void add_shapes(const Rule& rule, AttrId id, std::vector<PatternId>& out) {
  const AttrExpr& e = rule.attr(id);
  if (e.kind == AttrKind::Access && e.name == kShape) {
    out.push_back(e.pattern);
  }
  for (AttrId arg : e.args) {
    add_shapes(rule, arg, out);
  }
}

// The inputs that the shapes of which a condition speaks are computed from.
std::vector<PatternId> inputs_below(const Rule& rule, AttrId condition) {
  std::vector<PatternId> pending;
  add_shapes(rule, condition, pending);
  std::vector<bool> seen(rule.patterns.size());
  std::vector<PatternId> inputs;
  while (!pending.empty()) {
    PatternId id = pending.back();
    pending.pop_back();
    if (seen[id]) {
      continue;
    }
    seen[id] = true;
    if (rule.is_input(id)) {
      inputs.push_back(id);
    }
    std::vector<PatternId> below = direct_subpatterns(rule, id);
    pending.insert(pending.end(), below.begin(), below.end());
  }
  return inputs;
}

}  // namespace

std::vector<bool> inputs_spoken_of_as_empty(const Rule& rule) {
  std::vector<bool> out(rule.patterns.size());
  std::vector<std::vector<PatternId>> together;
  for (AttrId condition : rule.constraints) {
    together.push_back(inputs_below(rule, condition));
    if (compares_with_zero(rule, condition)) {
      std::for_each(together.back().begin(), together.back().end(), [&](PatternId id) { out[id] = true; });
    }
  }
  for (bool grows = true; std::exchange(grows, false);) {
    for (const std::vector<PatternId>& inputs : together) {
      bool any = std::any_of(inputs.begin(), inputs.end(), [&](PatternId id) { return out[id]; });
      for (PatternId id : any ? inputs : std::vector<PatternId>()) {
        grows = grows || !out[id];
        out[id] = true;
      }
    }
  }
  return out;
}

std::vector<InputOption> with_empty_axes(std::vector<InputOption> options) {
  std::vector<InputOption> out;
  for (InputOption& option : options) {
    std::vector<std::size_t> open;
    for (std::size_t axis = 0; axis < option.extents.size(); ++axis) {
      if (!option.extents[axis]) {
        open.push_back(axis);
      }
    }
    bool opaque = !option.contents && !option.fill;
    for (std::uint32_t empty = 1; opaque && empty < (1U << open.size()); ++empty) {
      InputOption& added = out.emplace_back(option);
      for (std::size_t k = 0; k < open.size(); ++k) {
        added.extents[open[k]] = (empty >> k & 1U) != 0 ? std::optional(Term(0)) : std::nullopt;
      }
    }
    out.push_back(std::move(option));
  }
  return out;
}

}  // namespace vouch
