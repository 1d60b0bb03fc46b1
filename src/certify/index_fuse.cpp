#include "certify/index_fuse.h"

#include <algorithm>
#include <vector>

#include "support/fault.h"

namespace vouch {
namespace {

using array::Exp;
using array::ExpKind;
using array::ExpNode;
using array::Op;

// Of each data variable, whether it holds rounded numbers alone; those beyond do.
using Solid = std::vector<bool>;

bool is_op(const Exp& e, Op op) { return e->kind == ExpKind::Op && e->op == op; }

Solid under(const Solid& variables, std::vector<bool> more) {
  more.insert(more.end(), variables.begin(), variables.end());
  return more;
}

bool solid(const Solid& variables, const Exp& e) {
  switch (e->kind) {
    case ExpKind::Var: return e->var >= variables.size() || variables[e->var];
    case ExpKind::Const: return true;
    case ExpKind::Op: return e->op != Op::Mul;
    case ExpKind::Lay:
    case ExpKind::Pad:
    case ExpKind::Mem: return solid(variables, e->args[0]);
    case ExpKind::Pair:
    case ExpKind::If:
    case ExpKind::Cat: return solid(variables, e->args[0]) && solid(variables, e->args[1]);
    case ExpKind::Map: return solid(under(variables, {solid(variables, e->args[1])}), e->args[0]);
    case ExpKind::Reduce:
      return solid(variables, e->args[1]) && solid(under(variables, {solid(variables, e->args[2]), true}), e->args[0]);
    case ExpKind::Let: return solid(under(variables, {solid(variables, e->args[0])}), e->args[1]);
  }
  fault("no such term");
}

// A sum whose second term is a product in the term itself.
bool adds_product(const Exp& e) {
  if (!is_op(e, Op::Add) || e->args[0]->kind != ExpKind::Pair) {
    return false;
  }
  const Exp& added = e->args[0]->args[1];
  return is_op(added, Op::Mul) && added->args[0]->kind == ExpKind::Pair;
}

bool addition_clean(const Solid& variables, const Exp& sum) {
  bool of_pair = sum->args[0]->kind == ExpKind::Pair;
  return of_pair && (adds_product(sum) || solid(variables, sum->args[0]->args[1]));
}

bool has_product_sum(const Exp& e) { return adds_product(e) || std::any_of(e->args.begin(), e->args.end(), has_product_sum); }

bool clean(const Solid& variables, const Exp& e) {
  switch (e->kind) {
    case ExpKind::Var:
    case ExpKind::Const: return true;
    case ExpKind::Op: return (e->op != Op::Add || addition_clean(variables, e)) && clean(variables, e->args[0]);
    case ExpKind::Lay:
    case ExpKind::Pad:
    case ExpKind::Mem: return clean(variables, e->args[0]);
    case ExpKind::Pair:
    case ExpKind::If:
    case ExpKind::Cat: return clean(variables, e->args[0]) && clean(variables, e->args[1]);
    case ExpKind::Map: return clean(variables, e->args[1]) && clean(under(variables, {solid(variables, e->args[1])}), e->args[0]);
    case ExpKind::Reduce: {
      Solid inner = under(variables, {solid(variables, e->args[2]), true});
      return clean(variables, e->args[1]) && clean(variables, e->args[2]) && solid(variables, e->args[1]) &&
             solid(inner, e->args[0]) && clean(inner, e->args[0]);
    }
    case ExpKind::Let: return clean(variables, e->args[0]) && clean(under(variables, {solid(variables, e->args[0])}), e->args[1]);
  }
  fault("no such term");
}

Exp fuse(const Exp& e) {
  ExpNode node = *e;
  std::transform(node.args.begin(), node.args.end(), node.args.begin(), fuse);
  if (!adds_product(e)) {
    return Exp(std::move(node));
  }
  const std::vector<Exp>& terms = node.args[0]->args;
  const std::vector<Exp>& factors = terms[1]->args[0]->args;
  return exp_op(Op::Fma, exp_pair(factors[0], exp_pair(factors[1], terms[0])));
}

}  // namespace

bool adds_products(const array::Program& program) { return has_product_sum(program.term); }

std::optional<array::Program> fused_program(const array::Program& program) {
  if (!clean({}, program.term)) {
    return std::nullopt;
  }
  array::Program out = program;
  out.term = fuse(program.term);
  out.formula += "\nWith fma: where a product is added to something, it is not rounded first.\n";
  return out;
}

}  // namespace vouch
