// Whether all branches of a variadic of symbolic length are what one of them is.
#include "graph/with_terms.h"
#include "instance/instance_state.h"
#include "term/substitute.h"

namespace vouch {
namespace {

bool alike(const Instance& instance, InstanceNodeId mine, InstanceNodeId other, const FamilyOf& family) {
  if (mine == other) {
    return true;
  }
  if (mine == kNoInstanceNode || other == kNoInstanceNode) {
    return false;
  }
  auto map = [&](Term t) { return substitute(t, family.other, int_var(family.index)); };
  const InstanceNode& a = instance.nodes[mine];
  const InstanceNode& b = instance.nodes[other];
  auto contents_alike = [&] {
    if (a.contents.has_value() != b.contents.has_value() || (a.contents && a.contents->size() != b.contents->size())) {
      return false;
    }
    for (std::size_t k = 0; a.contents && k < a.contents->size(); ++k) {
      if ((*a.contents)[k] != map((*b.contents)[k])) {
        return false;
      }
    }
    return true;
  };
  auto filled_alike = [&] {
    if (a.kind != InstanceNode::Kind::Input) {
      return true;
    }
    const auto& x = instance.inputs[a.input].fill;
    const auto& y = instance.inputs[b.input].fill;
    return x.has_value() == y.has_value() && (!x || *x == map(*y));
  };
  return a.kind == b.kind && a.op == b.op && a.item == b.item && a.operands.size() == b.operands.size() &&
         a.type == with_terms(b.type, map) && a.attributes == with_terms(b.attributes, map) && contents_alike() && filled_alike();
}

}  // namespace

bool branches_are_alike(const InstanceState& state, PatternId variadic, const FamilyOf& family) {
  const auto& branches = state.branches.at(variadic);
  const BranchNodes& mine = branches[0];
  const BranchNodes& other = branches[1];
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!alike(state.instance, mine[k], other[k], family)) {
      return false;
    }
    for (std::size_t l = 0; l < k; ++l) {
      if ((mine[k] == mine[l]) != (other[k] == other[l])) {  // an alternative that was taken otherwise
        return false;
      }
    }
  }
  return true;
}

}  // namespace vouch
