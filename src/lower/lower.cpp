#include "lower/lower.h"

#include "lower/align.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

struct Temporary {
  Type type;
  Comm fill;
};
using Prelude = std::vector<Temporary>;

// New temporaries, each with the command that fills it, then a view.
struct Passed {
  Prelude prelude;
  View view;
};

// `loops`: the loop variable of each index variable; `views`: the view of each data variable; number 0 first. `depth`:
// every name below is in use, none from there on.
struct Scope {
  std::vector<unsigned> loops;
  std::vector<View> views;
  unsigned depth = 0;

  Scope deeper(std::size_t by) const {
    Scope scope = *this;
    scope.depth += static_cast<unsigned>(by);
    return scope;
  }
  Scope with_view(const View& view) const {
    Scope scope = *this;
    scope.views.insert(scope.views.begin(), view);
    return scope;
  }
  Scope with_loop(unsigned loop) const {
    Scope scope = *this;
    scope.loops.insert(scope.loops.begin(), loop);
    return scope;
  }
};

Index rename(const Scope& scope, const Index& index) {
  switch (index->kind) {
    case IndexKind::Var: return index_var(scope.loops.at(index->var));
    case IndexKind::Extent: return index;
    case IndexKind::Add:
    case IndexKind::Sub:
    case IndexKind::Mul:
    case IndexKind::Div:
    case IndexKind::Mod: return index_op(index->kind, rename(scope, index->args[0]), rename(scope, index->args[1]));
  }
  fault("no such index term");
}

Guard rename(const Scope& scope, const Guard& guard) {
  return mapped(guard, [&](const Index& index) { return rename(scope, index); });
}

Layout rename(const Scope& scope, const Layout& of) {
  LayoutNode node = *of;
  if (node.index) {
    node.index = rename(scope, node.index);
  }
  if (node.inner) {
    node.inner = rename(scope, node.inner);
  }
  return Layout(std::move(node));
}

Comm wrap(unsigned depth, const Prelude& prelude, Comm body) {
  for (std::size_t i = prelude.size(); i-- > 0;) {
    body = comm_new(depth + static_cast<unsigned>(i), prelude[i].type, comm_seq(prelude[i].fill, body));
  }
  return body;
}

Step at_loop(unsigned loop) { return {StepKind::At, index_var(loop), {}, {}}; }

// Element by element, for any type: the paper's array assignment.
Comm assign(const Type& type, unsigned depth, const Acceptor& place, const View& view) {
  switch (type->kind) {
    case TypeKind::Num: return comm_assign(place, view);
    case TypeKind::Array:
      return comm_for(LoopKind::Seq, depth, type->size,
                      assign(type->parts[0], depth + 1, step_into(place, at_loop(depth)), view_at(view, depth)));
    case TypeKind::Pair:
      return comm_seq(assign(type->parts[0], depth, step_into(place, {StepKind::Fst, {}, {}, {}}),
                             view_layout(layout(LayoutKind::Fst), view)),
                      assign(type->parts[1], depth, step_into(place, {StepKind::Snd, {}, {}, {}}),
                             view_layout(layout(LayoutKind::Snd), view)));
  }
  fault("no such type");
}

Passed pass(const Exp& e, const Scope& scope);
Comm accept(const Exp& e, const Type& type, const Scope& scope, const Acceptor& place);

// A view first, then a copy of it: what acceptors do where they have no rule of their own.
Comm copy_out(const Exp& e, const Type& type, const Scope& scope, const Acceptor& place) {
  Passed passed = pass(e, scope);
  unsigned depth = scope.depth + static_cast<unsigned>(passed.prelude.size());
  return wrap(scope.depth, passed.prelude, assign(type, depth, place, passed.view));
}

// A temporary first, then a view of it.
Passed spill(const Exp& e, const Type& type, const Scope& scope) {
  return {{{type, accept(e, type, scope.deeper(1), {scope.depth, {}})}}, view_var(scope.depth)};
}

// Views of the arguments in turn, joined by `make`.
template <class Make>
Passed pass_all(const std::vector<Exp>& args, const Scope& scope, Make make) {
  Passed result;
  std::vector<View> views;
  for (const Exp& arg : args) {
    Passed passed = pass(arg, scope.deeper(result.prelude.size()));
    result.prelude.insert(result.prelude.end(), passed.prelude.begin(), passed.prelude.end());
    views.push_back(passed.view);
  }
  result.view = make(std::move(views));
  return result;
}

View make_view(const Exp& e, const Scope& scope, std::vector<View> args) {
  ViewNode node;
  node.args = std::move(args);
  switch (e->kind) {
    case ExpKind::Op:
      node.kind = ViewKind::Op;
      node.op = e->op;
      break;
    case ExpKind::Pair: node.kind = ViewKind::Pair; break;
    case ExpKind::Lay:
      node.kind = ViewKind::Lay;
      node.layout = rename(scope, e->layout);
      break;
    case ExpKind::Pad:
      node.kind = ViewKind::Pad;
      node.sizes = {e->sizes[0], e->sizes[1]};
      node.constant = e->constant;
      break;
    case ExpKind::If:
      node.kind = ViewKind::If;
      node.guard = rename(scope, e->guard);
      break;
    case ExpKind::Var:
    case ExpKind::Const:
    case ExpKind::Map:
    case ExpKind::Reduce:
    case ExpKind::Let:
    case ExpKind::Mem:
    case ExpKind::Cat: fault("not a view of its arguments");
  }
  return View(std::move(node));
}

// One step over loop `loop`, accumulating in variable `v`: in place, or into a second buffer that is copied back.
Comm reduce_step(const Exp& e, const Scope& scope, unsigned v, unsigned loop, const View& array) {
  const Type& type = e->types[1];
  Scope inner = scope.with_view(view_var(v)).with_view(view_at(array, loop)).with_loop(loop);
  inner.depth = loop + 1;
  if (may_reduce_in_place(e->args[0])) {
    return accept(e->args[0], type, inner, {v, {}});
  }
  unsigned buffer = loop + 1;
  return comm_new(
      buffer, type,
      comm_seq(accept(e->args[0], type, inner.deeper(1), {buffer, {}}), assign(type, buffer + 1, {v, {}}, view_var(buffer))));
}

Passed pass_reduce(const Exp& e, const Scope& scope) {
  Passed array = pass(e->args[2], scope);
  unsigned v = scope.depth + static_cast<unsigned>(array.prelude.size());
  Scope outer = scope;
  outer.depth = v + 1;
  Comm start = accept(e->args[1], e->types[1], outer, {v, {}});
  Comm loop = comm_for(e->loop, v + 1, e->sizes[0], reduce_step(e, scope, v, v + 1, array.view), e->index_name);
  array.prelude.push_back({e->types[1], comm_seq(start, loop)});
  return {array.prelude, view_var(v)};
}

Passed pass_let(const Exp& e, const Scope& scope) {
  Passed value = pass(e->args[0], scope);
  Passed body = pass(e->args[1], scope.with_view(value.view).deeper(value.prelude.size()));
  value.prelude.insert(value.prelude.end(), body.prelude.begin(), body.prelude.end());
  return {value.prelude, body.view};
}

// The continuation translator C.
Passed pass(const Exp& e, const Scope& scope) {
  switch (e->kind) {
    case ExpKind::Var: return {{}, scope.views.at(e->var)};
    case ExpKind::Const: return {{}, view_const(e->constant)};
    case ExpKind::Op:
    case ExpKind::Pair:
    case ExpKind::Lay:
    case ExpKind::Pad:
    case ExpKind::If:
      return pass_all(e->args, scope, [&](std::vector<View> views) { return make_view(e, scope, std::move(views)); });
    case ExpKind::Map: return spill(e, type_array(e->sizes[0], e->types[1]), scope);
    case ExpKind::Reduce: return pass_reduce(e, scope);
    case ExpKind::Let: return pass_let(e, scope);
    case ExpKind::Mem: return spill(e->args[0], e->types[0], scope);
    case ExpKind::Cat: return spill(e, type_array(size_add(e->sizes[0], e->sizes[1]), e->types[0]), scope);
  }
  fault("no such term");
}

Comm accept_map(const Exp& e, const Scope& scope, const Acceptor& place) {
  Passed array = pass(e->args[1], scope);
  unsigned loop = scope.depth + static_cast<unsigned>(array.prelude.size());
  Scope inner = scope.with_view(view_at(array.view, loop)).with_loop(loop);
  inner.depth = loop + 1;
  Comm body = accept(e->args[0], e->types[1], inner, step_into(place, at_loop(loop)));
  return wrap(scope.depth, array.prelude, comm_for(e->loop, loop, e->sizes[0], body, e->index_name));
}

// Straight into the acceptor, which the step reads back through `view_accept`.
Comm accept_reduce(const Exp& e, const Type& type, const Scope& scope, const Acceptor& place) {
  if (e->place == Place::Fresh || !may_reduce_in_place(e->args[0])) {
    return copy_out(e, type, scope, place);
  }
  Passed array = pass(e->args[2], scope);
  unsigned loop = scope.depth + static_cast<unsigned>(array.prelude.size());
  Scope outer = scope;
  outer.depth = loop;
  Scope inner = scope.with_view(view_accept(place)).with_view(view_at(array.view, loop)).with_loop(loop);
  inner.depth = loop + 1;
  Comm start = accept(e->args[1], type, outer, place);
  Comm steps = comm_for(e->loop, loop, e->sizes[0], accept(e->args[0], e->types[1], inner, place), e->index_name);
  return wrap(scope.depth, array.prelude, comm_seq(start, steps));
}

Comm accept_let(const Exp& e, const Type& type, const Scope& scope, const Acceptor& place) {
  Passed value = pass(e->args[0], scope);
  Scope inner = scope.with_view(value.view).deeper(value.prelude.size());
  return wrap(scope.depth, value.prelude, accept(e->args[1], type, inner, place));
}

// The acceptor translator A: the command that fills `place`, of type `type`, with the term.
Comm accept(const Exp& e, const Type& type, const Scope& scope, const Acceptor& place) {
  switch (e->kind) {
    case ExpKind::Var:
    case ExpKind::Const:
    case ExpKind::Op:
    case ExpKind::Pad:
    case ExpKind::If: return copy_out(e, type, scope, place);
    case ExpKind::Pair:
      ensure(type->kind == TypeKind::Pair, "a pair is accepted by a pair");
      return comm_seq(accept(e->args[0], type->parts[0], scope, step_into(place, {StepKind::Fst, {}, {}, {}})),
                      accept(e->args[1], type->parts[1], scope, step_into(place, {StepKind::Snd, {}, {}, {}})));
    case ExpKind::Lay:
      if (!is_invertible(e->layout)) {
        return copy_out(e, type, scope, place);
      }
      return accept(e->args[0], layout_source(e->layout, type), scope, step_into(place, {StepKind::Lay, {}, {}, e->layout}));
    case ExpKind::Map: return accept_map(e, scope, place);
    case ExpKind::Reduce: return accept_reduce(e, type, scope, place);
    case ExpKind::Let: return accept_let(e, type, scope, place);
    case ExpKind::Mem: return accept(e->args[0], type, scope, place);
    case ExpKind::Cat:
      return comm_seq(accept(e->args[0], type_array(e->sizes[0], e->types[0]), scope, place),
                      accept(e->args[1], type_array(e->sizes[1], e->types[0]), scope,
                             step_into(place, {StepKind::Offset, {}, e->sizes[0], {}})));
  }
  fault("no such term");
}

}  // namespace

Comm lower(const Program& program) {
  unsigned output = static_cast<unsigned>(program.inputs.size());
  Scope scope;
  scope.depth = output + 1;
  for (unsigned v = 0; v < output; ++v) {
    scope.views.push_back(view_var(v));
  }
  return accept(program.term, program.output.type, scope, {output, {}});
}

}  // namespace vouch::array
