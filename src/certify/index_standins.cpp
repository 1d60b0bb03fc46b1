#include "certify/index_standins.h"

#include "certify/index_lowering.h"

namespace vouch {

IndexTerm lifted(unsigned number, IndexTerm t) {
  if (t.kind == IndexTermKind::Var) {
    t.var += t.var < number ? 0 : 1;
  }
  for (IndexTerm& arg : t.args) {
    arg = lifted(number, arg);
  }
  return t;
}

Standins with_var(unsigned number, const Standins& standins) {
  Standins out{term_variable(number)};
  for (const IndexTerm& t : standins) {
    out.push_back(lifted(number, t));
  }
  return out;
}

// Constants at the end of a sum are one.
static IndexTerm sum(IndexTerm a, IndexTerm b) {
  bool ends = a.kind == IndexTermKind::Add && a.args[1].kind == IndexTermKind::Con && b.kind == IndexTermKind::Con;
  if (ends) {
    a.args[1].number += b.number;
  }
  return ends ? a : term_sum(a, b);
}

IndexTerm replaced(const Standins& standins, IndexTerm t) {
  if (t.kind == IndexTermKind::Var) {
    return t.var < standins.size() ? standins[t.var] : term_constant(0);
  }
  for (IndexTerm& arg : t.args) {
    arg = replaced(standins, arg);
  }
  return t.kind == IndexTermKind::Add ? sum(std::move(t.args[0]), std::move(t.args[1])) : t;
}

IndexCond replaced(const Standins& standins, IndexCond c) {
  for (IndexTerm& t : c.terms) {
    t = replaced(standins, t);
  }
  for (IndexCond& part : c.parts) {
    part = replaced(standins, part);
  }
  return c;
}

IndexBody replaced(const Standins& standins, IndexBody b) {
  for (IndexTerm& t : b.at) {
    t = replaced(standins, t);
  }
  b.condition = replaced(standins, b.condition);
  for (IndexBody& arg : b.args) {
    arg = replaced(standins, arg);
  }
  return b;
}

IndexSummand replaced(Standins standins, IndexSummand s) {
  for (std::size_t loop = 0; loop < s.loops.size(); ++loop) {
    standins = with_var(0, standins);
  }
  s.condition = replaced(standins, s.condition);
  s.body = replaced(standins, s.body);
  return s;
}

}  // namespace vouch
