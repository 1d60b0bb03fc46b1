#include "lower/simplify.h"

#include <algorithm>
#include <utility>

#include "lower/conditions.h"
#include "lower/neutral.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

using Top = std::optional<Size>;

bool number(const Size& s) { return s->kind == SizeKind::Const; }
bool number(const Top& s) { return s && number(*s); }
bool number(const Index& e) { return e->kind == IndexKind::Extent && number(e->size); }
bool extent(const Index& e) { return e->kind == IndexKind::Extent; }
bool product(const Size& s) { return s->kind == SizeKind::Mul; }
// By a size.
bool product(const Index& e) { return e->kind == IndexKind::Mul && extent(e->args[1]); }

// Natural numbers: differences stop at zero, what is divided by zero is zero, its remainder is itself.
Integer difference(const Integer& a, const Integer& b) { return a < b ? Integer(0) : a - b; }
Integer divided(const Integer& a, const Integer& b) { return b == 0 ? Integer(0) : a / b; }
Integer left_over(const Integer& a, const Integer& b) { return b == 0 ? a : a % b; }

Top top_sum(const Top& s, const Top& t) {
  return number(s) && number(t) ? Top(size_const(difference((*s)->value + (*t)->value, 1))) : std::nullopt;
}

Top top_times(const Top& s, const Integer& k) {
  return number(s) ? Top(size_const(difference((*s)->value, 1) * k + 1)) : std::nullopt;
}

Top top_quotient(const Top& s, const Size& n) {
  if (number(s) && number(n)) {
    return size_const(divided(difference((*s)->value, 1), n->value) + 1);
  }
  if (s && product(*s)) {
    return (*s)->args[1] == n ? Top((*s)->args[0]) : (*s)->args[0] == n ? Top((*s)->args[1]) : std::nullopt;
  }
  return std::nullopt;
}

Top top_remainder(const Top& s, const Size& n) {
  if (number(n)) {
    return n->value == 0 ? s : number(s) ? Top(size_const(std::min((*s)->value, n->value))) : n;
  }
  return s && product(*s) && ((*s)->args[1] == n || (*s)->args[0] == n) ? n : s;
}

Top top_add(const Bounds& bounds, const Index& a, const Index& b) {
  Top second = top(bounds, b);
  if (Top sum = top_sum(top(bounds, a), second)) {
    return sum;
  }
  if (!product(a) || !second || *second != a->args[1]->size) {
    return std::nullopt;
  }
  Top first = top(bounds, a->args[0]);
  return first ? Top(neutral_mul(*first, a->args[1]->size)) : std::nullopt;
}

// k with s = k * n
Top multiple(const Size& s, const Size& n) {
  if (s == n) {
    return size_const(1);
  }
  if (product(s)) {
    return s->args[1] == n ? Top(s->args[0]) : s->args[0] == n ? Top(s->args[1]) : std::nullopt;
  }
  bool exact = number(s) && number(n) && n->value != 0 && s->value % n->value == 0;
  return exact ? Top(size_const(s->value / n->value)) : std::nullopt;
}

using Split = std::optional<std::pair<Index, Index>>;

// e as q * n + r with r < n
Split split_at(const Bounds& bounds, const Size& n, const Index& e) {
  Index zero = index_size(size_const(0));
  if (below(bounds, e, n)) {
    return {{zero, e}};
  }
  bool sum = e->kind == IndexKind::Add;
  const Index& scaled = sum ? e->args[0] : e;
  if (!product(scaled)) {
    return std::nullopt;
  }
  Top k = multiple(scaled->args[1]->size, n);
  if (!k) {
    return std::nullopt;
  }
  Index q = index_times(scaled->args[0], index_size(*k));
  if (!sum) {
    return number(n) && n->value != 0 ? Split({q, zero}) : std::nullopt;
  }
  Split rest = split_at(bounds, n, e->args[1]);
  return rest ? Split({index_plus(q, rest->first), rest->second}) : std::nullopt;
}

Index quotient(const Bounds& bounds, const Index& a, const Index& b) {
  Split split = extent(b) ? split_at(bounds, b->size, a) : std::nullopt;
  return split ? split->first : extent(b) ? index_over(a, b) : index_op(IndexKind::Div, a, b);
}

Index remainder(const Bounds& bounds, const Index& a, const Index& b) {
  Split split = extent(b) ? split_at(bounds, b->size, a) : std::nullopt;
  return split ? split->second : index_op(IndexKind::Mod, a, b);
}

std::pair<Index, Size> scaled(const Index& e) {
  return product(e) ? std::pair(e->args[0], e->args[1]->size) : std::pair(e, size_const(1));
}

// x / n * (n * t) + x % n * t as x * t
std::optional<Index> rejoin(const Index& a, const Index& b) {
  auto [x, s] = scaled(a);
  auto [y, t] = scaled(b);
  bool parts = x->kind == IndexKind::Div && y->kind == IndexKind::Mod && extent(x->args[1]) && x->args == y->args;
  return parts && s == neutral_mul(x->args[1]->size, t) ? std::optional(index_times(x->args[0], index_size(t))) : std::nullopt;
}

Index plus(const Index& a, const Index& b) {
  if (std::optional<Index> whole = rejoin(a, b)) {
    return *whole;
  }
  std::optional<Index> part = b->kind == IndexKind::Add ? rejoin(a, b->args[0]) : std::nullopt;
  return part ? plus(*part, b->args[1]) : index_plus(a, b);
}

// x + c - d and x - c - d with one constant, x + y - y as x
Index minus(const Index& a, const Index& b) {
  bool sum = a->kind == IndexKind::Add;
  if (number(b) && (sum || a->kind == IndexKind::Sub) && number(a->args[1])) {
    const Integer& c = a->args[1]->size->value;
    const Integer& d = b->size->value;
    return sum && d <= c ? index_plus(a->args[0], index_size(size_const(c - d)))
                         : index_minus(a->args[0], index_size(size_const(sum ? Integer(d - c) : Integer(c + d))));
  }
  if (sum && (a->args[1] == b || a->args[0] == b)) {
    return a->args[1] == b ? a->args[0] : a->args[1];
  }
  return index_minus(a, b);
}

// Constants are computed here, not by C in a type of its choice.
Size folded(const Size& s) {
  if (s->args.empty()) {
    return s;
  }
  bool sum = s->kind == SizeKind::Add;
  Size a = folded(s->args[0]);
  Size b = folded(s->args[1]);
  if (number(a) && number(b)) {
    return size_const(sum ? Integer(a->value + b->value) : Integer(a->value * b->value));
  }
  return sum ? size_add(a, b) : size_mul(a, b);
}

Integer computed(IndexKind kind, const Integer& a, const Integer& b) {
  switch (kind) {
    case IndexKind::Add: return a + b;
    case IndexKind::Sub: return difference(a, b);
    case IndexKind::Mul: return a * b;
    case IndexKind::Div: return divided(a, b);
    case IndexKind::Mod: return left_over(a, b);
    case IndexKind::Var:
    case IndexKind::Extent: break;
  }
  fault("not an operation");
}

FlatExp simple_exp(const Known& known, const FlatExp& e) {
  FlatExpNode node = *e;
  if (node.index) {
    node.index = simple(known.bounds, node.index);
  }
  if (node.guard) {
    Outcome outcome = shortened(known, node.guard);
    if (outcome.decided) {
      return simple_exp(known, node.args[*outcome.decided ? 0 : 1]);
    }
    node.guard = outcome.guard;
    node.args[0] = simple_exp(learnt(known, true, node.guard), node.args[0]);
    node.args[1] = simple_exp(learnt(known, false, node.guard), node.args[1]);
    return FlatExp(std::move(node));
  }
  for (FlatExp& arg : node.args) {
    arg = simple_exp(known, arg);
  }
  return FlatExp(std::move(node));
}

bool skips(const Flat& program) { return program->kind == FlatKind::Skip; }

bool assigned_to_itself(const FlatNode& node) {
  return node.value->kind == FlatExpKind::Read && node.value->var == node.var && node.value->index == node.index;
}

// Of a command that is built from simplified parts: nothing, if it does nothing.
Flat without_idle(FlatNode node) {
  switch (node.kind) {
    case FlatKind::Assign: return assigned_to_itself(node) ? Flat(FlatNode()) : Flat(std::move(node));
    case FlatKind::Seq:
      return skips(node.parts[0]) ? node.parts[1] : skips(node.parts[1]) ? node.parts[0] : Flat(std::move(node));
    case FlatKind::New:
    case FlatKind::For: return skips(node.parts[0]) ? Flat(FlatNode()) : Flat(std::move(node));
    case FlatKind::Skip: break;
  }
  return Flat(std::move(node));
}

Flat simplify_in(Bounds& bounds, std::vector<unsigned>& around, const Flat& program) {
  FlatNode node = *program;
  if (node.index) {
    node.index = simple(bounds, node.index);
  }
  if (node.value) {
    node.value = simple_exp({bounds, around}, node.value);
  }
  Bounds outer;
  if (node.size) {
    node.size = folded(node.size);
  }
  if (node.kind == FlatKind::For) {
    outer = bounds;
    bounds[node.var] = node.size;
    around.insert(around.begin(), node.var);
  }
  for (Flat& part : node.parts) {
    part = simplify_in(bounds, around, part);
  }
  if (node.kind == FlatKind::For) {
    bounds = std::move(outer);
    around.erase(around.begin());
  }
  return without_idle(std::move(node));
}

}  // namespace

bool below(const Bounds& bounds, const Index& e, const Size& n) {
  Top limit = top(bounds, e);
  return limit && (number(limit) && number(n) ? (*limit)->value <= n->value : *limit == n);
}

std::optional<Size> top(const Bounds& bounds, const Index& e) {
  switch (e->kind) {
    case IndexKind::Var: {
      auto found = bounds.find(e->var);
      return found != bounds.end() ? Top(found->second) : std::nullopt;
    }
    case IndexKind::Extent: return number(e) ? Top(size_const(e->size->value + 1)) : std::nullopt;
    case IndexKind::Add: return top_add(bounds, e->args[0], e->args[1]);
    case IndexKind::Sub: return top(bounds, e->args[0]);
    case IndexKind::Mul: return number(e->args[1]) ? top_times(top(bounds, e->args[0]), e->args[1]->size->value) : std::nullopt;
    case IndexKind::Div:
    case IndexKind::Mod: {
      Top first = top(bounds, e->args[0]);
      if (!extent(e->args[1])) {
        return first;
      }
      return e->kind == IndexKind::Div ? top_quotient(first, e->args[1]->size) : top_remainder(first, e->args[1]->size);
    }
  }
  fault("no such index term");
}

Index simple(const Bounds& bounds, const Index& e) {
  if (e->kind == IndexKind::Var || e->kind == IndexKind::Extent) {
    return extent(e) ? index_size(folded(e->size)) : e;
  }
  Index a = simple(bounds, e->args[0]);
  Index b = simple(bounds, e->args[1]);
  if (number(a) && number(b)) {
    return index_size(size_const(computed(e->kind, a->size->value, b->size->value)));
  }
  switch (e->kind) {
    case IndexKind::Add: return plus(a, b);
    case IndexKind::Sub: return minus(a, b);
    case IndexKind::Mul: return index_times(a, b);
    case IndexKind::Div: return quotient(bounds, a, b);
    default: return remainder(bounds, a, b);
  }
}

Flat simplify(const Flat& program) {
  Bounds bounds;
  std::vector<unsigned> around;
  return simplify_in(bounds, around, program);
}

}  // namespace vouch::array
