#include "lower/path.h"

#include <algorithm>

#include "lower/neutral.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

Index reversed(const Size& n, const Index& i) {
  return index_op(IndexKind::Sub, index_size(n), index_op(IndexKind::Add, i, index_size(size_const(1))));
}

// i, j -> i*n + j, and back.
void join_steps(Path& path, const Size& n) {
  path[1] = path_at(index_plus(index_times(path[0].index, index_size(n)), path[1].index));
  path.erase(path.begin());
}

void split_step(Path& path, const Size& n) {
  Index i = path[0].index;
  path[0] = path_at(index_op(IndexKind::Mod, i, index_size(n)));
  path.insert(path.begin(), path_at(index_over(i, index_size(n))));
}

void slide_steps(Path& path, const Layout& of) {
  path[1] = path_at(
      index_plus(index_times(path[0].index, index_size(of->sizes[2])), index_times(path[1].index, index_size(of->sizes[3]))));
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

// Where a path ends up: arrays row by row, halves of a pair one after the other.
Index offset_term(const Type& type, const Path& path, std::size_t i) {
  if (i < path.size()) {
    if (type->kind == TypeKind::Array && path[i].kind == PathKind::At) {
      return index_plus(index_times(path[i].index, index_size(type_size(type->parts[0]))),
                        offset_term(type->parts[0], path, i + 1));
    }
    if (type->kind == TypeKind::Pair && path[i].kind == PathKind::Fst) {
      return offset_term(type->parts[0], path, i + 1);
    }
    if (type->kind == TypeKind::Pair && path[i].kind == PathKind::Snd) {
      return index_plus(index_size(type_size(type->parts[0])), offset_term(type->parts[1], path, i + 1));
    }
  }
  return index_size(size_const(0));
}

}  // namespace

PathStep path_at(const Index& index) { return {PathKind::At, index}; }

bool is_at(const Path& path, std::size_t i) { return i < path.size() && path[i].kind == PathKind::At; }

void through_layout(const Layout& of, Path& path) {
  bool one = is_at(path, 0);
  bool two = one && is_at(path, 1);
  switch (of->kind) {
    case LayoutKind::Fst: path.insert(path.begin(), {PathKind::Fst, {}}); return;
    case LayoutKind::Snd: path.insert(path.begin(), {PathKind::Snd, {}}); return;
    case LayoutKind::At: path.insert(path.begin(), path_at(of->index)); return;
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
        path[0] = path_at(reversed(of->sizes[0], path[0].index));
      }
      return;
    case LayoutKind::Slide:
      if (two) {
        slide_steps(path, of);
      }
      return;
    case LayoutKind::Slice:
      if (one) {
        path[0] = path_at(index_plus(index_size(of->sizes[0]), path[0].index));
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

void through_step(const Step& step, Path& path) {
  switch (step.kind) {
    case StepKind::At: path.insert(path.begin(), path_at(step.index)); return;
    case StepKind::Fst: path.insert(path.begin(), {PathKind::Fst, {}}); return;
    case StepKind::Snd: path.insert(path.begin(), {PathKind::Snd, {}}); return;
    case StepKind::Offset:
      if (is_at(path, 0)) {
        path[0] = path_at(index_plus(index_size(step.size), path[0].index));
      }
      return;
    case StepKind::Lay: through_inverse(step.layout, path); return;
  }
  fault("no such step");
}

Size type_size(const Type& type) {
  switch (type->kind) {
    case TypeKind::Num: return size_const(1);
    case TypeKind::Array: return neutral_mul(type->size, type_size(type->parts[0]));
    case TypeKind::Pair: return neutral_add(type_size(type->parts[0]), type_size(type->parts[1]));
  }
  fault("no such type");
}

Index path_offset(const Type& type, const Path& path) {
  return type->kind == TypeKind::Num ? Index() : offset_term(type, path, 0);
}

Guard pad_guard(const Size& lo, const Size& n, const Index& i) {
  if (is_const(lo, 0)) {
    return guard_compare(GuardKind::Less, i, index_size(n));
  }
  Guard below = guard_compare(GuardKind::Less, i, index_size(lo));
  return guard_join(GuardKind::And,
                    {guard_join(GuardKind::Not, {below}), guard_compare(GuardKind::Less, i, index_size(neutral_add(lo, n)))});
}

}  // namespace vouch::array
