#include <algorithm>

#include "rule/ast.h"
#include "rule/print.h"
#include "support/hash.h"

namespace vouch {

bool Rule::is_input(PatternId id) const {
  PatternKind kind = patterns[id].kind;
  return in_source[id] && (kind == PatternKind::Wildcard || kind == PatternKind::Variable || kind == PatternKind::Const);
}

std::vector<PatternId> direct_subpatterns(const Rule& rule, PatternId pattern) {
  const Pattern& p = rule.pattern(pattern);
  // The first instances of a variadic are matched before its further instances.
  std::vector<PatternId> out = p.first;
  out.insert(out.end(), p.operands.begin(), p.operands.end());
  return out;
}

namespace {

// Reverse post-order over patterns, with an explicit stack; `seen` carries over between calls.
void append_order(const Rule& rule, PatternId root, std::vector<bool>& seen, std::vector<PatternId>& order) {
  struct Frame {
    PatternId pattern;
    std::vector<PatternId> below;
    std::size_t next = 0;
  };
  if (seen[root]) {
    return;
  }
  seen[root] = true;
  std::vector<Frame> stack{{root, direct_subpatterns(rule, root)}};
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.below.size()) {
      order.push_back(top.pattern);
      stack.pop_back();
      continue;
    }
    PatternId next = top.below[top.next++];
    if (!seen[next]) {
      seen[next] = true;
      stack.push_back({next, direct_subpatterns(rule, next)});
    }
  }
}

// Attribute expressions are made after their parts, so one pass from the first to the last suffices.
void mark_closed(Rule& rule) {
  std::vector<std::vector<Symbol>> free(rule.attrs.size());
  // What a template is depends on the instance: as if the access had a symbol of its own, which nothing binds.
  const Symbol of_an_instance("an instance");
  std::vector<bool> is_template(rule.patterns.size());
  for (const Pattern& p : rule.patterns) {
    for (PatternId id : p.templates) {
      is_template[id] = true;
    }
  }
  for (std::size_t id = 0; id < rule.attrs.size(); ++id) {
    AttrExpr& expr = rule.attrs[id];
    std::vector<Symbol>& mine = free[id];
    for (AttrId arg : expr.args) {
      mine.insert(mine.end(), free[arg].begin(), free[arg].end());
    }
    if (expr.kind == AttrKind::Symbol) {
      mine.push_back(expr.name);
    }
    if (expr.kind == AttrKind::Access && is_template[expr.pattern]) {
      mine.push_back(of_an_instance);
    }
    if (expr.kind == AttrKind::Access && rule.pattern(expr.pattern).kind == PatternKind::Instance) {
      AttrId selector = rule.pattern(expr.pattern).selector;
      mine.insert(mine.end(), free[selector].begin(), free[selector].end());
    }
    if (expr.kind == AttrKind::VarTuple || expr.kind == AttrKind::Reduce) {
      std::erase(mine, expr.name);
    }
    expr.closed = mine.empty();
  }
}

}  // namespace

void finish_rule(Rule& rule) {
  std::vector<bool> seen(rule.patterns.size());
  rule.source_order.clear();
  for (PatternId output : rule.source_outputs) {
    append_order(rule, output, seen, rule.source_order);
  }
  rule.in_source = seen;
  rule.target_order.clear();
  for (PatternId output : rule.target_outputs) {
    append_order(rule, output, seen, rule.target_order);
  }
  rule.successors.assign(rule.patterns.size(), {});
  for (PatternId user : rule.source_order) {
    for (PatternId used : direct_subpatterns(rule, user)) {
      std::vector<PatternId>& after = rule.successors[used];
      if (after.empty() || after.back() != user) {
        after.push_back(user);
      }
    }
  }
  mark_closed(rule);
  rule.content_hash = content_hash(print_rule(rule));
}

std::string_view trait_name(OpTrait trait) {
  switch (trait) {
    case OpTrait::Any:
      return "any";
    case OpTrait::Elementwise:
      return "elementwise";
    case OpTrait::Commutative:
      return "commutative";
  }
  return "any";
}

std::string_view binary_op_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return "+";
    case BinaryOp::Sub:
      return "-";
    case BinaryOp::Mul:
      return "*";
    case BinaryOp::Div:
      return "/";
    case BinaryOp::FloorDiv:
      return "//";
    case BinaryOp::Mod:
      return "%";
    case BinaryOp::Min:
      return "min";
    case BinaryOp::Max:
      return "max";
    case BinaryOp::Eq:
      return "==";
    case BinaryOp::Ne:
      return "!=";
    case BinaryOp::Lt:
      return "<";
    case BinaryOp::Le:
      return "<=";
    case BinaryOp::Gt:
      return ">";
    case BinaryOp::Ge:
      return ">=";
    case BinaryOp::And:
      return "and";
    case BinaryOp::Or:
      return "or";
    case BinaryOp::Concat:
      return "++";
    case BinaryOp::Divides:
      return "divides";
    case BinaryOp::Permute:
      return "permute";
  }
  return "?";
}

}  // namespace vouch
