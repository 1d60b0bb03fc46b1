#include <map>

#include "lower/lower.h"
#include "lower/neutral.h"
#include "lower/path.h"
#include "lower/simplify.h"
#include "lower/tighten.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

Path through_acceptor(const Acceptor& place, Path path) {
  for (std::size_t i = place.steps.size(); i-- > 0;) {
    through_step(place.steps[i], path);
  }
  return path;
}

class Flattening {
 public:
  explicit Flattening(const Program& program) {
    for (const Parameter& input : program.inputs) {
      set(static_cast<unsigned>(types_.size()), input.type);
    }
    set(static_cast<unsigned>(types_.size()), program.output.type);
  }

  Flat command(const Comm& c) {
    FlatNode node;
    switch (c->kind) {
      case CommKind::Skip: break;
      case CommKind::Seq:
        node.kind = FlatKind::Seq;
        node.parts = {command(c->parts[0]), command(c->parts[1])};
        break;
      case CommKind::Assign:
        node.kind = FlatKind::Assign;
        node.var = c->acceptor.root;
        node.index = offset(node.var, through_acceptor(c->acceptor, {}));
        node.value = view(c->view, {});
        break;
      case CommKind::New:
        node.kind = FlatKind::New;
        node.var = c->var;
        node.size = c->type->kind == TypeKind::Num ? Size() : type_size(c->type);
        set(c->var, c->type);
        node.parts = {command(c->parts[0])};
        break;
      case CommKind::For:
        node.kind = FlatKind::For;
        node.var = c->var;
        node.loop = c->loop;
        node.index_name = c->index_name;
        node.size = c->size;
        node.parts = {command(c->parts[0])};
        break;
    }
    return Flat(std::move(node));
  }

 private:
  // Names are nesting depths: a variable that is declared again has gone out of scope.
  void set(unsigned variable, const Type& type) { types_[variable] = type; }

  Index offset(unsigned variable, const Path& path) const { return path_offset(types_.at(variable), path); }

  FlatExp op_view(const View& x) const {
    const View& arg = x->args[0];
    switch (op_row(x->op).arity) {
      case 1: return flat_op(x->op, {view(arg, {})});
      case 2: return flat_op(x->op, {view(arg, {{PathKind::Fst, {}}}), view(arg, {{PathKind::Snd, {}}})});
      default:
        return flat_op(x->op, {view(arg, {{PathKind::Fst, {}}}), view(arg, {{PathKind::Snd, {}}, {PathKind::Fst, {}}}),
                               view(arg, {{PathKind::Snd, {}}, {PathKind::Snd, {}}})});
    }
  }

  FlatExp pad_view(const View& x, Path path) const {
    if (!is_at(path, 0)) {
      return flat_const(x->constant);
    }
    Guard inside = pad_guard(x->sizes[0], x->sizes[1], path[0].index);
    path[0] = path_at(index_minus(path[0].index, index_size(x->sizes[0])));
    return flat_if(inside, view(x->args[0], path), flat_const(x->constant));
  }

  // The scalar that a view is at a path.
  FlatExp view(const View& x, Path path) const {
    switch (x->kind) {
      case ViewKind::Var: return flat_read(x->var, offset(x->var, path));
      case ViewKind::Accept: return flat_read(x->acceptor.root, offset(x->acceptor.root, through_acceptor(x->acceptor, path)));
      case ViewKind::Const: return x->constant.ordinal && is_at(path, 0) ? flat_index(path[0].index) : flat_const(x->constant);
      case ViewKind::Op: return op_view(x);
      case ViewKind::Pair: {
        ensure(!path.empty() && path[0].kind != PathKind::At, "a pair is read through one of its halves");
        Path rest(path.begin() + 1, path.end());
        return view(x->args[path[0].kind == PathKind::Fst ? 0 : 1], rest);
      }
      case ViewKind::Lay: through_layout(x->layout, path); return view(x->args[0], path);
      case ViewKind::Pad: return pad_view(x, std::move(path));
      case ViewKind::If: return flat_if(x->guard, view(x->args[0], path), view(x->args[1], path));
    }
    fault("no such view");
  }

  std::map<unsigned, Type> types_;
};

}  // namespace

Flat flatten(const Program& program, const Comm& comm) { return Flattening(program).command(comm); }

Flat flat_program(const Program& program) { return tightened(simplify(flatten(program, lower(program)))); }

}  // namespace vouch::array
