#include <fmt/format.h>

#include "kernel/loop_compiler.h"
#include "kernel/reduction_order.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch::loops {

Value LoopCompiler::reduction(Term t, const Mask& mask) {
  // Values are remembered by term: an index name must mean one index only.
  auto taken = [this](Symbol name) { return variables_.contains(name); };
  if (std::any_of(t->bound.begin(), t->bound.end(), taken)) {
    t = freshen_bound(t, taken);
  }
  std::vector<std::int64_t> extents;
  bool empty = false;
  for (std::size_t k = 0; k < t->bound.size(); ++k) {
    auto extent = const_int(t.arg(k + 2));
    if (!extent) {
      refuse(fmt::format("the extent {} is no number", print_term(t.arg(k + 2))));
      return constant(0);
    }
    empty |= *extent <= 0;
    extents.push_back(*extent);
  }
  if (empty) {
    return empty_reduction(t->reduction);
  }
  return compile_reduction(t, mask, reduction_order(t), extents);
}

Value LoopCompiler::empty_reduction(Reduction reduction) {
  switch (reduction) {
    case Reduction::Sum: return constant(0);
    case Reduction::Product: return constant(1);
    case Reduction::Max: return emit({.op = LoopOp::SetF, .real = -std::numeric_limits<double>::infinity()}, {}, false);
    case Reduction::Min: return emit({.op = LoopOp::SetF, .real = std::numeric_limits<double>::infinity()}, {}, false);
  }
  return constant(0);
}

Value LoopCompiler::compile_reduction(Term t, const Mask& mask, const std::vector<std::size_t>& order,
                                      const std::vector<std::int64_t>& extents) {
  ReduceLoop loop;
  loop.reduction = t->reduction;
  loop.levels.resize(order.size());
  std::size_t outer_depth = blocks_.size();
  auto outer_variables = variables_;
  auto outer_ranges = ranges_;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Symbol name = t->bound[order[k]];
    Value index = fresh({outer_depth + k, true}, true);
    loop.index.push_back(index.reg);
    loop.extents.push_back(extents[order[k]]);
    variables_[name] = index;
    ranges_[name] = {0, extents[order[k]] - 1};
    blocks_.push_back(&loop.levels[k]);
    scopes_.emplace_back();
  }
  Mask inner = mask;
  Value guard;
  if (!is_true(t.arg(1))) {
    guard = condition(t.arg(1), mask);
    inner = under(mask, t.arg(1), guard);
    loop.mask = guard.reg;
  }
  Value body = scalar(t.arg(0), inner);
  loop.integral = body.integral;
  loop.body = body.reg;
  find_product(loop);
  blocks_.resize(outer_depth);
  scopes_.resize(outer_depth);
  // The reduction stands where everything that it depends on is known, the mask included.
  Place place = outside(t, outer_variables, mask);
  variables_ = std::move(outer_variables);
  ranges_ = std::move(outer_ranges);
  if (body.place.depth < outer_depth) {
    place = join(place, body.place);
  }
  place.uniform = place.uniform && body.place.uniform && (guard.reg == kNoRegister || guard.place.uniform);
  program_.reductions.push_back(std::move(loop));
  Value total =
      emit({.op = LoopOp::Reduce, .number = static_cast<std::int64_t>(program_.reductions.size() - 1)}, place, body.integral);
  large_[total.reg] = is_large(body.reg);
  program_.needs_whole_numbers |= is_large(body.reg) && (t->reduction == Reduction::Max || t->reduction == Reduction::Min);
  return total;
}

Place LoopCompiler::outside(Term t, const std::unordered_map<Symbol, Value>& variables, const Mask& mask) const {
  Place place{blocks_.size() - 1, true};
  if (blocks_.size() == 2) {
    place.depth = 1;
  }
  for (Symbol name : free_variables(t)) {
    if (auto found = variables.find(name); found != variables.end()) {
      place = join(place, found->second.place);
    }
  }
  return mask.present() ? join(place, mask.value.place) : place;
}

void LoopCompiler::find_product(ReduceLoop& loop) {
  if (loop.reduction != Reduction::Sum || loop.integral || loop.mask != kNoRegister) {
    return;
  }
  std::vector<LoopInstr>& code = loop.levels.back().code;
  std::unordered_map<Register, const LoopInstr*> made;
  for (const LoopInstr& instr : code) {
    made.emplace(instr.out, &instr);
  }
  auto at = [&](Register reg, LoopOp op) -> const LoopInstr* {
    auto found = made.find(reg);
    return found != made.end() && found->second->op == op ? found->second : nullptr;
  };
  const LoopInstr* times = at(loop.body, LoopOp::MulF);
  if (times == nullptr) {
    return;
  }
  ReduceLoop::Product product;
  Register sides[2] = {times->a, times->b};
  std::size_t accounted = 1;
  for (int side = 0; side < 2; ++side) {
    const LoopInstr* select = at(sides[side], LoopOp::SelectF);
    Register element = select ? select->b : sides[side];
    const LoopInstr* load = at(element, LoopOp::ReadF);
    if (load == nullptr) {
      return;
    }
    // A select must be by the read's own mask, to zero, and only one side may have one.
    if (select != nullptr) {
      if (select->a != load->b || !is_zero(select->c) || product.mask != kNoRegister) {
        return;
      }
      product.mask = load->b;
      product.unmasked = 1 - side;
      ++accounted;
    } else if (load->b != kNoRegister) {
      return;
    }
    ++accounted;
    if (!stepping(load->a, loop, made, product, side, accounted)) {
      return;
    }
    product.tensor[side] = static_cast<std::uint32_t>(load->number);
  }
  product.applies = accounted == made.size() && !made.contains(product.mask);
  if (product.applies) {
    loop.product = product;
  }
}

bool LoopCompiler::stepping(Register address, const ReduceLoop& loop, const std::unordered_map<Register, const LoopInstr*>& made,
                            ReduceLoop::Product& product, int side, std::size_t& accounted) {
  auto found = made.find(address);
  if (address == loop.index.back()) {
    return false;  // a vector: there is no register to start from
  }
  if (found == made.end()) {
    product.address[side] = address;
    product.step[side] = 0;
    return true;
  }
  const LoopInstr* add = found->second;
  if (add->op != LoopOp::AddI) {
    return false;
  }
  Register moving = made.contains(add->b) || add->b == loop.index.back() ? add->b : add->a;
  Register resting = moving == add->b ? add->a : add->b;
  if (made.contains(resting) || resting == loop.index.back()) {
    return false;
  }
  ++accounted;
  product.address[side] = resting;
  if (moving == loop.index.back()) {
    product.step[side] = 1;
    return true;
  }
  auto scale = made.find(moving);
  if (scale == made.end() || scale->second->op != LoopOp::ScaleI || scale->second->a != loop.index.back()) {
    return false;
  }
  ++accounted;
  product.step[side] = scale->second->number;
  return true;
}

bool LoopCompiler::is_zero(Register reg) const {
  for (const LoopInstr& instr : program_.once.code) {
    if (instr.out == reg) {
      if (instr.op == LoopOp::OfInt) {
        return is_zero(instr.a);
      }
      return instr.op == LoopOp::Set && instr.number == 0;
    }
  }
  return false;
}

}  // namespace vouch::loops
