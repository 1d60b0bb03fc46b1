#include "rewrite/literal.h"

#include <algorithm>

#include "graph/op_table.h"

namespace vouch {

// Recursion: attribute expressions are at most kMaxAttrDepth deep.
bool may_equal(const Rule& a, AttrId p_id, const Rule& b, AttrId q_id) {
  const AttrExpr& p = a.attr(p_id);
  const AttrExpr& q = b.attr(q_id);
  if (p.kind == AttrKind::Value && q.kind == AttrKind::Value) {
    return p.value == q.value;
  }
  if (p.kind != AttrKind::Tuple || q.kind != AttrKind::Tuple) {
    return true;
  }
  bool equal = p.args.size() == q.args.size();
  for (std::size_t k = 0; equal && k < p.args.size(); ++k) {
    equal = may_equal(a, p.args[k], b, q.args[k]);
  }
  return equal;
}

bool literals_agree(const Rule& a, const Pattern& p, const Rule& b, const Pattern& q) {
  return std::all_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& attr) {
    auto other =
        std::find_if(q.attributes.begin(), q.attributes.end(), [&](const PatternAttr& o) { return o.name == attr.name; });
    return other == q.attributes.end() || may_equal(a, attr.value, b, other->value);
  });
}

bool may_commute(const Pattern& call) {
  return call.kind == PatternKind::Call && call.operands.size() == 2 && (!call.op || op_def(*call.op).traits.commutative);
}

}  // namespace vouch
