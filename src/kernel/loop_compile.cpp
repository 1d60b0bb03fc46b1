#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "kernel/loop_program.h"
#include "support/fault.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {
namespace {

// Where an instruction stands: 0 once, 1 per block, 2 and on the indices of the reductions around it.
struct Place {
  std::size_t depth = 0;
  bool uniform = true;
};

struct Value {
  Register reg = kNoRegister;
  Place place;
  bool integral = false;  // int64 (or mask); else double
};

struct Interval {
  Integer low;
  Integer high;
};

class Compiler {
 public:
  Compiler(const std::unordered_map<Symbol, TensorShape>& tensors, LoopProgram& program)
      : tensors_(tensors), program_(program) {
    blocks_ = {&program_.once, &program_.block};
    scopes_.emplace_back();
    scopes_.emplace_back();
  }

  bool run(const Statement& statement, std::string& error) {
    for (std::size_t axis = 0; axis < statement.indices.size(); ++axis) {
      Value index = fresh({1, false}, true);
      variables_[statement.indices[axis]] = index;
      ranges_[statement.indices[axis]] = {0, program_.extents[axis] - 1};
      program_.outer.push_back(index.reg);
    }
    Value result = scalar(statement.value, {});
    program_.result = result.reg;
    program_.integral = result.integral;
    error = error_;
    return error_.empty();
  }

 private:
  // The conditions under which a subterm is evaluated: conjuncts, and the register of their conjunction.
  struct Mask {
    std::vector<Term> guards;
    Value value;
    bool present() const { return value.reg != kNoRegister; }
  };

  Value fresh(Place place, bool integral) {
    auto reg = static_cast<Register>(program_.uniform.size());
    program_.uniform.push_back(place.uniform);
    return {reg, place, integral};
  }

  static Place join(Place a, Place b) { return {std::max(a.depth, b.depth), a.uniform && b.uniform}; }

  Value emit(LoopInstr instr, Place place, bool integral) {
    Value out = fresh(place, integral);
    instr.out = out.reg;
    instr.uniform = place.uniform;
    blocks_[place.depth]->code.push_back(instr);
    return out;
  }

  Value emit2(LoopOp op, Value a, Value b, bool integral) {
    return emit({.op = op, .a = a.reg, .b = b.reg}, join(a.place, b.place), integral);
  }

  Value constant(const Integer& value) {
    auto number = int64_of(value);
    if (!number) {
      refuse(fmt::format("the index constant {} does not fit 64 bits", value.str()));
    }
    return emit({.op = LoopOp::Set, .number = number.value_or(0)}, {}, true);
  }

  void refuse(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
  }

  // What was compiled in an enclosing scope stays valid inside; reads also depend on the mask.
  struct Key {
    Term term;
    Register mask;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return std::hash<Term>()(key.term) * 31 + key.mask; }
  };

  template <class Make>
  Value remember(Term term, const Mask& mask, Make make) {
    // Without reads nothing depends on the mask.
    Key key{term, tensors_read(term).empty() ? kNoRegister : mask.value.reg};
    for (const auto& scope : scopes_) {
      if (auto found = scope.find(key); found != scope.end()) {
        return found->second;
      }
    }
    Value value = make();
    std::size_t depth = key.mask == kNoRegister ? value.place.depth : std::max(value.place.depth, mask.value.place.depth);
    scopes_[std::min(depth, scopes_.size() - 1)].emplace(key, value);
    return value;
  }

  // --- integer terms

  Value integer(Term t, const Mask& mask) {
    return remember(t, mask, [&] { return make_integer(t, mask); });
  }

  Value make_integer(Term t, const Mask& mask) {
    switch (t.kind()) {
      case TermKind::IntConst:
        return constant(Integer(numerator(t->value)));
      case TermKind::IntVar: {
        auto found = variables_.find(t->symbol);
        if (found == variables_.end()) {
          refuse(fmt::format("the size {} has no value", t->symbol.name()));
          return constant(0);
        }
        return found->second;
      }
      case TermKind::IntAdd:
        return sum(t, mask);
      case TermKind::IntMul:
        return product(t, mask);
      case TermKind::FloorDiv:
      case TermKind::FloorMod:
        return emit2(t.kind() == TermKind::FloorDiv ? LoopOp::FloorDivI : LoopOp::FloorModI, integer(t.arg(0), mask),
                     integer(t.arg(1), mask), true);
      case TermKind::IntMin:
      case TermKind::IntMax:
        return emit2(t.kind() == TermKind::IntMin ? LoopOp::MinI : LoopOp::MaxI, integer(t.arg(0), mask),
                     integer(t.arg(1), mask), true);
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
      default:
        fault("an integer term is expected: " + print_term(t));
    }
  }

  // Partial sums from the outermost place inwards, so that an inner loop adds only what changes there.
  Value sum(Term t, const Mask& mask) {
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

  Value product(Term t, const Mask& mask) {
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

  // --- guards

  Value inverse(Value guard) { return emit({.op = LoopOp::Not, .a = guard.reg}, guard.place, true); }

  Mask under(const Mask& mask, Term guard, Value value) {
    Mask inner = mask;
    inner.guards.push_back(guard);
    if (guard.kind() == TermKind::And) {
      inner.guards.insert(inner.guards.end(), guard.args().begin(), guard.args().end());
    }
    inner.value = mask.present() ? emit2(LoopOp::And, mask.value, value, true) : value;
    return inner;
  }

  Value condition(Term t, const Mask& mask) {
    return remember(t, mask, [&] { return make_condition(t, mask); });
  }

  // From left to right: what is read by a later part is read where the parts before have not decided.
  Value junction(Term t, const Mask& mask) {
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

  Value make_condition(Term t, const Mask& mask) {
    switch (t.kind()) {
      case TermKind::BoolConst:
        return constant(t->value != 0 ? 1 : 0);
      case TermKind::IntLe:
      case TermKind::IntEq:
        return emit2(t.kind() == TermKind::IntLe ? LoopOp::LeI : LoopOp::EqI, integer(t.arg(0), mask),
                     integer(t.arg(1), mask), true);
      case TermKind::RealLt:
      case TermKind::RealLe:
      case TermKind::RealEq:
        return comparison(t, mask);
      case TermKind::And:
      case TermKind::Or:
        return junction(t, mask);
      case TermKind::Not:
        return inverse(condition(t.arg(0), mask));
      default:
        fault("a guard is expected: " + print_term(t));
    }
  }

  // Integers are compared as integers.
  Value comparison(Term t, const Mask& mask) {
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

  // --- scalar terms

  Value real(Value value) {
    return value.integral ? emit({.op = LoopOp::OfInt, .a = value.reg}, value.place, false) : value;
  }

  Value choose(LoopOp op, Value guard, Value then, Value otherwise, bool integral) {
    return emit({.op = op, .a = guard.reg, .b = then.reg, .c = otherwise.reg},
                join(guard.place, join(then.place, otherwise.place)), integral);
  }

  Value scalar(Term t, const Mask& mask) {
    return remember(t, mask, [&] { return make_scalar(t, mask); });
  }

  Value make_scalar(Term t, const Mask& mask) {
    switch (t.kind()) {
      case TermKind::RealConst:
        if (is_integral(t->value) && int64_of(Integer(numerator(t->value)))) {
          return constant(Integer(numerator(t->value)));
        }
        return emit({.op = LoopOp::SetF, .real = double_of(t->value)}, {}, false);
      case TermKind::RealOf:
        return integer(t.arg(0), mask);
      case TermKind::RealVar:
        refuse(fmt::format("the attribute {} has no value", t->symbol.name()));
        return constant(0);
      case TermKind::Read:
        return read_element(t, mask);
      case TermKind::RealAdd:
        return arithmetic(t, LoopOp::AddI, LoopOp::AddF, mask);
      case TermKind::RealMul:
        return arithmetic(t, LoopOp::MulI, LoopOp::MulF, mask);
      case TermKind::RealSub: {
        Value a = scalar(t.arg(0), mask);
        Value b = scalar(t.arg(1), mask);
        if (a.integral && b.integral) {
          return emit2(LoopOp::AddI, a, emit({.op = LoopOp::NegI, .a = b.reg}, b.place, true), true);
        }
        return emit2(LoopOp::SubF, real(a), real(b), false);
      }
      case TermKind::RealDiv:
        return emit2(LoopOp::DivF, real(scalar(t.arg(0), mask)), real(scalar(t.arg(1), mask)), false);
      case TermKind::RealNeg: {
        Value a = scalar(t.arg(0), mask);
        return emit({.op = a.integral ? LoopOp::NegI : LoopOp::NegF, .a = a.reg}, a.place, a.integral);
      }
      case TermKind::Call:
        return function(t, mask);
      case TermKind::Select: {
        Value guard = condition(t.arg(0), mask);
        Value then = scalar(t.arg(1), under(mask, t.arg(0), guard));
        Value otherwise = scalar(t.arg(2), under(mask, negate(t.arg(0)), inverse(guard)));
        bool integral = then.integral && otherwise.integral;
        return choose(integral ? LoopOp::SelectI : LoopOp::SelectF, guard, integral ? then : real(then),
                      integral ? otherwise : real(otherwise), integral);
      }
      case TermKind::Reduce:
        return reduction(t, mask);
      default:
        fault("a scalar term is expected: " + print_term(t));
    }
  }

  Value arithmetic(Term t, LoopOp integral, LoopOp floating, const Mask& mask) {
    Value a = scalar(t.arg(0), mask);
    Value b = scalar(t.arg(1), mask);
    return a.integral && b.integral ? emit2(integral, a, b, true) : emit2(floating, real(a), real(b), false);
  }

  Value function(Term t, const Mask& mask) {
    Value a = scalar(t.arg(0), mask);
    Value b = t.args().size() > 1 ? scalar(t.arg(1), mask) : a;
    if (a.integral && b.integral) {
      switch (t->fn) {
        case Fn::Min:
          return emit2(LoopOp::MinI, a, b, true);
        case Fn::Max:
          return emit2(LoopOp::MaxI, a, b, true);
        case Fn::Abs:
          return emit({.op = LoopOp::AbsI, .a = a.reg}, a.place, true);
        case Fn::Sign:
          return emit({.op = LoopOp::SignI, .a = a.reg}, a.place, true);
        case Fn::Floor:
        case Fn::Ceil:
        case Fn::Round:
        case Fn::Trunc:
          return a;
        case Fn::TruncDiv:
        case Fn::Fmod:
        case Fn::Mod: {
          LoopOp op = t->fn == Fn::TruncDiv ? LoopOp::TruncDivI : t->fn == Fn::Fmod ? LoopOp::TruncModI : LoopOp::FloorModI;
          return emit({.op = op, .a = a.reg, .b = b.reg, .c = mask.value.reg},
                      mask.present() ? join(mask.value.place, join(a.place, b.place)) : join(a.place, b.place), true);
        }
        default:
          break;
      }
    }
    Value x = real(a);
    Value y = t.args().size() > 1 ? real(b) : x;
    return emit({.op = LoopOp::CallF, .fn = t->fn, .a = x.reg, .b = y.reg}, join(x.place, y.place), false);
  }

  // --- reads

  std::optional<Interval> range(Term t) const {
    switch (t.kind()) {
      case TermKind::IntConst:
        return Interval{Integer(numerator(t->value)), Integer(numerator(t->value))};
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
          Integer corners[] = {total.low * part->low, total.low * part->high, total.high * part->low,
                               total.high * part->high};
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
      default:
        return std::nullopt;
    }
  }

  // In range for sure: by intervals, or because a guard in force says so.
  bool proven_in_range(Term index, std::int64_t extent, const Mask& mask) const {
    auto bounds = range(index);
    bool low = bounds && bounds->low >= 0;
    bool high = bounds && bounds->high < extent;
    auto given = [&](Term guard) {
      return is_true(guard) || std::find(mask.guards.begin(), mask.guards.end(), guard) != mask.guards.end();
    };
    return (low || given(le(0, index))) && (high || given(lt(index, extent)));
  }

  Value read_element(Term t, const Mask& mask) {
    auto found = tensors_.find(t->symbol);
    if (found == tensors_.end()) {
      refuse(fmt::format("the tensor {} is not known", t->symbol.name()));
      return constant(0);
    }
    const TensorShape& shape = found->second;
    std::vector<Term> address;
    std::int64_t stride = 1;
    for (std::size_t axis = shape.extents.size(); axis-- > 0;) {
      Term index = t.arg(axis);
      if (!proven_in_range(index, shape.extents[axis], mask)) {
        Value checked = integer(index, mask);
        Place place = mask.present() ? join(checked.place, mask.value.place) : checked.place;
        emit({.op = LoopOp::CheckIndex, .a = checked.reg, .b = mask.value.reg, .number = shape.extents[axis]}, place, true);
      }
      address.push_back(index * Term(stride));
      stride *= shape.extents[axis];
    }
    Value flat = integer(sum_of(address), mask);
    bool integral = !is_float(shape.dtype);
    Place place = mask.present() ? join(flat.place, mask.value.place) : flat.place;
    // Nothing is read before the block that it belongs to: a reduction that runs no time reads nothing.
    place.depth = std::max(place.depth, blocks_.size() - 1 > 1 ? place.depth : std::size_t{1});
    return emit({.op = integral ? LoopOp::ReadI : LoopOp::ReadF, .a = flat.reg, .b = mask.value.reg,
                 .number = tensor_number(t->symbol)},
                place, integral);
  }

  std::int64_t tensor_number(Symbol name) {
    auto at = std::find(program_.tensors.begin(), program_.tensors.end(), name);
    if (at == program_.tensors.end()) {
      program_.tensors.push_back(name);
      return static_cast<std::int64_t>(program_.tensors.size() - 1);
    }
    return at - program_.tensors.begin();
  }

  // --- reductions

  // Indices that guards or divisions mention first (outermost), then the others, each group as written.
  static void collect_condition_variables(Term t, bool inside, std::unordered_set<Symbol>& found,
                                          std::map<std::pair<const void*, bool>, bool>& seen) {
    if (!seen.emplace(std::pair(t.id(), inside), true).second) {
      return;
    }
    if (t.kind() == TermKind::IntVar && inside) {
      found.insert(t->symbol);
    }
    bool condition = inside || t.sort() == Sort::Bool || t.kind() == TermKind::FloorDiv || t.kind() == TermKind::FloorMod;
    for (Term arg : t.args()) {
      collect_condition_variables(arg, condition, found, seen);
    }
  }

  Value reduction(Term t, const Mask& mask) {
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
    std::unordered_set<Symbol> conditional;
    std::map<std::pair<const void*, bool>, bool> seen;
    collect_condition_variables(t.arg(0), false, conditional, seen);
    collect_condition_variables(t.arg(1), true, conditional, seen);
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      order[k] = k;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return conditional.contains(t->bound[a]) > conditional.contains(t->bound[b]);
    });
    return compile_reduction(t, mask, order, extents);
  }

  Value empty_reduction(Reduction reduction) {
    switch (reduction) {
      case Reduction::Sum:
        return constant(0);
      case Reduction::Product:
        return constant(1);
      case Reduction::Max:
        return emit({.op = LoopOp::SetF, .real = -std::numeric_limits<double>::infinity()}, {}, false);
      case Reduction::Min:
        return emit({.op = LoopOp::SetF, .real = std::numeric_limits<double>::infinity()}, {}, false);
    }
    return constant(0);
  }

  Value compile_reduction(Term t, const Mask& mask, const std::vector<std::size_t>& order,
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
    return emit({.op = LoopOp::Reduce, .number = static_cast<std::int64_t>(program_.reductions.size() - 1)}, place,
                body.integral);
  }

  // The deepest place that the reduction's free variables or its mask need. Code inside its levels may use whatever stands
  // in the blocks around, so a reduction inside another stays inside of it.
  Place outside(Term t, const std::unordered_map<Symbol, Value>& variables, const Mask& mask) const {
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

  // Recognises `sum read(x) * read(y)` (either perhaps selected to 0 by a mask of outer levels) whose innermost index moves
  // both addresses by constants.
  void find_product(ReduceLoop& loop) {
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

  // address = outer + factor * index, or an address that does not move.
  static bool stepping(Register address, const ReduceLoop& loop, const std::unordered_map<Register, const LoopInstr*>& made,
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

  bool is_zero(Register reg) const {
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

  const std::unordered_map<Symbol, TensorShape>& tensors_;
  LoopProgram& program_;
  std::vector<LoopBlock*> blocks_;
  std::vector<std::unordered_map<Key, Value, KeyHash>> scopes_;
  std::unordered_map<Symbol, Value> variables_;
  std::unordered_map<Symbol, Interval> ranges_;
  std::string error_;
};

}  // namespace

std::optional<LoopProgram> compile_statement(const Statement& statement, DType dtype,
                                             const std::vector<std::int64_t>& extents,
                                             const std::unordered_map<Symbol, TensorShape>& tensors,
                                             std::string& error) {
  LoopProgram program;
  program.extents = extents;
  program.dtype = dtype;
  if (!Compiler(tensors, program).run(statement, error)) {
    return std::nullopt;
  }
  return program;
}

}  // namespace vouch
