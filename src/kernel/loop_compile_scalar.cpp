#include <fmt/format.h>

#include "kernel/loop_compiler.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch::loops {

bool LoopCompiler::run(const Statement& statement, std::string& error) {
  for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
    Value index = fresh({1, false}, true);
    variables_[statement.indices[axis]] = index;
    ranges_[statement.indices[axis]] = {0, program_.extents[axis] - 1};
    program_.outer.push_back(index.reg);
  }
  indices_ = statement.indices;
  Value result = scalar(statement.value, {});
  program_.result = result.reg;
  program_.integral = result.integral;
  for (std::size_t axis = 0; axis < program_.outer.size(); ++axis) {
    if (is_read(program_.outer[axis])) {
      program_.read_axes.push_back(axis);
    }
  }
  program_.needs_whole_numbers |= is_large(result.reg) && (is_float(program_.dtype) || program_.dtype == DType::Bool);
  error = error_;
  return error_.empty();
}

bool LoopCompiler::is_read(Register reg) const {
  auto reads = [&](const LoopBlock& block) {
    return std::any_of(block.code.begin(), block.code.end(),
                       [&](const LoopInstr& instr) { return instr.a == reg || instr.b == reg || instr.c == reg; });
  };
  auto loops = [&](const ReduceLoop& loop) {
    return loop.body == reg || loop.mask == reg || loop.product.address[0] == reg || loop.product.address[1] == reg ||
           std::any_of(loop.levels.begin(), loop.levels.end(), reads);
  };
  return program_.result == reg || reads(program_.once) || reads(program_.block) ||
         std::any_of(program_.reductions.begin(), program_.reductions.end(), loops);
}

bool LoopCompiler::is_own_position(Term t, const TensorShape& shape) const {
  auto same = [](Term index, Symbol name) { return index.kind() == TermKind::IntVar && index->symbol == name; };
  return shape.extents == program_.extents &&
         std::equal(t.args().begin(), t.args().end(), indices_.begin(), indices_.end(), same);
}

Value LoopCompiler::own_position() {
  if (program_.position == kNoRegister) {
    program_.position = fresh({1, false}, true).reg;
  }
  return {program_.position, {1, false}, true};
}

Value LoopCompiler::emit(LoopInstr instr, Place place, bool integral) {
  Value out = fresh(place, integral);
  instr.out = out.reg;
  instr.uniform = place.uniform;
  note_large(instr);
  blocks_[place.depth]->code.push_back(instr);
  return out;
}

void LoopCompiler::note_large(const LoopInstr& instr) {
  switch (instr.op) {
    case LoopOp::ReadI: break;  // by whoever knows the tensor
    case LoopOp::Reduce: break;
    case LoopOp::SelectI: large_[instr.out] = is_large(instr.b) || is_large(instr.c); break;
    case LoopOp::AddI:
    case LoopOp::MulI:
    case LoopOp::ScaleI:
    case LoopOp::NegI: large_[instr.out] = is_large(instr.a) || is_large(instr.b); break;
    default: program_.needs_whole_numbers |= is_large(instr.a) || is_large(instr.b) || is_large(instr.c);
  }
}

Value LoopCompiler::real(Value value) {
  return value.integral ? emit({.op = LoopOp::OfInt, .a = value.reg}, value.place, false) : value;
}

Value LoopCompiler::choose(LoopOp op, Value guard, Value then, Value otherwise, bool integral) {
  return emit({.op = op, .a = guard.reg, .b = then.reg, .c = otherwise.reg}, join(guard.place, join(then.place, otherwise.place)),
              integral);
}

Value LoopCompiler::scalar(Term t, const Mask& mask) {
  return remember(t, mask, [&] { return make_scalar(t, mask); });
}

Value LoopCompiler::make_scalar(Term t, const Mask& mask) {
  switch (t.kind()) {
    case TermKind::RealConst:
      if (is_integral(t->value) && int64_of(Integer(numerator(t->value)))) {
        return constant(Integer(numerator(t->value)));
      }
      return emit({.op = LoopOp::SetF, .real = double_of(t->value)}, {}, false);
    case TermKind::RealOf: return integer(t.arg(0), mask);
    case TermKind::RealVar: refuse(fmt::format("the attribute {} has no value", t->symbol.name())); return constant(0);
    case TermKind::Read: return read_element(t, mask);
    case TermKind::RealAdd: return arithmetic(t, LoopOp::AddI, LoopOp::AddF, mask);
    case TermKind::RealMul: return arithmetic(t, LoopOp::MulI, LoopOp::MulF, mask);
    case TermKind::RealSub: {
      Value a = scalar(t.arg(0), mask);
      Value b = scalar(t.arg(1), mask);
      if (a.integral && b.integral) {
        return emit2(LoopOp::AddI, a, emit({.op = LoopOp::NegI, .a = b.reg}, b.place, true), true);
      }
      return emit2(LoopOp::SubF, real(a), real(b), false);
    }
    case TermKind::RealDiv: return emit2(LoopOp::DivF, real(scalar(t.arg(0), mask)), real(scalar(t.arg(1), mask)), false);
    case TermKind::RealNeg: {
      Value a = scalar(t.arg(0), mask);
      return emit({.op = a.integral ? LoopOp::NegI : LoopOp::NegF, .a = a.reg}, a.place, a.integral);
    }
    case TermKind::Call: return function(t, mask);
    case TermKind::Select: {
      Value guard = condition(t.arg(0), mask);
      Value then = scalar(t.arg(1), under(mask, t.arg(0), guard));
      Value otherwise = scalar(t.arg(2), under(mask, negate(t.arg(0)), inverse(guard)));
      bool integral = then.integral && otherwise.integral;
      return choose(integral ? LoopOp::SelectI : LoopOp::SelectF, guard, integral ? then : real(then),
                    integral ? otherwise : real(otherwise), integral);
    }
    case TermKind::Reduce: return reduction(t, mask);
    default: fault("a scalar term is expected: " + print_term(t));
  }
}

Value LoopCompiler::arithmetic(Term t, LoopOp integral, LoopOp floating, const Mask& mask) {
  Value a = scalar(t.arg(0), mask);
  Value b = scalar(t.arg(1), mask);
  return a.integral && b.integral ? emit2(integral, a, b, true) : emit2(floating, real(a), real(b), false);
}

Value LoopCompiler::function(Term t, const Mask& mask) {
  Value a = scalar(t.arg(0), mask);
  Value b = t.args().size() > 1 ? scalar(t.arg(1), mask) : a;
  if (a.integral && b.integral) {
    switch (t->fn) {
      case Fn::Min: return emit2(LoopOp::MinI, a, b, true);
      case Fn::Max: return emit2(LoopOp::MaxI, a, b, true);
      case Fn::Abs: return emit({.op = LoopOp::AbsI, .a = a.reg}, a.place, true);
      case Fn::Sign: return emit({.op = LoopOp::SignI, .a = a.reg}, a.place, true);
      case Fn::Floor:
      case Fn::Ceil:
      case Fn::Round:
      case Fn::Trunc: return a;
      case Fn::TruncDiv:
      case Fn::Fmod:
      case Fn::Mod: {
        LoopOp op = t->fn == Fn::TruncDiv ? LoopOp::TruncDivI : t->fn == Fn::Fmod ? LoopOp::TruncModI : LoopOp::FloorModI;
        return emit({.op = op, .a = a.reg, .b = b.reg, .c = mask.value.reg},
                    mask.present() ? join(mask.value.place, join(a.place, b.place)) : join(a.place, b.place), true);
      }
      default: break;
    }
  }
  Value x = real(a);
  Value y = t.args().size() > 1 ? real(b) : x;
  return emit({.op = LoopOp::CallF, .fn = t->fn, .a = x.reg, .b = y.reg}, join(x.place, y.place), false);
}

Value LoopCompiler::read_element(Term t, const Mask& mask) {
  auto found = tensors_.find(t->symbol);
  if (found == tensors_.end()) {
    refuse(fmt::format("the tensor {} is not known", t->symbol.name()));
    return constant(0);
  }
  const TensorShape& shape = found->second;
  bool own = is_own_position(t, shape);
  std::vector<Term> address;
  std::int64_t stride = 1;
  for (std::size_t axis = own ? 0 : shape.extents.size(); axis-- > 0;) {
    Term index = t.arg(axis);
    if (!proven_in_range(index, shape.extents[axis], mask)) {
      Value checked = integer(index, mask);
      Place place = mask.present() ? join(checked.place, mask.value.place) : checked.place;
      emit({.op = LoopOp::CheckIndex, .a = checked.reg, .b = mask.value.reg, .number = shape.extents[axis]}, place, true);
    }
    address.push_back(index * Term(stride));
    stride *= shape.extents[axis];
  }
  Value flat = own ? own_position() : integer(sum_of(address), mask);
  bool integral = !is_float(shape.dtype);
  Place place = mask.present() ? join(flat.place, mask.value.place) : flat.place;
  // Nothing is read before the block that it belongs to: a reduction that runs no time reads nothing.
  place.depth = std::max(place.depth, blocks_.size() - 1 > 1 ? place.depth : std::size_t{1});
  Value element = emit(
      {.op = integral ? LoopOp::ReadI : LoopOp::ReadF, .a = flat.reg, .b = mask.value.reg, .number = tensor_number(t->symbol)},
      place, integral);
  large_[element.reg] = shape.dtype == DType::UInt64;
  return element;
}

}  // namespace vouch::loops

namespace vouch {

std::optional<LoopProgram> compile_statement(const Statement& statement, DType dtype, const std::vector<std::int64_t>& extents,
                                             const std::unordered_map<Symbol, TensorShape>& tensors, std::string& error) {
  LoopProgram program;
  program.extents = extents;
  program.dtype = dtype;
  if (!loops::LoopCompiler(tensors, program).run(statement, error)) {
    return std::nullopt;
  }
  return program;
}

}  // namespace vouch
