// Random kernels for property tests; the seed decides everything. Values stay small and dyadic, so that integers do not
// overflow and doubles do not round, whatever is composed.
#pragma once

#include <random>

#include "kernel/kernel.h"
#include "tensor/tensor.h"

namespace vouch::testing {

class RandomKernels {
 public:
  RandomKernels(std::uint32_t seed, bool integral) : random_(seed), integral_(integral) {}

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  // Reads x [4, 3], w [6, 2], ids [3] (elements 0 … 3) and, in its second statement, the first one's target t.
  Kernel kernel() {
    DType type = integral_ ? DType::Int64 : DType::Float64;
    Kernel out{"random", {}, {}, {}, {}};
    out.inputs = {{Symbol("x"), type, {4, 3}}, {Symbol("w"), type, {6, 2}}, {Symbol("ids"), DType::Int64, {3}}};
    shape_ = {{Symbol("i"), Term(1 + pick(7))}, {Symbol("j"), Term(1 + pick(5))}};
    if (pick(8) == 0) {
      shape_ = {{Symbol("i"), Term(pick(2) ? 1 : 0)}, {Symbol("j"), int_var("n") * Term(60 + pick(300))}};
    }
    std::vector<Term> extents{shape_[0].extent, shape_[1].extent};
    Statement first{Symbol("t"), {Symbol("i"), Symbol("j")}, scalar(2 + pick(3))};
    (pick(2) ? out.locals : out.outputs).push_back({Symbol("t"), type, extents});
    has_t_ = true;
    Statement second{Symbol("y"), {Symbol("i"), Symbol("j")}, pick(3) ? scalar(2 + pick(3)) : product_sum()};
    out.outputs.push_back({Symbol("y"), type, extents});
    out.statements = {first, second};
    return out;
  }

  Tensor tensor(DType dtype, Extents extents, int low, int count) {
    Tensor out(dtype, std::move(extents));
    for (std::int64_t i = 0; i < out.count(); ++i) {
      is_float(dtype) ? out.set_double(i, (low + pick(count)) / 2.0) : out.set_int(i, low + pick(count));
    }
    return out;
  }

 private:
  Term index_variable() {
    int choice = pick(static_cast<int>(2 + open_.size()));
    return choice == 0 ? int_var("i") : choice == 1 ? int_var("j") : int_var(open_[static_cast<std::size_t>(choice) - 2]);
  }

  Term integer(int depth) {
    if (depth <= 0 || pick(6) == 0) {
      return pick(3) == 0 ? Term(pick(9) - 4) : pick(6) == 0 ? int_var("n") : index_variable();
    }
    Term a = integer(depth - 1);
    switch (pick(10)) {
      case 0:
      case 1: return a + integer(depth - 1);
      case 2: return a - integer(depth - 1);
      case 3: return floor_mod(a, 50) * integer(depth / 2);
      case 4: return floor_div(a, Term(1 + pick(6)));
      case 5: return floor_mod(a, Term(1 + pick(6)));
      case 6: return pick(2) ? int_min(a, integer(depth - 1)) : int_max(a, integer(depth - 1));
      case 7: return int_select(guard(depth - 1), a, integer(depth - 1));
      case 8: return int_of(read(Symbol("ids"), {floor_mod(a, 3)}));
      default: return pick(6) ? floor_div(a, int_var("n")) : floor_mod(a, integer(1));
    }
  }

  Term guard(int depth) {
    if (depth <= 0 || pick(3) == 0) {
      Term a = integer(depth / 2);
      Term b = integer(depth / 2);
      return pick(4) == 0 ? eq(a, b) : le(a, b);
    }
    switch (pick(5)) {
      case 0: return both(guard(depth - 1), guard(depth - 1));
      case 1: return either(guard(depth - 1), guard(depth - 1));
      case 2: return negate(guard(depth - 1));
      default: return pick(2) ? real_lt(scalar(depth - 1), scalar(0)) : real_le(scalar(0), scalar(depth - 1));
    }
  }

  Term element(int depth) {
    if (has_t_ && pick(4) == 0) {
      return read(Symbol("t"), {int_var("i"), int_var("j")});
    }
    Term a = integer(depth);
    Term b = integer(1);
    switch (pick(4)) {
      case 0: return read(Symbol("x"), {floor_mod(a, 4), floor_mod(b, 3)});
      case 1: return select(in_range(a, 4), read(Symbol("x"), {a, floor_mod(b, 3)}), constant());
      case 2: return select(both(in_range(a, 6), in_range(b, 2)), read(Symbol("w"), {a, b}), constant());
      default:  // now and then out of range
        return pick(12) ? read(Symbol("w"), {floor_mod(a, 6), floor_mod(b, 2)}) : read(Symbol("w"), {a, floor_mod(b, 2)});
    }
  }

  Term constant() { return real_const(integral_ ? Rational(pick(9) - 4) : Rational(pick(9) - 4, 2)); }

  Term scalar(int depth) {
    if (depth <= 0 || pick(7) == 0) {
      return pick(4) == 0 ? constant() : element(depth);
    }
    Term a = scalar(depth - 1);
    switch (pick(10)) {
      case 0: return a + scalar(depth - 1);
      case 1: return a - scalar(depth - 1);
      case 2: return small(a * scalar(depth - 1));
      case 3: return -a;
      case 4: return real_of(floor_mod(integer(depth - 1), 20));
      case 5: return call(pick(2) ? Fn::Max : Fn::Min, {a, scalar(depth - 1)});
      case 6: return call(pick(2) ? Fn::Abs : pick(2) ? Fn::Floor : Fn::Sign, {a});
      case 7: return select(guard(depth - 1), a, scalar(depth - 1));
      case 8: return call(Fn::Mod, {a, pick(9) || !integral_ ? real_const(3) : call(Fn::Floor, {scalar(1)})});
      default: return reduction(depth);
    }
  }

  static Term small(Term a) { return call(Fn::Floor, {call(Fn::Mod, {a, real_const(97)})}); }

  Term reduction(int depth) {
    Symbol index("k" + std::to_string(pick(2)));  // names are reused on purpose
    std::vector<BoundIndex> bound{{index, pick(2) ? Term(pick(4)) : int_var("n") + Term(pick(3) - 1)}};
    open_.push_back(index);
    if (pick(3) == 0) {
      bound.push_back({Symbol("l"), Term(1 + pick(2))});
      open_.emplace_back("l");
    }
    Term condition = pick(2) ? bool_const(true) : guard(depth / 2);
    Term body = scalar(depth - 1);
    open_.resize(open_.size() - bound.size());
    switch (pick(4)) {
      case 0: return call(Fn::Max, {reduce(Reduction::Max, bound, condition, body), real_const(-50)});
      case 1: return call(Fn::Min, {reduce(Reduction::Min, bound, condition, body), real_const(50)});
      case 2: return small(reduce(Reduction::Product, bound, condition, call(Fn::Mod, {call(Fn::Floor, {body}), real_const(5)})));
      default: return reduce(Reduction::Sum, bound, condition, body);
    }
  }

  // What the tiled product takes: one factor without j, one without i.
  Term product_sum() {
    Term i = int_var("i"), j = int_var("j"), k = int_var("k"), l = int_var("l");
    Term position = j * Term(pick(3)) + k - Term(pick(3));
    Term guarded = select(in_range(position, 4), read(Symbol("x"), {position, l}), constant());
    Term weight = read(Symbol("w"), {floor_mod(floor_div(i, Term(1 + pick(3))) + k, 6), floor_mod(i + l, 2)});
    Term sum = reduce(Reduction::Sum, {{Symbol("k"), Term(1 + pick(4))}, {Symbol("l"), Term(1 + pick(3))}}, bool_const(true),
                      guarded * weight);
    return pick(2) ? sum + scalar(1) : sum;
  }

  std::mt19937 random_;
  bool integral_;
  bool has_t_ = false;
  std::vector<BoundIndex> shape_;
  std::vector<Symbol> open_;
};

}  // namespace vouch::testing
