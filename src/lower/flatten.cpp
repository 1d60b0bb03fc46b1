#include <algorithm>
#include <map>

#include "lower/lower.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

// Paths with index terms in place of numbers, outermost step first.
enum class PathKind : std::uint8_t { At, Fst, Snd };
struct PathStep {
  PathKind kind = PathKind::At;
  Index index;
};
using Path = std::vector<PathStep>;

// What is neutral is left out: adding 0, multiplying by 1.
Size flat_mul(const Size& a, const Size& b) {
  if (is_const(a, 1)) {
    return b;
  }
  if (is_const(b, 1)) {
    return a;
  }
  bool known = a->kind == SizeKind::Const && b->kind == SizeKind::Const;
  return known ? size_const(a->value * b->value) : size_mul(a, b);
}

Size flat_add(const Size& a, const Size& b) {
  if (is_const(a, 0)) {
    return b;
  }
  if (is_const(b, 0)) {
    return a;
  }
  bool known = a->kind == SizeKind::Const && b->kind == SizeKind::Const;
  return known ? size_const(a->value + b->value) : size_add(a, b);
}

bool is_index_const(const Index& i, int value) { return i->kind == IndexKind::Extent && is_const(i->size, value); }

Index plus(const Index& a, const Index& b) {
  return is_index_const(a, 0) ? b : is_index_const(b, 0) ? a : index_op(IndexKind::Add, a, b);
}

Index minus(const Index& a, const Index& b) {
  return is_index_const(b, 0) ? a : index_op(IndexKind::Sub, a, b);
}

Index times(const Index& a, const Index& b) {
  if (is_index_const(a, 0) || is_index_const(b, 1)) {
    return a;
  }
  return is_index_const(b, 0) || is_index_const(a, 1) ? b : index_op(IndexKind::Mul, a, b);
}

Index over(const Index& a, const Index& b) { return is_index_const(b, 1) ? a : index_op(IndexKind::Div, a, b); }

PathStep at(const Index& index) { return {PathKind::At, index}; }

bool is_at(const Path& path, std::size_t i) { return i < path.size() && path[i].kind == PathKind::At; }

Index reversed(const Size& n, const Index& i) {
  return index_op(IndexKind::Sub, index_size(n), index_op(IndexKind::Add, i, index_size(size_const(1))));
}

// i, j -> i*n + j, and back.
void join_steps(Path& path, const Size& n) {
  path[1] = at(plus(times(path[0].index, index_size(n)), path[1].index));
  path.erase(path.begin());
}

void split_step(Path& path, const Size& n) {
  Index i = path[0].index;
  path[0] = at(index_op(IndexKind::Mod, i, index_size(n)));
  path.insert(path.begin(), at(over(i, index_size(n))));
}

void slide_steps(Path& path, const Layout& of) {
  path[1] = at(plus(times(path[0].index, index_size(of->sizes[2])), times(path[1].index, index_size(of->sizes[3]))));
  path.erase(path.begin());
}

// Applies `inner` to what follows the first step.
template <class Inner>
void after_first(Path& path, Inner inner) {
  if (path.empty()) {
    return;
  }
  Path rest(path.begin() + 1, path.end());
  inner(rest);
  path.resize(1);
  path.insert(path.end(), rest.begin(), rest.end());
}

// The cell at `path` of a layout's result is the cell at the new path of its argument.
void through_layout(const Layout& of, Path& path) {
  bool one = is_at(path, 0);
  bool two = one && is_at(path, 1);
  switch (of->kind) {
    case LayoutKind::Fst: path.insert(path.begin(), {PathKind::Fst, {}}); return;
    case LayoutKind::Snd: path.insert(path.begin(), {PathKind::Snd, {}}); return;
    case LayoutKind::At: path.insert(path.begin(), at(of->index)); return;
    case LayoutKind::Zip:
      if (one && path.size() > 1) {
        std::swap(path[0], path[1]);
      }
      return;
    case LayoutKind::Unzip:
      if (is_at(path, 1)) {
        std::swap(path[0], path[1]);
      }
      return;
    case LayoutKind::Split:
      if (two) {
        join_steps(path, of->sizes[0]);
      }
      return;
    case LayoutKind::Join:
      if (one) {
        split_step(path, of->sizes[0]);
      }
      return;
    case LayoutKind::Trans:
      if (two) {
        std::swap(path[0], path[1]);
      }
      return;
    case LayoutKind::Rev:
      if (one) {
        path[0] = at(reversed(of->sizes[0], path[0].index));
      }
      return;
    case LayoutKind::Slide:
      if (two) {
        slide_steps(path, of);
      }
      return;
    case LayoutKind::Slice:
      if (one) {
        path[0] = at(plus(index_size(of->sizes[0]), path[0].index));
      }
      return;
    case LayoutKind::Repeat:
      if (one) {
        path.erase(path.begin());
      }
      return;
    case LayoutKind::Each: after_first(path, [&](Path& rest) { through_layout(of->inner, rest); }); return;
  }
  fault("no such layout");
}

// The inverse, for invertible layouts: from the argument's path to the result's.
void through_inverse(const Layout& of, Path& path) {
  bool one = is_at(path, 0);
  switch (of->kind) {
    case LayoutKind::Zip:
      if (is_at(path, 1)) {
        std::swap(path[0], path[1]);
      }
      return;
    case LayoutKind::Unzip:
      if (one && path.size() > 1) {
        std::swap(path[0], path[1]);
      }
      return;
    case LayoutKind::Split:
      if (one) {
        split_step(path, of->sizes[0]);
      }
      return;
    case LayoutKind::Join:
      if (one && is_at(path, 1)) {
        join_steps(path, of->sizes[0]);
      }
      return;
    case LayoutKind::Trans:
    case LayoutKind::Rev: through_layout(of, path); return;
    case LayoutKind::Each: after_first(path, [&](Path& rest) { through_inverse(of->inner, rest); }); return;
    case LayoutKind::Fst:
    case LayoutKind::Snd:
    case LayoutKind::At:
    case LayoutKind::Slide:
    case LayoutKind::Slice:
    case LayoutKind::Repeat: return;
  }
  fault("no such layout");
}

void through_step(const Step& step, Path& path) {
  switch (step.kind) {
    case StepKind::At: path.insert(path.begin(), at(step.index)); return;
    case StepKind::Fst: path.insert(path.begin(), {PathKind::Fst, {}}); return;
    case StepKind::Snd: path.insert(path.begin(), {PathKind::Snd, {}}); return;
    case StepKind::Offset:
      if (is_at(path, 0)) {
        path[0] = at(plus(index_size(step.size), path[0].index));
      }
      return;
    case StepKind::Lay: through_inverse(step.layout, path); return;
  }
  fault("no such step");
}

Path through_acceptor(const Acceptor& place, Path path) {
  for (std::size_t i = place.steps.size(); i-- > 0;) {
    through_step(place.steps[i], path);
  }
  return path;
}

Size type_size(const Type& type) {
  switch (type->kind) {
    case TypeKind::Num: return size_const(1);
    case TypeKind::Array: return flat_mul(type->size, type_size(type->parts[0]));
    case TypeKind::Pair: return flat_add(type_size(type->parts[0]), type_size(type->parts[1]));
  }
  fault("no such type");
}

// Where a path ends up: arrays row by row, halves of a pair one after the other.
Index offset_term(const Type& type, const Path& path, std::size_t i) {
  if (i < path.size()) {
    if (type->kind == TypeKind::Array && path[i].kind == PathKind::At) {
      return plus(times(path[i].index, index_size(type_size(type->parts[0]))),
                  offset_term(type->parts[0], path, i + 1));
    }
    if (type->kind == TypeKind::Pair && path[i].kind == PathKind::Fst) {
      return offset_term(type->parts[0], path, i + 1);
    }
    if (type->kind == TypeKind::Pair && path[i].kind == PathKind::Snd) {
      return plus(index_size(type_size(type->parts[0])), offset_term(type->parts[1], path, i + 1));
    }
  }
  return index_size(size_const(0));
}

// lo <= i < lo + n
Guard pad_guard(const Size& lo, const Size& n, const Index& i) {
  if (is_const(lo, 0)) {
    return guard_compare(GuardKind::Less, i, index_size(n));
  }
  Guard below = guard_compare(GuardKind::Less, i, index_size(lo));
  return guard_join(GuardKind::And, {guard_join(GuardKind::Not, {below}),
                                     guard_compare(GuardKind::Less, i, index_size(flat_add(lo, n)))});
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
        node.size = c->size;
        node.parts = {command(c->parts[0])};
        break;
    }
    return Flat(std::move(node));
  }

 private:
  // Names are nesting depths: a variable that is declared again has gone out of scope.
  void set(unsigned variable, const Type& type) { types_[variable] = type; }

  Index offset(unsigned variable, const Path& path) const {
    const Type& type = types_.at(variable);
    return type->kind == TypeKind::Num ? Index() : offset_term(type, path, 0);
  }

  FlatExp op_view(const View& x) const {
    const View& arg = x->args[0];
    switch (op_row(x->op).arity) {
      case 1: return flat_op(x->op, {view(arg, {})});
      case 2: return flat_op(x->op, {view(arg, {{PathKind::Fst, {}}}), view(arg, {{PathKind::Snd, {}}})});
      default:
        return flat_op(x->op, {view(arg, {{PathKind::Fst, {}}}),
                               view(arg, {{PathKind::Snd, {}}, {PathKind::Fst, {}}}),
                               view(arg, {{PathKind::Snd, {}}, {PathKind::Snd, {}}})});
    }
  }

  FlatExp pad_view(const View& x, Path path) const {
    if (!is_at(path, 0)) {
      return flat_const(x->constant);
    }
    Guard inside = pad_guard(x->sizes[0], x->sizes[1], path[0].index);
    path[0] = at(minus(path[0].index, index_size(x->sizes[0])));
    return flat_if(inside, view(x->args[0], path), flat_const(x->constant));
  }

  // The scalar that a view is at a path.
  FlatExp view(const View& x, Path path) const {
    switch (x->kind) {
      case ViewKind::Var: return flat_read(x->var, offset(x->var, path));
      case ViewKind::Accept:
        return flat_read(x->acceptor.root, offset(x->acceptor.root, through_acceptor(x->acceptor, path)));
      case ViewKind::Const: return flat_const(x->constant);
      case ViewKind::Op: return op_view(x);
      case ViewKind::Pair: {
        ensure(!path.empty() && path[0].kind != PathKind::At, "a pair is read through one of its halves");
        Path rest(path.begin() + 1, path.end());
        return view(x->args[path[0].kind == PathKind::Fst ? 0 : 1], rest);
      }
      case ViewKind::Lay:
        through_layout(x->layout, path);
        return view(x->args[0], path);
      case ViewKind::Pad: return pad_view(x, std::move(path));
      case ViewKind::If: return flat_if(x->guard, view(x->args[0], path), view(x->args[1], path));
    }
    fault("no such view");
  }

  std::map<unsigned, Type> types_;
};

}  // namespace

Flat flatten(const Program& program, const Comm& comm) { return Flattening(program).command(comm); }

}  // namespace vouch::array
