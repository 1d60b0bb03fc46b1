#include "lower/index_limits.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace vouch::array {
namespace {

class Limits {
 public:
  explicit Limits(const std::vector<SizeFact>& facts) : facts_(facts) {}

  void visit(const Flat& c) {
    switch (c->kind) {
      case FlatKind::Skip: return;
      case FlatKind::Seq:
        visit(c->parts[0]);
        visit(c->parts[1]);
        return;
      case FlatKind::Assign:
        if (c->index) {
          visit(c->index);
        }
        visit(c->value);
        return;
      case FlatKind::New:
        if (c->size) {
          // What is asked of the allocator, at most.
          parts(size_add(size_mul(size_const(8), c->size), size_const(127)));
        }
        visit(c->parts[0]);
        return;
      case FlatKind::For: {
        visit(c->from);
        visit(c->until);
        parts(c->size);
        auto outer = bounds_.find(c->var);
        Size before = outer == bounds_.end() ? Size() : outer->second;
        bounds_[c->var] = c->size;
        visit(c->parts[0]);
        bounds_[c->var] = before;
        return;
      }
    }
  }

  const std::vector<Size>& all() const { return limits_; }

 private:
  void visit(const FlatExp& e) {
    if (e->index) {
      visit(e->index);
    }
    if (e->kind == FlatExpKind::If) {
      visit(e->guard);
    }
    for (const FlatExp& arg : e->args) {
      visit(arg);
    }
  }

  void visit(const Guard& guard) {
    for (const Index& term : guard->terms) {
      visit(term);
    }
    for (const Guard& part : guard->parts) {
      visit(part);
    }
  }

  void visit(const std::vector<FlatDifference>& differences) {
    for (const auto& [a, b] : differences) {
      visit(a);
      visit(b);
    }
  }

  void visit(const Index& index) {
    if (index->kind == IndexKind::Extent) {
      return parts(index->size);
    }
    if (index->kind != IndexKind::Sub) {
      add(limit(index));
    }
    for (const Index& part : index->args) {
      visit(part);
    }
  }

  // No term exceeds this.
  Size limit(const Index& index) {
    switch (index->kind) {
      case IndexKind::Var: return bounds_.at(index->var);
      case IndexKind::Extent: return index->size;
      case IndexKind::Add: return size_add(limit(index->args[0]), limit(index->args[1]));
      case IndexKind::Mul: return size_mul(limit(index->args[0]), limit(index->args[1]));
      case IndexKind::Sub:
      case IndexKind::Div:
      case IndexKind::Mod: return limit(index->args[0]);
    }
    return size_const(0);
  }

  void parts(const Size& size) {
    add(size);
    if (size->kind == SizeKind::Part) {
      add(size_var(size->var));
    }
    for (const Size& part : size->args) {
      parts(part);
    }
  }

  void add(const Size& size) {
    if (!seen_.insert(size_term(size)).second || size_at_most(facts_, size, size_const((Integer(1) << 63) - 1))) {
      return;
    }
    if (std::any_of(limits_.begin(), limits_.end(), [&](const Size& known) { return size_at_most(facts_, size, known); })) {
      return;
    }
    std::erase_if(limits_, [&](const Size& known) { return size_at_most(facts_, known, size); });
    limits_.push_back(size);
  }

  const std::vector<SizeFact>& facts_;
  std::map<unsigned, Size> bounds_;
  std::unordered_set<Term> seen_;
  std::vector<Size> limits_;
};

}  // namespace

std::vector<Size> index_limits(const std::vector<SizeFact>& facts, const Flat& flat) {
  Limits limits(facts);
  limits.visit(flat);
  return limits.all();
}

}  // namespace vouch::array
