#include "array/typing.h"
#include "certify/index_kernel.h"
#include "support/fault.h"

namespace vouch {
namespace {

using namespace array;

Index number(const Integer& value) { return index_size(size_const(value)); }

bool is_zero(const Index& index) { return index->kind == IndexKind::Extent && is_const(index->size, 0); }

Index add(const Index& a, const Index& b) { return is_zero(a) ? b : is_zero(b) ? a : index_op(IndexKind::Add, a, b); }

Index times(const Integer& by, const Index& a) {
  return is_zero(a) || by == 0 ? number(0) : by == 1 ? a : index_op(IndexKind::Mul, number(by), a);
}

bool both_const(const Size& a, const Size& b) { return a->kind == SizeKind::Const && b->kind == SizeKind::Const; }

Size plus_size(const Size& a, const Size& b) {
  return both_const(a, b) ? size_const(a->value + b->value) : is_const(a, 0) ? b : is_const(b, 0) ? a : size_add(a, b);
}

Size times_size(const Size& a, const Size& b) { return both_const(a, b) ? size_const(a->value * b->value) : size_mul(a, b); }

// The last position of an axis, or, where that is no number, its extent.
Size last(const Size& n) { return n->kind == SizeKind::Const && n->value > 0 ? size_const(n->value - 1) : n; }

// As coq/index/Lower.v: an index term is the difference of two natural numbers.
struct Difference {
  Index plus;
  Index minus;
};

class Lowering {
 public:
  // What is assumed of the sizes, and the bounds of the index variables, number 0 first.
  explicit Lowering(IndexContext context) : context_(std::move(context)) {}

  // A size that the term does not exceed.
  Size upper(const Index& e) const {
    switch (e->kind) {
      case IndexKind::Var: return e->var < context_.bounds.size() ? last(context_.bounds[e->var]) : size_const(0);
      case IndexKind::Extent: return e->size;
      case IndexKind::Add: return plus_size(upper(e->args[0]), upper(e->args[1]));
      case IndexKind::Mul: return times_size(upper(e->args[0]), upper(e->args[1]));
      case IndexKind::Sub:
      case IndexKind::Div: return upper(e->args[0]);
      case IndexKind::Mod: return last(upper(e->args[1]));
    }
    fault("no such index term");
  }

  Difference term(const IndexTerm& t) const {
    switch (t.kind) {
      case IndexTermKind::Var: return {index_var(t.var), number(0)};
      case IndexTermKind::Con:
        return t.number >= 0 ? Difference{number(t.number), number(0)} : Difference{number(0), number(-t.number)};
      case IndexTermKind::Size: return {index_size(t.size), number(0)};
      case IndexTermKind::Add: {
        Difference a = term(t.args[0]);
        Difference b = term(t.args[1]);
        return {add(a.plus, b.plus), add(a.minus, b.minus)};
      }
      case IndexTermKind::Scale: {
        Difference a = term(t.args[0]);
        return t.number >= 0 ? Difference{times(t.number, a.plus), times(t.number, a.minus)}
                             : Difference{times(-t.number, a.minus), times(-t.number, a.plus)};
      }
      case IndexTermKind::Div: {
        auto [whole, turns] = raised(term(t.args[0]), t.number);
        return {index_op(IndexKind::Div, whole, number(t.number)), index_size(turns)};
      }
      case IndexTermKind::Mod:
        return {index_op(IndexKind::Mod, raised(term(t.args[0]), t.number).first, number(t.number)), number(0)};
    }
    fault("no such index term");
  }

  // Element t of the first axis of e; zero outside.
  Exp read_at(const IndexTerm& t, const Size& extent, const Exp& e) const {
    Difference d = term(t);
    if (is_zero(d.minus) && index_below(context_, d.plus, extent)) {
      return exp_layout(layout_at(d.plus), e);
    }
    Size low = is_zero(d.minus) ? size_const(0) : upper(d.minus);
    Index at = is_zero(d.minus) ? d.plus : index_op(IndexKind::Sub, add(d.plus, index_size(low)), d.minus);
    return exp_layout(layout_at(at), exp_pad(low, extent, plus_size(upper(d.plus), size_const(1)), Const(), e));
  }

  Guard condition(const IndexCond& c) const {
    switch (c.kind) {
      case IndexCondKind::True: return guard_compare(GuardKind::Equal, number(0), number(0));
      case IndexCondKind::Le:
      case IndexCondKind::Eq: {
        Difference a = term(c.terms[0]);
        Difference b = term(c.terms[1]);
        Index left = add(a.plus, b.minus);
        Index right = add(b.plus, a.minus);
        return c.kind == IndexCondKind::Eq ? guard_compare(GuardKind::Equal, left, right)
                                           : guard_compare(GuardKind::Less, left, add(right, number(1)));
      }
      case IndexCondKind::And: return guard_join(GuardKind::And, {condition(c.parts[0]), condition(c.parts[1])});
      case IndexCondKind::Or: return guard_join(GuardKind::Or, {condition(c.parts[0]), condition(c.parts[1])});
      case IndexCondKind::Not: return guard_join(GuardKind::Not, {condition(c.parts[0])});
    }
    fault("no such condition");
  }

  // Under `depth` data variables beyond the tensors.
  Exp body(const IndexBody& b, unsigned depth) const {
    switch (b.kind) {
      case IndexBodyKind::Con: return exp_const(type_num(), b.constant);
      case IndexBodyKind::Read: {
        Exp out = exp_var(depth + b.tensor);
        for (std::size_t a = 0; a < b.at.size(); ++a) {
          out = read_at(b.at[a], b.extents[a], out);
        }
        return out;
      }
      case IndexBodyKind::Op: {
        Exp argument = body(b.args.back(), depth);
        for (std::size_t k = b.args.size() - 1; k-- > 0;) {
          argument = exp_pair(body(b.args[k], depth), argument);
        }
        return exp_op(b.op, argument);
      }
      case IndexBodyKind::If: return exp_if(condition(b.condition), body(b.args[0], depth), body(b.args[1], depth));
    }
    fault("no such body");
  }

 private:
  // (plus + m * turns - minus, turns), with turns so large that nothing is below zero.
  std::pair<Index, Size> raised(const Difference& d, const Integer& m) const {
    if (is_zero(d.minus)) {
      return {d.plus, size_const(0)};
    }
    Size turns = upper(d.minus);
    turns = turns->kind == SizeKind::Const ? size_const(floor_div(turns->value + m - 1, m)) : turns;
    Index whole = add(d.plus, index_size(times_size(size_const(m), turns)));
    return {index_op(IndexKind::Sub, whole, d.minus), turns};
  }

  IndexContext context_;
};

Exp zeros(const Size& n) { return exp_const(type_array(n, type_num()), Const()); }
Exp sum(const Exp& a, const Exp& b) { return exp_op(Op::Add, exp_pair(a, b)); }

// From loop `from` on; the accumulator of the loop around it is `start`.
Exp fold(const IndexSummand& s, std::size_t from, IndexContext context, unsigned depth, const Exp& start) {
  const Size& n = s.loops[from];
  context.bounds.insert(context.bounds.begin(), n);
  Exp step = exp_var(1);
  if (from + 1 < s.loops.size()) {
    step = fold(s, from + 1, context, depth + 2, exp_var(1));
  } else {
    Lowering lower(context);
    Exp more = sum(exp_var(1), lower.body(s.body, depth + 2));
    step = s.condition.kind == IndexCondKind::True ? more : exp_if(lower.condition(s.condition), more, exp_var(1));
  }
  return exp_reduce(Place::Fresh, n, type_num(), type_num(), step, start, zeros(n));
}

Exp summand(const IndexSummand& s, const IndexContext& context, unsigned depth) {
  Exp zero = exp_const(type_num(), Const());
  if (!s.loops.empty()) {
    return fold(s, 0, context, depth, zero);
  }
  Lowering lower(context);
  Exp body = lower.body(s.body, depth);
  return s.condition.kind == IndexCondKind::True ? body : exp_if(lower.condition(s.condition), body, zero);
}

Exp element(const IndexStatement& s, const IndexContext& context, unsigned depth) {
  if (s.summands.empty()) {
    return exp_const(type_num(), Const());
  }
  Exp out = summand(s.summands[0], context, depth);
  for (std::size_t k = 1; k < s.summands.size(); ++k) {
    out = sum(out, summand(s.summands[k], context, depth));
  }
  return out;
}

Type type_of(const std::vector<Size>& extents, std::size_t from) {
  Type type = type_num();
  for (std::size_t a = extents.size(); a-- > from;) {
    type = type_array(extents[a], type);
  }
  return type;
}

Exp generate(const IndexStatement& s, std::size_t axis, IndexContext context) {
  if (axis == s.extents.size()) {
    return element(s, context, static_cast<unsigned>(axis));
  }
  const Size& n = s.extents[axis];
  context.bounds.insert(context.bounds.begin(), n);
  return exp_map(axis == 0 ? LoopKind::Par : LoopKind::Seq, n, type_num(), type_of(s.extents, axis + 1),
                 generate(s, axis + 1, context), zeros(n));
}

}  // namespace

array::Program lower_index(const IndexKernel& kernel) {
  IndexContext context{kernel.facts, {}};
  Exp term = generate(kernel.output, 0, context);
  for (std::size_t k = kernel.locals.size(); k-- > 0;) {
    term = exp_let(exp_mem(type_of(kernel.locals[k].extents, 0), generate(kernel.locals[k], 0, context)), term);
  }
  Program program{kernel.name, kernel.sizes, kernel.facts, kernel.inputs, {kernel.output_name, type_of(kernel.output.extents, 0)},
                  term};
  ensure(verify_program(program), "a kernel in index notation is lowered to a well-typed program");
  return program;
}

}  // namespace vouch
