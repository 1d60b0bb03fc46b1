#include "refute/guard_code.h"

#include <algorithm>

#include "support/fault.h"
#include "support/number.h"

namespace vouch {
namespace {

Known truth(bool value) { return {true, value ? 1 : 0}; }

}  // namespace

GuardCode::GuardCode(Term guard, const Positions& positions) : positions_(&positions) {
  root_ = compile(guard);
  positions_ = nullptr;
  at_.clear();
}

Known GuardCode::truth_at(const std::vector<Known>& values) {
  run(values);
  return values_[root_];
}

Known GuardCode::difference_at(const std::vector<Known>& values) {
  run(values);
  const Known& a = values_[steps_[root_].args[0]];
  const Known& b = values_[steps_[root_].args[1]];
  Known out;
  out.known = a.known && b.known && !__builtin_sub_overflow(a.value, b.value, &out.value);
  return out;
}

std::size_t GuardCode::compile(Term t) {
  if (auto found = at_.find(t); found != at_.end()) {
    return found->second;
  }
  Step step{t.kind(), {}, {}, 0};
  switch (t.kind()) {
    case TermKind::IntConst:
    case TermKind::BoolConst:
      if (auto value = int64_of(Integer(numerator(t->value)))) {
        step.constant = known(*value);
      } else {
        supported_ = false;
      }
      break;
    case TermKind::IntVar:
      if (auto known = positions_->find(t->symbol); known != positions_->end()) {
        step.position = known->second;
        variables_.push_back(step.position);
      } else {
        supported_ = false;
      }
      break;
    case TermKind::IntAdd:
    case TermKind::IntMul:
    case TermKind::FloorDiv:
    case TermKind::FloorMod:
    case TermKind::IntMin:
    case TermKind::IntMax:
    case TermKind::IntSelect:
    case TermKind::IntLe:
    case TermKind::IntEq:
    case TermKind::And:
    case TermKind::Or:
    case TermKind::Not:
      note_bends(t);
      for (Term arg : t.args()) {
        step.args.push_back(compile(arg));
      }
      break;
    default:  // scalars: left to exact evaluation once all symbols have values
      supported_ = false;
      break;
  }
  steps_.push_back(std::move(step));
  values_.emplace_back();
  at_.emplace(t, steps_.size() - 1);
  return steps_.size() - 1;
}

void GuardCode::note_bends(Term t) {
  bool divides = t.kind() == TermKind::FloorDiv || t.kind() == TermKind::FloorMod;
  if (!divides && t.kind() != TermKind::IntMin && t.kind() != TermKind::IntMax && t.kind() != TermKind::IntSelect) {
    return;
  }
  for (Symbol variable : free_variables(t)) {
    if (auto known = positions_->find(variable); known != positions_->end()) {
      bent_.insert(known->second);
    }
  }
  if (auto divisor = divides ? const_int(t.arg(1)) : std::nullopt; divisor && *divisor > 1) {
    divisors_.push_back(*divisor);
  }
}

void GuardCode::run(const std::vector<Known>& values) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    values_[i] = step.kind == TermKind::IntVar ? values[step.position] : compute(step);
  }
}

Known GuardCode::compute(const Step& step) const {
  auto arg = [&](std::size_t k) -> const Known& { return values_[step.args[k]]; };
  switch (step.kind) {
    case TermKind::IntConst:
    case TermKind::BoolConst: return step.constant;
    case TermKind::IntAdd:
    case TermKind::IntMul: return folded(step);
    case TermKind::And:
    case TermKind::Or: return junction(step);
    case TermKind::Not: return arg(0).known ? truth(arg(0).value == 0) : Known{};
    case TermKind::IntSelect: return arg(0).known ? arg(arg(0).value != 0 ? 1 : 2) : Known{};
    default: break;
  }
  if (!arg(0).known || !arg(1).known) {
    return {};
  }
  std::int64_t a = arg(0).value;
  std::int64_t b = arg(1).value;
  switch (step.kind) {
    case TermKind::FloorDiv: return b == 0 ? Known{} : known(floor_div(a, b));
    case TermKind::FloorMod: return b == 0 ? Known{} : known(floor_mod(a, b));
    case TermKind::IntMin: return known(std::min(a, b));
    case TermKind::IntMax: return known(std::max(a, b));
    case TermKind::IntLe: return truth(a <= b);
    case TermKind::IntEq: return truth(a == b);
    default: fault("a step of a guard has a value");
  }
}

Known GuardCode::folded(const Step& step) const {
  bool adds = step.kind == TermKind::IntAdd;
  Known total = known(adds ? 0 : 1);
  for (std::size_t at : step.args) {
    const Known& next = values_[at];
    bool fits = next.known && !(adds ? __builtin_add_overflow(total.value, next.value, &total.value)
                                     : __builtin_mul_overflow(total.value, next.value, &total.value));
    if (!fits) {
      return {};
    }
  }
  return total;
}

Known GuardCode::junction(const Step& step) const {
  std::int64_t decisive = step.kind == TermKind::Or ? 1 : 0;
  bool open = false;
  for (std::size_t at : step.args) {
    if (values_[at].known && values_[at].value == decisive) {
      return known(decisive);
    }
    open |= !values_[at].known;
  }
  return open ? Known{} : known(1 - decisive);
}

}  // namespace vouch
