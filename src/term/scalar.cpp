// Scalar terms, kept as written but for conditions that are decided.
#include "support/fault.h"
#include "term/intern.h"
#include "term/term.h"

namespace vouch {

static Term binary(TermKind kind, Term a, Term b) {
  ensure(a.sort() == Sort::Real && b.sort() == Sort::Real, "operands of one sort are expected");
  return make_node(kind, Sort::Real, {a, b});
}

Term operator+(Term a, Term b) {
  return a.sort() == Sort::Int && b.sort() == Sort::Int ? int_add(a, b) : binary(TermKind::RealAdd, a, b);
}

Term operator-(Term a, Term b) {
  return a.sort() == Sort::Int && b.sort() == Sort::Int ? int_add(a, int_mul(-1, b)) : binary(TermKind::RealSub, a, b);
}

Term operator*(Term a, Term b) {
  return a.sort() == Sort::Int && b.sort() == Sort::Int ? int_mul(a, b) : binary(TermKind::RealMul, a, b);
}

Term operator-(Term a) { return a.sort() == Sort::Int ? int_mul(-1, a) : make_node(TermKind::RealNeg, Sort::Real, {a}); }

Term operator/(Term a, Term b) { return binary(TermKind::RealDiv, a, b); }

Term real_const(const Rational& value) {
  TermNode node{.kind = TermKind::RealConst, .sort = Sort::Real, .symbol = {}, .value = value, .args = {}, .bound = {}};
  return intern(std::move(node));
}

Term real_var(Symbol name) {
  TermNode node{.kind = TermKind::RealVar, .sort = Sort::Real, .symbol = name, .value = {}, .args = {}, .bound = {}};
  return intern(std::move(node));
}

Term real_of(Term integer) {
  ensure(integer.sort() == Sort::Int, "an integer term is expected");
  if (integer.kind() == TermKind::IntConst) {
    return real_const(integer->value);
  }
  if (integer.kind() == TermKind::IntOf) {
    return integer.arg(0);
  }
  return make_node(TermKind::RealOf, Sort::Real, {integer});
}

Term read(Symbol tensor, std::vector<Term> indices) {
  for (Term index : indices) {
    ensure(index.sort() == Sort::Int, "an index is an integer term");
  }
  TermNode node{
      .kind = TermKind::Read, .sort = Sort::Real, .symbol = tensor, .value = {}, .args = std::move(indices), .bound = {}};
  return intern(std::move(node));
}

Term call(Fn fn, std::vector<Term> args) {
  for (Term arg : args) {
    ensure(arg.sort() == Sort::Real, "a scalar function takes scalar terms");
  }
  TermNode node{
      .kind = TermKind::Call, .sort = Sort::Real, .fn = fn, .symbol = {}, .value = {}, .args = std::move(args), .bound = {}};
  return intern(std::move(node));
}

Term select(Term guard, Term then, Term otherwise) {
  ensure(guard.sort() == Sort::Bool && then.sort() == Sort::Real && otherwise.sort() == Sort::Real,
         "select takes a guard and two scalar terms");
  if (auto known = const_bool(guard)) {
    return *known ? then : otherwise;
  }
  return make_node(TermKind::Select, Sort::Real, {guard, then, otherwise});
}

Term reduce(Reduction reduction, const std::vector<BoundIndex>& indices, Term guard, Term body) {
  ensure(guard.sort() == Sort::Bool && body.sort() == Sort::Real, "reduce takes a guard and a scalar term");
  TermNode node{.kind = TermKind::Reduce,
                .sort = Sort::Real,
                .reduction = reduction,
                .symbol = {},
                .value = {},
                .args = {body, guard},
                .bound = {}};
  for (const BoundIndex& index : indices) {
    node.bound.push_back(index.name);
    node.args.push_back(index.extent);
  }
  return intern(std::move(node));
}

}  // namespace vouch
