#include "imp/flat.h"

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

}  // namespace vouch::array
