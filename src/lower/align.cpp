#include "lower/align.h"

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

// How a view may read the root of the acceptor that is being written: not at all, the same cell only, each row as the
// part says, the halves of a pair as the parts say, or anyhow.
enum class TagKind : std::uint8_t { Cold, Aligned, Row, Both, Any };
struct TagNode;
using Tag = Ref<TagNode>;
struct TagNode {
  TagKind kind = TagKind::Cold;
  std::vector<Tag> parts;  // Row: one; Both: two
};
using Tags = std::vector<Tag>;  // of data variables, number 0 first; beyond the end: cold

Tag tag(TagKind kind, std::vector<Tag> parts = {}) { return Tag({kind, std::move(parts)}); }
bool is_cold(const Tag& t) { return t->kind == TagKind::Cold; }

bool no_any(const Tag& t) { return t->kind != TagKind::Any && std::all_of(t->parts.begin(), t->parts.end(), no_any); }

// With respect to a row, of a row.
Tag unrow(const Tag& t) {
  switch (t->kind) {
    case TagKind::Cold:
    case TagKind::Aligned: return t;
    case TagKind::Row: return t->parts[0];
    case TagKind::Both:
    case TagKind::Any: return tag(TagKind::Any);
  }
  fault("no such tag");
}

// What remains once other parts of the root are written.
Tag lowered(const Tag& t) {
  switch (t->kind) {
    case TagKind::Cold: return t;
    case TagKind::Both: return tag(TagKind::Both, {lowered(t->parts[0]), lowered(t->parts[1])});
    case TagKind::Aligned:
    case TagKind::Row:
    case TagKind::Any: return tag(TagKind::Any);
  }
  fault("no such tag");
}

Tags lowered(Tags tags) {
  for (Tag& t : tags) {
    t = lowered(t);
  }
  return tags;
}

Tag both(const Tag& t, const Tag& u) { return is_cold(t) && is_cold(u) ? t : tag(TagKind::Both, {t, u}); }

Tag zipped(const Tag& t, const Tag& u) {
  if (is_cold(t) && is_cold(u)) {
    return t;
  }
  bool fresh = no_any(unrow(t)) && no_any(unrow(u));
  return fresh ? tag(TagKind::Row, {both(unrow(t), unrow(u))}) : tag(TagKind::Any);
}

Tag through_layout(const Layout& of, const Tag& t) {
  if (is_cold(t)) {
    return t;
  }
  if (t->kind == TagKind::Both) {
    switch (of->kind) {
      case LayoutKind::Fst: return t->parts[0];
      case LayoutKind::Snd: return t->parts[1];
      case LayoutKind::Zip: return zipped(t->parts[0], t->parts[1]);
      case LayoutKind::At:
      case LayoutKind::Unzip:
      case LayoutKind::Split:
      case LayoutKind::Join:
      case LayoutKind::Trans:
      case LayoutKind::Rev:
      case LayoutKind::Slide:
      case LayoutKind::Slice:
      case LayoutKind::Repeat:
      case LayoutKind::Each: break;
    }
  }
  return tag(TagKind::Any);
}

// Cell p comes from cell p only, wherever p is.
bool is_aligned(const Tag& t) {
  return t->kind == TagKind::Cold || t->kind == TagKind::Aligned || (t->kind == TagKind::Row && is_aligned(t->parts[0]));
}

Tags push(const Tag& t, const Tags& tags) {
  Tags result{t};
  result.insert(result.end(), tags.begin(), tags.end());
  return result;
}

Tag tag_at(const Tags& tags, unsigned variable) { return variable < tags.size() ? tags[variable] : tag(TagKind::Cold); }

Tag view_tag(const Tags& tags, const Exp& e) {
  switch (e->kind) {
    case ExpKind::Var: return tag_at(tags, e->var);
    case ExpKind::Const: return tag(TagKind::Cold);
    case ExpKind::Op:
    case ExpKind::Pad: {
      Tag t = view_tag(tags, e->args[0]);
      return is_cold(t) ? t : tag(TagKind::Any);
    }
    case ExpKind::Pair: return both(view_tag(tags, e->args[0]), view_tag(tags, e->args[1]));
    case ExpKind::Lay: return through_layout(e->layout, view_tag(tags, e->args[0]));
    case ExpKind::If: {
      Tag t = view_tag(tags, e->args[0]);
      Tag u = view_tag(tags, e->args[1]);
      return is_cold(t) ? u : is_cold(u) ? t : tag(TagKind::Any);
    }
    case ExpKind::Map:
    case ExpKind::Reduce:
    case ExpKind::Mem:
    case ExpKind::Cat: return tag(TagKind::Cold);
    case ExpKind::Let: return view_tag(push(view_tag(tags, e->args[0]), tags), e->args[1]);
  }
  fault("no such term");
}

// A variable, or halves of it: then only the part that is read needs to be fresh.
bool is_part(const Exp& e) {
  if (e->kind == ExpKind::Lay && (e->layout->kind == LayoutKind::Fst || e->layout->kind == LayoutKind::Snd)) {
    return is_part(e->args[0]);
  }
  return e->kind == ExpKind::Var;
}

// The view of the term reads nothing stale.
bool reads_fresh(const Tags& tags, const Exp& e) {
  if (is_part(e) && no_any(view_tag(tags, e))) {
    return true;
  }
  if (e->kind == ExpKind::Var) {
    return no_any(tag_at(tags, e->var));
  }
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    Tags inner = tags;
    inner.insert(inner.begin(), binders_of(*e, i).data, tag(TagKind::Cold));
    if (!reads_fresh(inner, e->args[i])) {
      return false;
    }
  }
  return true;
}

bool aligned_write(const Tags& tags, const Exp& e);

bool aligned_copy(const Tags& tags, const Exp& e) { return reads_fresh(tags, e) && is_aligned(view_tag(tags, e)); }

bool aligned_reduce(const Tags& tags, const Exp& e) {
  const Exp& step = e->args[0];
  const Exp& start = e->args[1];
  const Exp& array = e->args[2];
  if (e->place == Place::Fresh || !may_reduce_in_place(step)) {
    return aligned_copy(tags, e);
  }
  return reads_fresh(tags, array) && is_cold(view_tag(tags, array)) && aligned_write(tags, start) &&
         aligned_write(push(tag(TagKind::Cold), push(tag(TagKind::Aligned), lowered(tags))), step);
}

// Only a scalar is of this form.
bool is_scalar(const Exp& e) {
  return e->kind == ExpKind::Op || (e->kind == ExpKind::If && (is_scalar(e->args[0]) || is_scalar(e->args[1])));
}

// Writing the term into an acceptor in place is right.
bool aligned_write(const Tags& tags, const Exp& e) {
  switch (e->kind) {
    case ExpKind::Const:
    case ExpKind::Op: return reads_fresh(tags, e);
    case ExpKind::Pair:
    case ExpKind::Cat: return aligned_write(lowered(tags), e->args[0]) && aligned_write(lowered(tags), e->args[1]);
    case ExpKind::Lay: return is_invertible(e->layout) ? aligned_write(lowered(tags), e->args[0]) : aligned_copy(tags, e);
    case ExpKind::Map: {
      Tag row = unrow(view_tag(tags, e->args[1]));
      return reads_fresh(tags, e->args[1]) && no_any(row) && aligned_write(push(row, lowered(tags)), e->args[0]);
    }
    case ExpKind::Reduce: return aligned_reduce(tags, e);
    case ExpKind::Let: return reads_fresh(tags, e->args[0]) && aligned_write(push(view_tag(tags, e->args[0]), tags), e->args[1]);
    case ExpKind::Mem: return aligned_write(tags, e->args[0]);
    case ExpKind::If: return reads_fresh(tags, e) && (is_scalar(e) || is_aligned(view_tag(tags, e)));
    case ExpKind::Var:
    case ExpKind::Pad: return aligned_copy(tags, e);
  }
  fault("no such term");
}

}  // namespace

bool may_reduce_in_place(const Exp& step) { return aligned_write({tag(TagKind::Cold), tag(TagKind::Aligned)}, step); }

}  // namespace vouch::array
