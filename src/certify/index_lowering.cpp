#include "certify/index_lowering.h"

#include <algorithm>

#include "array/constant.h"
#include "certify/index_standins.h"
#include "support/fault.h"

namespace vouch {

using namespace array;

namespace {

Index literal(const Integer& value) { return index_size(size_const(value)); }

bool is_zero(const Index& index) { return index->kind == IndexKind::Extent && is_const(index->size, 0); }

Index times(const Integer& by, const Index& a) {
  return is_zero(a) || by == 0 ? literal(0) : by == 1 ? a : index_op(IndexKind::Mul, a, literal(by));
}

bool both_const(const Size& a, const Size& b) { return a->kind == SizeKind::Const && b->kind == SizeKind::Const; }

// Parts that are below a number are at most a number.
Size most(const Size& n) {
  if (n->kind != SizeKind::Part || n->part == SizePart::Quotient) {
    return n;
  }
  return size_const(n->part == SizePart::Started ? Integer(1) : n->part == SizePart::Digit ? n->base - 1 : n->value - 1);
}

// The last position of an axis, or, where that is no number, its extent.
Size last(const Size& n) {
  Size at_most = most(n);
  return at_most->kind != SizeKind::Const ? n : at_most->value > 0 ? size_const(at_most->value - 1) : at_most;
}

}  // namespace

bool is_variable(const IndexTerm& t, unsigned variable) { return t.kind == IndexTermKind::Var && t.var == variable; }

bool uses(const IndexTerm& t, unsigned variable) {
  return is_variable(t, variable) ||
         std::any_of(t.args.begin(), t.args.end(), [&](const IndexTerm& arg) { return uses(arg, variable); });
}

bool uses(const IndexCond& c, unsigned variable) {
  return std::any_of(c.terms.begin(), c.terms.end(), [&](const IndexTerm& t) { return uses(t, variable); }) ||
         std::any_of(c.parts.begin(), c.parts.end(), [&](const IndexCond& part) { return uses(part, variable); });
}

bool moves(const IndexBody& read, unsigned variable) {
  return std::any_of(read.at.begin(), read.at.end(), [&](const IndexTerm& t) { return uses(t, variable); });
}

IndexBody body_operation(Op op, std::vector<IndexBody> args) {
  IndexBody out;
  out.kind = IndexBodyKind::Op;
  out.op = op;
  out.args = std::move(args);
  return out;
}

IndexTerm term_variable(unsigned number) { return {IndexTermKind::Var, number, 0, {}, {}}; }
IndexTerm term_constant(const Integer& value) { return {IndexTermKind::Con, 0, value, {}, {}}; }
IndexTerm term_sum(const IndexTerm& a, const IndexTerm& b) { return {IndexTermKind::Add, 0, 0, {}, {a, b}}; }
IndexTerm term_scaled(const Integer& by, const IndexTerm& t) { return {IndexTermKind::Scale, 0, by, {}, {t}}; }

Size plus_size(const Size& a, const Size& b) {
  return both_const(a, b) ? size_const(a->value + b->value) : is_const(a, 0) ? b : is_const(b, 0) ? a : size_add(a, b);
}

Size times_size(const Size& a, const Size& b) { return both_const(a, b) ? size_const(a->value * b->value) : size_mul(a, b); }

Index add_index(const Index& a, const Index& b) { return is_zero(a) ? b : is_zero(b) ? a : index_op(IndexKind::Add, a, b); }

// A size that the term does not exceed.
Size Lowering::upper(const Index& e) const {
  switch (e->kind) {
    case IndexKind::Var: return e->var < context_.bounds.size() ? last(context_.bounds[e->var]) : size_const(0);
    case IndexKind::Extent: return most(e->size);
    case IndexKind::Add: return plus_size(upper(e->args[0]), upper(e->args[1]));
    case IndexKind::Mul: return times_size(upper(e->args[0]), upper(e->args[1]));
    case IndexKind::Sub:
    case IndexKind::Div: return upper(e->args[0]);
    case IndexKind::Mod: return last(upper(e->args[1]));
  }
  fault("no such index term");
}

bool Lowering::small(const Index& x, const Integer& m) const {
  Size most = upper(x);
  return most->kind == SizeKind::Const && most->value < m;
}

// x as a * m + b with b below m, where its summands are seen to be of that form.
std::optional<std::pair<Index, Index>> Lowering::blocks_of(const Index& x, const Integer& m) const {
  if (small(x, m)) {
    return std::pair(literal(0), x);
  }
  auto constant = [](const Index& e) { return e->kind == IndexKind::Extent && e->size->kind == SizeKind::Const; };
  if (constant(x)) {
    return std::pair(literal(x->size->value / m), literal(x->size->value % m));
  }
  if (x->kind == IndexKind::Mul && constant(x->args[1]) && x->args[1]->size->value % m == 0) {
    return std::pair(times(x->args[1]->size->value / m, x->args[0]), literal(0));
  }
  if (x->kind != IndexKind::Add) {
    return std::nullopt;
  }
  auto first = blocks_of(x->args[0], m);
  auto second = blocks_of(x->args[1], m);
  if (!first || !second) {
    return std::nullopt;
  }
  Index rest = add_index(first->second, second->second);
  return small(rest, m) ? std::optional(std::pair(add_index(first->first, second->first), rest)) : std::nullopt;
}

Index Lowering::quotient(const Index& x, const Integer& m) const {
  auto blocks = blocks_of(x, m);
  return blocks ? blocks->first : index_op(IndexKind::Div, x, literal(m));
}

Index Lowering::remainder(const Index& x, const Integer& m) const {
  auto blocks = blocks_of(x, m);
  return blocks ? blocks->second : index_op(IndexKind::Mod, x, literal(m));
}

IndexDifference Lowering::term(const IndexTerm& t) const {
  switch (t.kind) {
    case IndexTermKind::Var: return {index_var(t.var), literal(0)};
    case IndexTermKind::Con:
      return t.number >= 0 ? IndexDifference{literal(t.number), literal(0)} : IndexDifference{literal(0), literal(-t.number)};
    case IndexTermKind::Size: return {index_size(t.size), literal(0)};
    case IndexTermKind::Add: {
      IndexDifference a = term(t.args[0]);
      IndexDifference b = term(t.args[1]);
      return {add_index(a.plus, b.plus), add_index(a.minus, b.minus)};
    }
    case IndexTermKind::Scale: {
      IndexDifference a = term(t.args[0]);
      return t.number >= 0 ? IndexDifference{times(t.number, a.plus), times(t.number, a.minus)}
                           : IndexDifference{times(-t.number, a.minus), times(-t.number, a.plus)};
    }
    case IndexTermKind::Div: {
      auto [whole, turns] = raised(term(t.args[0]), t.number);
      return {quotient(whole, t.number), index_size(turns)};
    }
    case IndexTermKind::Mod: return {remainder(raised(term(t.args[0]), t.number).first, t.number), literal(0)};
  }
  fault("no such index term");
}

// Element t of the first axis of e; zero outside.
Exp Lowering::read_at(const IndexTerm& t, const Size& extent, const Exp& e) const {
  IndexDifference d = term(t);
  bool whole = is_zero(d.minus);
  Index plain = whole ? d.plus : index_op(IndexKind::Sub, d.plus, d.minus);
  if (index_below(context_, plain, extent)) {
    return exp_layout(layout_at(plain), e);
  }
  Size low = whole ? size_const(0) : upper(d.minus);
  Index at = whole ? d.plus : index_op(IndexKind::Sub, add_index(d.plus, index_size(low)), d.minus);
  return exp_layout(layout_at(at), exp_pad(low, extent, plus_size(upper(d.plus), size_const(1)), Const(), e));
}

Guard Lowering::condition(const IndexCond& c) const {
  switch (c.kind) {
    case IndexCondKind::True: return guard_compare(GuardKind::Equal, literal(0), literal(0));
    case IndexCondKind::Le:
    case IndexCondKind::Eq: {
      IndexDifference a = term(c.terms[0]);
      IndexDifference b = term(c.terms[1]);
      Index left = add_index(a.plus, b.minus);
      Index right = add_index(b.plus, a.minus);
      return c.kind == IndexCondKind::Eq ? guard_compare(GuardKind::Equal, left, right)
                                         : guard_compare(GuardKind::Less, left, add_index(right, literal(1)));
    }
    case IndexCondKind::And: return guard_join(GuardKind::And, {condition(c.parts[0]), condition(c.parts[1])});
    case IndexCondKind::Or: return guard_join(GuardKind::Or, {condition(c.parts[0]), condition(c.parts[1])});
    case IndexCondKind::Not: return guard_join(GuardKind::Not, {condition(c.parts[0])});
  }
  fault("no such condition");
}

Exp Lowering::body(const IndexBody& b, unsigned depth) const {
  switch (b.kind) {
    case IndexBodyKind::Con: return exp_const(type_num(), b.constant);
    case IndexBodyKind::Index: {
      Size n = plus_size(upper(term(b.at[0]).plus), size_const(1));
      return read_at(b.at[0], n, exp_const(type_array(n, type_num()), ordinal()));
    }
    case IndexBodyKind::Read: {
      Exp out = exp_var(depth + b.tensor);
      for (std::size_t a = 0; a < b.at.size(); ++a) {
        out = read_at(b.at[a], b.extents[a], out);
      }
      return out;
    }
    case IndexBodyKind::Gather: return gathered(b, depth);
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

// Over the axis that data chooses from: data variables are the position, the element so far, what data says.
Exp Lowering::gathered(const IndexBody& b, unsigned depth) const {
  IndexContext deeper = context_;
  deeper.bounds.insert(deeper.bounds.begin(), b.chosen);
  Lowering inner(deeper);
  Exp element = exp_var(depth + 3 + b.tensor);
  for (std::size_t a = 0; a <= b.at.size(); ++a) {
    element = a == b.axis ? inner.read_at(term_variable(0), b.chosen, element) : element;
    element = a < b.at.size() ? inner.read_at(lifted(0, b.at[a]), b.extents[a], element) : element;
  }
  Exp position = exp_layout(layout_at(index_var(0)), exp_const(type_array(b.chosen, type_num()), ordinal()));
  Exp here = exp_op(Op::Equal, exp_pair(exp_var(2), position));
  Exp step = exp_op(Op::Sel, exp_pair(here, exp_pair(element, exp_var(1))));
  return exp_let(body(b.args[0], depth), exp_reduce(Place::Fresh, b.chosen, type_num(), type_num(), step,
                                                    exp_const(type_num(), Const()), zeros(b.chosen)));
}

// (plus + m * turns - minus, turns), with turns so large that nothing is below zero.
std::pair<Index, Size> Lowering::raised(const IndexDifference& d, const Integer& m) const {
  if (is_zero(d.minus)) {
    return {d.plus, size_const(0)};
  }
  Size turns = upper(d.minus);
  turns = turns->kind == SizeKind::Const ? size_const(floor_div(turns->value + m - 1, m)) : turns;
  Index whole = add_index(d.plus, index_size(times_size(size_const(m), turns)));
  return {index_op(IndexKind::Sub, whole, d.minus), turns};
}

}  // namespace vouch
