#include "rewrite/vanishing.h"

#include <algorithm>
#include <limits>

#include "kernel/exact.h"

namespace vouch {
namespace {

constexpr int kMostCallsBehind = 16;
constexpr std::int64_t kMostTermsSeen = 1 << 16;

const Statement* statement_for(const Kernel& kernel, Symbol tensor) {
  auto found = std::find_if(kernel.statements.begin(), kernel.statements.end(),
                            [&](const Statement& statement) { return statement.target == tensor; });
  return found == kernel.statements.end() ? nullptr : &*found;
}

// Which input of the definition; its tensor, or nothing.
NodeId operand_of(const DefinedCall& call, Symbol tensor) {
  for (std::size_t k = 0; k < call.kernel->inputs.size() && k < call.operands.size(); ++k) {
    if (call.kernel->inputs[k].name == tensor) {
      return call.operands[k];
    }
  }
  return kNoNode;
}

// One tensor read twice.
bool same_tensor(const DefinedCall& call, Term a, Term b) {
  bool reads = a.kind() == TermKind::Read && b.kind() == TermKind::Read;
  NodeId one = reads ? operand_of(call, a->symbol) : kNoNode;
  return one != kNoNode && one == operand_of(call, b->symbol);
}

bool same_element(const DefinedCall& call, Term a, Term b) {
  return a == b || (same_tensor(call, a, b) && std::ranges::equal(a.args(), b.args()));
}

bool keeps_zero(Fn fn) {
  auto value = eval_scalar(call(fn, {real_const(0)}), EvalEnvironment());
  const Enclosure* number = std::get_if<Enclosure>(&value);
  return number != nullptr && number->infinite == 0 && number->low == 0 && number->high == 0;
}

// Data are not known; indices are.
EvalEnvironment indices_of(const Statement& statement, std::span<const std::int64_t> at) {
  EvalEnvironment out;
  out.steps = kMostTermsSeen;
  out.read = [](Symbol, std::span<const std::int64_t>) { return std::optional<ExactNumber>(); };
  for (std::size_t axis = 0; axis < at.size() && axis < statement.indices.size(); ++axis) {
    out.integers[statement.indices[axis]] = at[axis];
  }
  return out;
}

bool has_zero(const Tensor& value) {
  for (std::int64_t i = 0; i < value.count(); ++i) {
    if (is_float(value.dtype()) ? value.double_at(i) == 0 : value.int_at(i) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<NodeId> tensor_operands(const Graph& graph, NodeId call) {
  std::vector<NodeId> out;
  for (NodeId operand : graph.operands(call)) {
    if (operand == kNoNode) {
      continue;
    }
    if (graph.type(operand).is_tensor()) {
      out.push_back(operand);
      continue;
    }
    bool listed = graph.kind(operand) == NodeKind::Tuple;
    for (std::size_t k = 0; k < graph.type(operand).items().size(); ++k) {
      out.push_back(listed ? graph.operands(operand)[k] : kNoNode);
    }
  }
  return out;
}

bool Vanishing::may(NodeId call, Term term) { return may(definition_(call), term, 0); }

bool Vanishing::is(NodeId call, Term term, const EvalEnvironment& at) {
  steps_ = 0;
  return is(definition_(call), term, at, 0);
}

bool Vanishing::may_element(NodeId node, int depth) {
  if (const Tensor* value = values_.of(node)) {
    return has_zero(*value);
  }
  if (node == kNoNode || depth == kMostCallsBehind || graph_.kind(node) != NodeKind::Call || !graph_.type(node).is_tensor()) {
    return false;
  }
  auto [known, is_new] = may_be_.try_emplace(node, false);
  if (!is_new) {
    return known->second;
  }
  DefinedCall call = definition_(node);
  const Statement* statement = call.kernel == nullptr ? nullptr : statement_for(*call.kernel, call.kernel->outputs[0].name);
  bool found = statement != nullptr && may(call, statement->value, depth + 1);
  return may_be_[node] = found;
}

bool Vanishing::may(const DefinedCall& call, Term term, int depth) {
  auto arg = [&](std::size_t k) { return may(call, term.arg(k), depth); };
  switch (term.kind()) {
    case TermKind::RealConst: return term->value == 0;
    case TermKind::RealMul: return arg(0) || arg(1);
    case TermKind::RealAdd: return arg(0) && arg(1);
    case TermKind::RealSub: return same_tensor(call, term.arg(0), term.arg(1)) || (arg(0) && arg(1));
    case TermKind::RealDiv:
    case TermKind::RealNeg: return arg(0);
    case TermKind::Reduce: return arg(0);
    case TermKind::Select: return arg(1) || arg(2);
    case TermKind::Call: return term.args().size() == 1 && keeps_zero(term->fn) && arg(0);
    case TermKind::Read: {
      const Statement* local = call.kernel == nullptr ? nullptr : statement_for(*call.kernel, term->symbol);
      return local != nullptr ? may(call, local->value, depth)
                              : call.kernel != nullptr && may_element(operand_of(call, term->symbol), depth);
    }
    default: return false;
  }
}

bool Vanishing::is(const DefinedCall& call, Term term, const EvalEnvironment& at, int depth) {
  if (++steps_ > kMostTermsSeen) {
    return false;
  }
  auto arg = [&](std::size_t k) { return is(call, term.arg(k), at, depth); };
  switch (term.kind()) {
    case TermKind::RealConst: return term->value == 0;
    case TermKind::RealMul: return arg(0) || arg(1);
    case TermKind::RealAdd: return arg(0) && arg(1);
    case TermKind::RealSub: return same_element(call, term.arg(0), term.arg(1)) || (arg(0) && arg(1));
    case TermKind::RealDiv:
    case TermKind::RealNeg: return arg(0);
    case TermKind::Reduce: return term->reduction == Reduction::Sum && is_sum(call, term, at, 0, depth);
    case TermKind::Call: return term.args().size() == 1 && keeps_zero(term->fn) && arg(0);
    case TermKind::Read: return is_read(call, term, at, depth);
    case TermKind::Select: {
      auto holds = eval_guard(term.arg(0), at);
      const bool* known = std::get_if<bool>(&holds);
      return known != nullptr ? arg(*known ? 1 : 2) : arg(1) && arg(2);
    }
    default: return false;
  }
}

bool Vanishing::is_read(const DefinedCall& call, Term read, const EvalEnvironment& at, int depth) {
  std::vector<std::int64_t> indices;
  for (Term index : read.args()) {
    auto value = eval_int(index, at);
    const Integer* known = std::get_if<Integer>(&value);
    if (known == nullptr || *known < 0 || *known > std::numeric_limits<std::int32_t>::max()) {
      return false;
    }
    indices.push_back(static_cast<std::int64_t>(*known));
  }
  if (const Statement* local = statement_for(*call.kernel, read->symbol)) {
    EvalEnvironment inner = at;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      inner.integers[local->indices[axis]] = indices[axis];
    }
    return is(call, local->value, inner, depth);
  }
  return is_element(operand_of(call, read->symbol), indices, depth);
}

bool Vanishing::is_element(NodeId node, std::span<const std::int64_t> at, int depth) {
  if (const Tensor* value = values_.of(node)) {
    std::int64_t position = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (at[axis] >= value->extents()[axis]) {
        return false;
      }
      position = position * value->extents()[axis] + at[axis];
    }
    return is_float(value->dtype()) ? value->double_at(position) == 0 : value->int_at(position) == 0;
  }
  if (!may_element(node, depth)) {
    return false;
  }
  DefinedCall call = definition_(node);
  const Statement* statement = statement_for(*call.kernel, call.kernel->outputs[0].name);
  return is(call, statement->value, indices_of(*statement, at), depth + 1);
}

bool Vanishing::is_sum(const DefinedCall& call, Term sum, EvalEnvironment at, std::size_t bound, int depth) {
  if (bound == sum->bound.size()) {
    auto holds = eval_guard(sum.arg(1), at);
    const bool* known = std::get_if<bool>(&holds);
    return (known != nullptr && !*known) || is(call, sum.arg(0), at, depth);
  }
  auto extent = eval_int(sum.arg(2 + bound), at);
  const Integer* known = std::get_if<Integer>(&extent);
  for (Integer i = 0; known != nullptr && i < *known; ++i) {
    at.integers[sum->bound[bound]] = i;
    if (!is_sum(call, sum, at, bound + 1, depth)) {
      return false;
    }
  }
  return known != nullptr;
}

}  // namespace vouch
