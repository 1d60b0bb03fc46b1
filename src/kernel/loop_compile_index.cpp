#include <fmt/format.h>

#include "kernel/loop_compiler.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch::loops {

Value LoopCompiler::constant(const Integer& value) {
  auto number = int64_of(value);
  if (!number) {
    refuse(fmt::format("the index constant {} does not fit 64 bits", value.str()));
  }
  return emit({.op = LoopOp::Set, .number = number.value_or(0)}, {}, true);
}

Value LoopCompiler::integer(Term t, const Mask& mask) {
  return remember(t, mask, [&] { return make_integer(t, mask); });
}

Value LoopCompiler::make_integer(Term t, const Mask& mask) {
  switch (t.kind()) {
    case TermKind::IntConst: return constant(Integer(numerator(t->value)));
    case TermKind::IntVar: {
      auto found = variables_.find(t->symbol);
      if (found == variables_.end()) {
        refuse(fmt::format("the size {} has no value", t->symbol.name()));
        return constant(0);
      }
      return found->second;
    }
    case TermKind::IntAdd: return sum(t, mask);
    case TermKind::IntMul: return product(t, mask);
    case TermKind::FloorDiv:
    case TermKind::FloorMod:
      return emit2(t.kind() == TermKind::FloorDiv ? LoopOp::FloorDivI : LoopOp::FloorModI, integer(t.arg(0), mask),
                   integer(t.arg(1), mask), true);
    case TermKind::IntMin:
    case TermKind::IntMax:
      return emit2(t.kind() == TermKind::IntMin ? LoopOp::MinI : LoopOp::MaxI, integer(t.arg(0), mask), integer(t.arg(1), mask),
                   true);
    case TermKind::IntSelect: {
      Value guard = condition(t.arg(0), mask);
      Value then = integer(t.arg(1), under(mask, t.arg(0), guard));
      Value otherwise = integer(t.arg(2), under(mask, negate(t.arg(0)), inverse(guard)));
      return choose(LoopOp::SelectI, guard, then, otherwise, true);
    }
    case TermKind::IntOf: {
      Value value = scalar(t.arg(0), mask);
      return value.integral ? value : emit({.op = LoopOp::OfReal, .a = value.reg}, value.place, true);
    }
    default: fault("an integer term is expected: " + print_term(t));
  }
}

Value LoopCompiler::sum(Term t, const Mask& mask) {
  std::vector<Value> summands;
  for (Term summand : t.args()) {
    summands.push_back(integer(summand, mask));
  }
  std::stable_sort(summands.begin(), summands.end(), [](const Value& a, const Value& b) {
    return std::pair(a.place.depth, !a.place.uniform) < std::pair(b.place.depth, !b.place.uniform);
  });
  Value total = summands[0];
  for (std::size_t i = 1; i < summands.size(); ++i) {
    total = emit2(LoopOp::AddI, total, summands[i], true);
  }
  return total;
}

Value LoopCompiler::product(Term t, const Mask& mask) {
  std::span<const Term> args = t.args();
  Value total = integer(args[1], mask);
  for (std::size_t i = 2; i < args.size(); ++i) {
    total = emit2(LoopOp::MulI, total, integer(args[i], mask), true);
  }
  if (auto factor = const_int(args[0])) {
    return emit({.op = LoopOp::ScaleI, .a = total.reg, .number = *factor}, total.place, true);
  }
  return emit2(LoopOp::MulI, integer(args[0], mask), total, true);
}

Mask LoopCompiler::under(const Mask& mask, Term guard, Value value) {
  Mask inner = mask;
  inner.guards.push_back(guard);
  if (guard.kind() == TermKind::And) {
    inner.guards.insert(inner.guards.end(), guard.args().begin(), guard.args().end());
  }
  inner.value = mask.present() ? emit2(LoopOp::And, mask.value, value, true) : value;
  return inner;
}

Value LoopCompiler::condition(Term t, const Mask& mask) {
  return remember(t, mask, [&] { return make_condition(t, mask); });
}

Value LoopCompiler::junction(Term t, const Mask& mask) {
  bool all = t.kind() == TermKind::And;
  Value total = condition(t.arg(0), mask);
  for (std::size_t k = 1; k < t.args().size(); ++k) {
    Mask inner = mask;
    if (!tensors_read(t.arg(k)).empty()) {
      std::span<const Term> before = t.args().first(k);
      inner = under(mask, all ? all_of(before) : negate(any_of(before)), all ? total : inverse(total));
    }
    total = emit2(all ? LoopOp::And : LoopOp::Or, total, condition(t.arg(k), inner), true);
  }
  return total;
}

Value LoopCompiler::make_condition(Term t, const Mask& mask) {
  switch (t.kind()) {
    case TermKind::BoolConst: return constant(t->value != 0 ? 1 : 0);
    case TermKind::IntLe:
    case TermKind::IntEq:
      return emit2(t.kind() == TermKind::IntLe ? LoopOp::LeI : LoopOp::EqI, integer(t.arg(0), mask), integer(t.arg(1), mask),
                   true);
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: return comparison(t, mask);
    case TermKind::And:
    case TermKind::Or: return junction(t, mask);
    case TermKind::Not: return inverse(condition(t.arg(0), mask));
    default: fault("a guard is expected: " + print_term(t));
  }
}

Value LoopCompiler::comparison(Term t, const Mask& mask) {
  Value a = scalar(t.arg(0), mask);
  Value b = scalar(t.arg(1), mask);
  if (!a.integral || !b.integral) {
    LoopOp op = t.kind() == TermKind::RealLt ? LoopOp::LtF : t.kind() == TermKind::RealLe ? LoopOp::LeF : LoopOp::EqF;
    return emit2(op, real(a), real(b), true);
  }
  if (t.kind() == TermKind::RealLt) {
    return inverse(emit2(LoopOp::LeI, b, a, true));
  }
  return emit2(t.kind() == TermKind::RealLe ? LoopOp::LeI : LoopOp::EqI, a, b, true);
}

std::optional<Interval> LoopCompiler::range(Term t) const {
  switch (t.kind()) {
    case TermKind::IntConst: return Interval{Integer(numerator(t->value)), Integer(numerator(t->value))};
    case TermKind::IntVar: {
      auto found = ranges_.find(t->symbol);
      return found == ranges_.end() ? std::nullopt : std::optional(found->second);
    }
    case TermKind::IntAdd: {
      Interval total{0, 0};
      for (Term arg : t.args()) {
        auto part = range(arg);
        if (!part) {
          return std::nullopt;
        }
        total = {total.low + part->low, total.high + part->high};
      }
      return total;
    }
    case TermKind::IntMul: {
      Interval total{1, 1};
      for (Term arg : t.args()) {
        auto part = range(arg);
        if (!part) {
          return std::nullopt;
        }
        Integer corners[] = {total.low * part->low, total.low * part->high, total.high * part->low, total.high * part->high};
        total = {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
      }
      return total;
    }
    case TermKind::FloorDiv: {
      auto a = range(t.arg(0));
      auto b = const_int(t.arg(1));
      return a && b.value_or(0) > 0 ? std::optional(Interval{floor_div(a->low, Integer(*b)), floor_div(a->high, Integer(*b))})
                                    : std::nullopt;
    }
    case TermKind::FloorMod: {
      auto b = const_int(t.arg(1));
      return b.value_or(0) > 0 ? std::optional(Interval{0, *b - 1}) : std::nullopt;
    }
    case TermKind::IntMin:
    case TermKind::IntMax: {
      auto a = range(t.arg(0));
      auto b = range(t.arg(1));
      if (!a || !b) {
        return std::nullopt;
      }
      bool least = t.kind() == TermKind::IntMin;
      return Interval{least ? std::min(a->low, b->low) : std::max(a->low, b->low),
                      least ? std::min(a->high, b->high) : std::max(a->high, b->high)};
    }
    default: return std::nullopt;
  }
}

bool LoopCompiler::proven_in_range(Term index, std::int64_t extent, const Mask& mask) const {
  auto bounds = range(index);
  bool low = bounds && bounds->low >= 0;
  bool high = bounds && bounds->high < extent;
  auto given = [&](Term guard) {
    return is_true(guard) || std::find(mask.guards.begin(), mask.guards.end(), guard) != mask.guards.end();
  };
  return (low || given(le(0, index))) && (high || given(lt(index, extent)));
}

}  // namespace vouch::loops
