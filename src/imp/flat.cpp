#include "imp/flat.h"

#include <algorithm>

namespace vouch::array {

FlatExp flat_read(unsigned var, const Index& index) {
  FlatExpNode node;
  node.var = var;
  node.index = index;
  return FlatExp(std::move(node));
}

FlatExp flat_const(const Const& constant) {
  FlatExpNode node;
  node.kind = FlatExpKind::Const;
  node.constant = constant;
  return FlatExp(std::move(node));
}

FlatExp flat_index(const Index& index) {
  FlatExpNode node;
  node.kind = FlatExpKind::Position;
  node.index = index;
  return FlatExp(std::move(node));
}

FlatExp flat_op(Op op, std::vector<FlatExp> args) {
  FlatExpNode node;
  node.kind = FlatExpKind::Op;
  node.op = op;
  node.args = std::move(args);
  return FlatExp(std::move(node));
}

FlatExp flat_if(const Guard& guard, const FlatExp& then, const FlatExp& otherwise) {
  FlatExpNode node;
  node.kind = FlatExpKind::If;
  node.guard = guard;
  node.args = {then, otherwise};
  return FlatExp(std::move(node));
}

bool mentions(const Index& index, unsigned loop) {
  return (index->kind == IndexKind::Var && index->var == loop) ||
         std::any_of(index->args.begin(), index->args.end(), [&](const Index& arg) { return mentions(arg, loop); });
}

bool mentions(const Guard& guard, unsigned loop) {
  return std::any_of(guard->terms.begin(), guard->terms.end(), [&](const Index& term) { return mentions(term, loop); }) ||
         std::any_of(guard->parts.begin(), guard->parts.end(), [&](const Guard& part) { return mentions(part, loop); });
}

namespace {

// The loop variable, or the variable that is read.
bool mentions(const FlatExp& e, unsigned loop, unsigned variable) {
  return (e->index && mentions(e->index, loop)) || (e->guard && mentions(e->guard, loop)) ||
         (e->kind == FlatExpKind::Read && e->var == variable) ||
         std::any_of(e->args.begin(), e->args.end(), [&](const FlatExp& arg) { return mentions(arg, loop, variable); });
}

}  // namespace

std::optional<FlatGather> gather_of(const Flat& c) {
  if (c->kind != FlatKind::For || c->loop != LoopKind::Seq || c->parts[0]->kind != FlatKind::Assign) {
    return std::nullopt;
  }
  const FlatNode& stored = *c->parts[0];
  const FlatExp& e = stored.value;
  if (e->kind != FlatExpKind::Op || e->op != Op::Sel || e->args[0]->kind != FlatExpKind::Op || e->args[0]->op != Op::Equal) {
    return std::nullopt;
  }
  const FlatExp& from = e->args[0]->args[0];
  bool position = e->args[0]->args[1] == flat_index(index_var(c->var));
  bool otherwise = e->args[2] == flat_read(stored.var, stored.index);
  bool fixed = !(stored.index && mentions(stored.index, c->var)) && !mentions(from, c->var, stored.var);
  return position && otherwise && fixed ? std::optional(FlatGather{from, e->args[1]}) : std::nullopt;
}

}  // namespace vouch::array
