#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "rule/ast.h"
#include "rule/axes.h"

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
  std::erase(out, kNone);
  return out;
}

std::vector<AttrId> held_attributes(const Pattern& pattern) {
  std::vector<AttrId> held;
  for (const PatternAttr& attr : pattern.attributes) {
    held.push_back(attr.value);
  }
  for (AttrId attr : {pattern.length, pattern.selector}) {
    if (attr != kNone) {
      held.push_back(attr);
    }
  }
  held.insert(held.end(), pattern.conditions.begin(), pattern.conditions.end());
  return held;
}

std::vector<PatternId> accessed_patterns(const Rule& rule, AttrId attr) {
  std::vector<PatternId> found;
  std::unordered_set<AttrId> seen;
  std::vector<AttrId> stack{attr};
  while (!stack.empty()) {
    AttrId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) {
      continue;
    }
    const AttrExpr& expr = rule.attr(id);
    if (expr.kind == AttrKind::Access && std::find(found.begin(), found.end(), expr.pattern) == found.end()) {
      found.push_back(expr.pattern);
    }
    stack.insert(stack.end(), expr.args.rbegin(), expr.args.rend());
  }
  return found;
}

std::vector<PatternId> enclosing_variadics(const Rule& rule, PatternId pattern) {
  std::vector<PatternId> found;
  PatternId owner = rule.pattern(pattern).owner;
  // A cycle of owners is an error that the checks report; the walk ends all the same.
  while (owner != kNone && std::find(found.begin(), found.end(), owner) == found.end()) {
    found.push_back(owner);
    owner = rule.pattern(owner).owner;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

PatternId denoted_variadic(const Rule& rule, PatternId pattern) {
  const Pattern& p = rule.pattern(pattern);
  return p.kind == PatternKind::Instance ? p.operands[1] : pattern;
}

PatternId denoted_template(const Rule& rule, PatternId pattern) {
  while (rule.pattern(pattern).kind == PatternKind::Instance) {
    pattern = rule.pattern(pattern).operands[1];
  }
  return pattern;
}

namespace {

using Predecessors = std::function<std::vector<PatternId>(PatternId)>;

// Reverse post-order (algorithm rev_post) with an explicit stack; `seen` carries over between calls.
void append_order(PatternId root, const Predecessors& before, std::vector<bool>& seen, std::vector<PatternId>& order) {
  struct Frame {
    PatternId pattern;
    std::vector<PatternId> below;
    std::size_t next = 0;
  };
  if (seen[root]) {
    return;
  }
  seen[root] = true;
  std::vector<Frame> stack{{root, before(root)}};
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
      stack.push_back({next, before(next)});
    }
  }
}

// What must exist before a pattern of the target: what its attributes access, as far as the target makes it, and its
// operands.
std::vector<PatternId> target_predecessors(const Rule& rule, const std::vector<bool>& in_target, PatternId pattern) {
  std::vector<PatternId> before;
  for (AttrId attr : held_attributes(rule.pattern(pattern))) {
    for (PatternId accessed : accessed_patterns(rule, attr)) {
      while (rule.pattern(accessed).kind == PatternKind::Instance) {
        accessed = rule.pattern(accessed).operands[0];
      }
      if (in_target[accessed]) {
        before.push_back(accessed);
      }
    }
  }
  std::vector<PatternId> operands = direct_subpatterns(rule, pattern);
  before.insert(before.end(), operands.begin(), operands.end());
  return before;
}

void set_orders(Rule& rule) {
  Predecessors operands = [&](PatternId id) { return direct_subpatterns(rule, id); };
  std::vector<bool> seen(rule.patterns.size());
  rule.source_order.clear();
  for (PatternId output : rule.source_outputs) {
    append_order(output, operands, seen, rule.source_order);
  }
  rule.in_source = seen;
  std::vector<PatternId> added;
  for (PatternId output : rule.target_outputs) {
    append_order(output, operands, seen, added);
  }
  std::vector<bool> in_target(rule.patterns.size());
  for (PatternId id : added) {
    in_target[id] = true;
  }
  seen = rule.in_source;
  rule.target_order.clear();
  for (PatternId output : rule.target_outputs) {
    append_order(
        output, [&](PatternId id) { return target_predecessors(rule, in_target, id); }, seen, rule.target_order);
  }
}

void set_owners(Rule& rule) {
  for (Pattern& pattern : rule.patterns) {
    pattern.owner = kNone;
  }
  // Of nested variadics the inner one was made first.
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    for (PatternId item : rule.patterns[id].templates) {
      if (rule.patterns[item].owner == kNone) {
        rule.patterns[item].owner = id;
      }
    }
  }
}

// Algorithm succ_seq; a user that has the pattern twice is listed once, as definition succ_seq asks.
void set_successors(Rule& rule) {
  rule.successors.assign(rule.patterns.size(), {});
  for (PatternId user : rule.source_order) {
    for (PatternId used : direct_subpatterns(rule, user)) {
      std::vector<PatternId>& after = rule.successors[used];
      if (after.empty() || after.back() != user) {
        after.push_back(user);
      }
    }
  }
}

void add_symbols(std::vector<Symbol>& symbols, const std::vector<Symbol>& more) {
  std::vector<Symbol> merged;
  std::set_union(symbols.begin(), symbols.end(), more.begin(), more.end(), std::back_inserter(merged));
  symbols = std::move(merged);
}

// What the value of an access to `pattern` depends on: the branch that it, or the instance that it is, belongs to.
std::vector<Symbol> instance_symbols(const Rule& rule, PatternId pattern) {
  std::vector<Symbol> symbols;
  for (;;) {
    for (PatternId owner : enclosing_variadics(rule, pattern)) {
      add_symbols(symbols, {rule.pattern(owner).index});
    }
    if (rule.pattern(pattern).kind != PatternKind::Instance) {
      return symbols;
    }
    add_symbols(symbols, rule.attr(rule.pattern(pattern).selector).free);
    pattern = rule.pattern(pattern).operands[0];
  }
}

// Attribute expressions are made after their parts, so one pass from the first to the last suffices.
void set_free_symbols(Rule& rule) {
  for (AttrExpr& expr : rule.attrs) {
    expr.free.clear();
    expr.depth = 1;
    expr.size = 1;
    for (AttrId arg : expr.args) {
      add_symbols(expr.free, rule.attr(arg).free);
      expr.depth = std::max(expr.depth, rule.attr(arg).depth + 1);
      expr.size = std::min(expr.size + rule.attr(arg).size, kMaxAttrSize + 1);
    }
    if (expr.kind == AttrKind::Symbol) {
      expr.free = {expr.name};
    } else if (expr.kind == AttrKind::Access) {
      expr.free = instance_symbols(rule, expr.pattern);
    } else if (expr.kind == AttrKind::VarTuple || expr.kind == AttrKind::Reduce || expr.kind == AttrKind::Each) {
      std::erase(expr.free, expr.name);
    }
    expr.closed = expr.free.empty();
  }
}

}  // namespace

void finish_rule(Rule& rule) {
  for (Pattern& pattern : rule.patterns) {
    std::stable_sort(pattern.attributes.begin(), pattern.attributes.end(),
                     [](const PatternAttr& a, const PatternAttr& b) { return a.name < b.name; });
  }
  set_orders(rule);
  order_axes(rule);
  set_owners(rule);
  set_successors(rule);
  set_free_symbols(rule);
}
std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::First: return "first";
    case Phase::Enter: return "enter";
    case Phase::Main: return "main";
    case Phase::Late: return "late";
    case Phase::Leave: return "leave";
  }
  return {};
}

std::string_view saving_name(Saving saving) {
  switch (saving) {
    case Saving::None: return "nothing";
    case Saving::Calls: return "calls";
    case Saving::Elements: return "elements";
    case Saving::Products: return "products";
  }
  return {};
}

std::string_view trait_name(OpTrait trait) {
  switch (trait) {
    case OpTrait::Any: return "any";
    case OpTrait::Elementwise: return "elementwise";
    case OpTrait::Commutative: return "commutative";
  }
  return "any";
}

std::string_view binary_op_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Sub: return "-";
    case BinaryOp::Mul: return "*";
    case BinaryOp::Div: return "/";
    case BinaryOp::FloorDiv: return "//";
    case BinaryOp::Mod: return "%";
    case BinaryOp::Min: return "min";
    case BinaryOp::Max: return "max";
    case BinaryOp::Eq: return "==";
    case BinaryOp::Ne: return "!=";
    case BinaryOp::Lt: return "<";
    case BinaryOp::Le: return "<=";
    case BinaryOp::Gt: return ">";
    case BinaryOp::Ge: return ">=";
    case BinaryOp::And: return "and";
    case BinaryOp::Or: return "or";
    case BinaryOp::Concat: return "++";
    case BinaryOp::Divides: return "divides";
    case BinaryOp::Permute: return "permute";
  }
  return "?";
}

}  // namespace vouch
