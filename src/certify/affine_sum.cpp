#include "certify/affine_sum.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {
namespace {

using array::Op;

constexpr const char* kOwnLoops = "compile it with its own loops: without --plan";

bool is_running(const Affine& value, Term index) { return value->kind == AffineKind::Running && value->at[0] == index; }

// What a step adds to the accumulator.
void find_body(const Affine& step, Term index, AffineSum& sum) {
  sum.body = step;
  bool adds = step->kind == AffineKind::Op && step->op == Op::Add;
  if (adds && is_running(step->args[0], index)) {
    sum.body = step->args[1];
  } else if (adds && is_running(step->args[1], index)) {
    sum.refusal = "expected a step 'acc + term', found 'term + acc'";
    sum.mend = "write the accumulator first";
  } else if (step->kind == AffineKind::Op && step->op == Op::Fma) {
    sum.refusal = "expected a step 'acc + term', found 'fma(x, y, acc)'";
    sum.mend = "write acc + x * y, which rounds the product too";
  } else {
    bool named = step->kind == AffineKind::Op && !adds && !array::cast_of(step->op);
    sum.refusal = fmt::format("expected a step 'acc + term', found {}",
                              named ? fmt::format("one by '{}'", array::op_row(step->op).text) : "another");
    sum.mend = kOwnLoops;
  }
}

}  // namespace

bool is_zero(const array::Const& c) { return !c.infinite && !c.ordinal && c.mantissa == 0 && c.exponent == 0; }

bool has_sum(const Affine& value) {
  return value->kind == AffineKind::Sum || std::any_of(value->args.begin(), value->args.end(), has_sum);
}

AffineSum sum_from_zero(Affine fold) {
  AffineSum sum;
  const Affine& start = fold->args[0];
  if (start->kind != AffineKind::Constant || !is_zero(start->constant)) {
    sum.refusal = "expected a fold that begins with 0, found one that begins with something else";
    sum.mend = "begin with 0 and add what it began with afterwards; the additions are then in another order";
    return sum;
  }
  for (;;) {
    Term index = fold->at[0];
    sum.loops.push_back({index, fold->extent});
    Affine step = fold->args[1];
    if (step->kind == AffineKind::Sum && is_running(step->args[0], index)) {
      fold = step;
      continue;
    }
    if (step->kind == AffineKind::If && is_running(step->args[1], index)) {
      sum.condition = step->condition;
      step = step->args[0];
    }
    find_body(step, index, sum);
    return sum;
  }
}

}  // namespace vouch
