#include "lower/tighten.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace vouch::array {
namespace {

using Guards = std::vector<Guard>;
using Differences = std::vector<FlatDifference>;

bool is_number(const Index& e) { return e->kind == IndexKind::Extent && e->size->kind == SizeKind::Const; }
bool is_zero(const Index& e) { return is_number(e) && e->size->value == 0; }
Index index_number(const Integer& value) { return index_size(size_const(value)); }

// Numbers are added up.
Index sum_of(const Index& a, const Index& b) {
  if (is_number(a) && is_number(b)) {
    return index_number(a->size->value + b->size->value);
  }
  if (is_zero(a) || is_zero(b)) {
    return is_zero(a) ? b : a;
  }
  bool ends = a->kind == IndexKind::Add && is_number(a->args[1]) && is_number(b);
  return ends ? index_op(IndexKind::Add, a->args[0], index_number(a->args[1]->size->value + b->size->value))
              : index_op(IndexKind::Add, a, b);
}

Index next(const Index& e) { return sum_of(e, index_number(1)); }

// The number before, where one is added.
std::optional<Index> previous(const Index& e) {
  if (is_number(e)) {
    return is_zero(e) ? std::nullopt : std::optional(index_number(e->size->value - 1));
  }
  if (e->kind != IndexKind::Add) {
    return std::nullopt;
  }
  if (std::optional<Index> second = previous(e->args[1])) {
    return sum_of(e->args[0], *second);
  }
  std::optional<Index> first = previous(e->args[0]);
  return first ? std::optional(sum_of(*first, e->args[1])) : std::nullopt;
}

// What is added to the loop variable, which occurs once.
std::optional<Index> rest_of(unsigned loop, const Index& e) {
  if (e->kind == IndexKind::Var) {
    return e->var == loop ? std::optional(index_number(0)) : std::nullopt;
  }
  if (e->kind != IndexKind::Add) {
    return std::nullopt;
  }
  if (!mentions(e->args[1], loop)) {
    std::optional<Index> first = rest_of(loop, e->args[0]);
    return first ? std::optional(sum_of(*first, e->args[1])) : std::nullopt;
  }
  std::optional<Index> second = mentions(e->args[0], loop) ? std::nullopt : rest_of(loop, e->args[1]);
  return second ? std::optional(sum_of(e->args[0], *second)) : std::nullopt;
}

// Defined, whatever its variables are.
bool always_safe(const Index& e) {
  switch (e->kind) {
    case IndexKind::Var:
    case IndexKind::Extent: return true;
    case IndexKind::Add:
    case IndexKind::Mul: return always_safe(e->args[0]) && always_safe(e->args[1]);
    case IndexKind::Sub: return false;
    case IndexKind::Div:
    case IndexKind::Mod: return always_safe(e->args[0]) && is_number(e->args[1]) && !is_zero(e->args[1]);
  }
  return false;
}

// Of the other side and what is added to the variable; `strict`: one more, or one less on the other side.
FlatDifference exact(const Index& other, const Index& rest) { return {other, rest}; }
FlatDifference strict(const Index& other, const Index& rest) {
  std::optional<Index> less = previous(rest);
  return less ? FlatDifference(other, *less) : FlatDifference(next(other), rest);
}

using Bound = FlatDifference (*)(const Index&, const Index&);

void add_with_rest(unsigned loop, const Index& e, const Index& other, Bound bound, Differences& out) {
  std::optional<Index> rest = rest_of(loop, e);
  if (rest && !mentions(other, loop)) {
    out.push_back(bound(other, *rest));
  }
}

// Differences that the loop variable is not below where the condition holds, and that it is below.
struct LoopBounds {
  Differences lower;
  Differences upper;
};

LoopBounds bounds_of(unsigned loop, const Guard& g) {
  LoopBounds out;
  bool negated = g->kind == GuardKind::Not && g->parts[0]->kind == GuardKind::Less;
  if (!negated && g->kind != GuardKind::Less && g->kind != GuardKind::Equal) {
    return out;
  }
  const std::vector<Index>& terms = negated ? g->parts[0]->terms : g->terms;
  const Index& a = terms[0];
  const Index& b = terms[1];
  if (g->kind == GuardKind::Equal) {
    add_with_rest(loop, a, b, exact, out.lower);
    add_with_rest(loop, b, a, exact, out.lower);
    add_with_rest(loop, a, b, strict, out.upper);
    add_with_rest(loop, b, a, strict, out.upper);
  } else {
    add_with_rest(loop, negated ? a : b, negated ? b : a, negated ? exact : strict, out.lower);
    add_with_rest(loop, negated ? b : a, negated ? a : b, negated ? strict : exact, out.upper);
  }
  return out;
}

bool usable(unsigned loop, const Guard& g) {
  LoopBounds bounds = bounds_of(loop, g);
  auto safe = [](const FlatDifference& d) { return always_safe(d.first) && always_safe(d.second); };
  return !(bounds.lower.empty() && bounds.upper.empty()) && std::all_of(bounds.lower.begin(), bounds.lower.end(), safe) &&
         std::all_of(bounds.upper.begin(), bounds.upper.end(), safe);
}

void add_conjuncts(const Guard& g, Guards& out) {
  if (g->kind != GuardKind::And) {
    out.push_back(g);
    return;
  }
  add_conjuncts(g->parts[0], out);
  add_conjuncts(g->parts[1], out);
}

bool among(const Guards& guards, const Guard& g) { return std::find(guards.begin(), guards.end(), g) != guards.end(); }

Guards kept(Guards guards, const std::function<bool(const Guard&)>& keep) {
  std::erase_if(guards, [&](const Guard& g) { return !keep(g); });
  return guards;
}

Guards without(Guards guards, unsigned loop) {
  return kept(std::move(guards), [&](const Guard& g) { return !mentions(g, loop); });
}

bool reads(const Flat& c, unsigned to, unsigned from) {
  return c->kind == FlatKind::Assign && c->var == to && c->value->kind == FlatExpKind::Read && c->value->var == from;
}

// A scalar that is copied, changed, and copied back: the change.
std::optional<Flat> change_of_copy(const Flat& c) {
  const Flat& body = c->parts[0];
  if (c->size || body->kind != FlatKind::Seq || body->parts[0]->kind != FlatKind::Seq) {
    return std::nullopt;
  }
  const Flat& first = body->parts[0]->parts[0];
  const Flat& last = body->parts[1];
  bool copies = last->kind == FlatKind::Assign && last->var != c->var && reads(first, c->var, last->var) && !first->index &&
                reads(last, last->var, c->var) && !last->value->index && first->value->index == last->index;
  return copies ? std::optional(body->parts[0]->parts[1]) : std::nullopt;
}

// Conditions without any one of which the command does nothing.
Guards needed(const Flat& c) {
  switch (c->kind) {
    case FlatKind::Skip: return {};
    case FlatKind::Seq: {
      Guards second = needed(c->parts[1]);
      return kept(needed(c->parts[0]), [&](const Guard& g) { return among(second, g); });
    }
    case FlatKind::Assign: {
      Guards out;
      if (c->value->kind == FlatExpKind::If && c->value->args[1] == flat_read(c->var, c->index)) {
        add_conjuncts(c->value->guard, out);
      }
      return out;
    }
    case FlatKind::New: {
      std::optional<Flat> change = change_of_copy(c);
      return change ? needed(*change) : Guards();
    }
    case FlatKind::For: return without(needed(c->parts[0]), c->var);
  }
  return {};
}

// What is left of a condition, if anything.
std::optional<Guard> unknown(const Guards& known, const Guard& g) {
  if (g->kind != GuardKind::And) {
    return among(known, g) ? std::nullopt : std::optional(g);
  }
  std::optional<Guard> first = unknown(known, g->parts[0]);
  std::optional<Guard> second = unknown(known, g->parts[1]);
  return first && second ? std::optional(guard_join(GuardKind::And, {*first, *second})) : first ? first : second;
}

// The command without conditions that are known to hold.
Flat given(const Guards& known, const Flat& c) {
  FlatNode node = *c;
  if (c->kind == FlatKind::Assign && c->value->kind == FlatExpKind::If) {
    std::optional<Guard> left = unknown(known, c->value->guard);
    node.value = left ? flat_if(*left, c->value->args[0], c->value->args[1]) : c->value->args[0];
  }
  Guards inside = c->kind == FlatKind::For ? without(known, c->var) : known;
  for (Flat& part : node.parts) {
    part = given(inside, part);
  }
  return Flat(std::move(node));
}

Flat tight_loop(FlatNode loop) {
  Guards guards = kept(needed(loop.parts[0]), [&](const Guard& g) { return usable(loop.var, g); });
  for (const Guard& g : guards) {
    LoopBounds bounds = bounds_of(loop.var, g);
    loop.from.insert(loop.from.end(), bounds.lower.begin(), bounds.lower.end());
    loop.until.insert(loop.until.end(), bounds.upper.begin(), bounds.upper.end());
  }
  if (!guards.empty()) {
    loop.parts[0] = given(guards, loop.parts[0]);
  }
  return Flat(std::move(loop));
}

}  // namespace

Flat tightened(const Flat& program) {
  FlatNode node = *program;
  for (Flat& part : node.parts) {
    part = tightened(part);
  }
  return node.kind == FlatKind::For && node.loop == LoopKind::Seq ? tight_loop(std::move(node)) : Flat(std::move(node));
}

}  // namespace vouch::array
