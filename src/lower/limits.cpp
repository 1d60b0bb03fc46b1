#include "lower/limits.h"

#include "lower/path.h"

namespace vouch::array {
namespace {

class Search {
 public:
  // Its value, if it has no variables.
  std::optional<Integer> visit(const Size& size) {
    std::optional<Integer> value = value_of(size);
    if (value && *value >= (Integer(1) << 63) && !found_) {
      found_ = size;
    }
    return value;
  }

  void visit(const Index& index) {
    if (index->kind == IndexKind::Extent) {
      visit(index->size);
    }
    for (const Index& part : index->args) {
      visit(part);
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

  void visit(const Flat& c) {
    if (c->size) {
      visit(c->size);
    }
    if (c->index) {
      visit(c->index);
    }
    if (c->kind == FlatKind::Assign) {
      visit(c->value);
    }
    for (const std::vector<FlatDifference>* differences : {&c->from, &c->until}) {
      for (const auto& [a, b] : *differences) {
        visit(a);
        visit(b);
      }
    }
    for (const Flat& part : c->parts) {
      visit(part);
    }
  }

  std::optional<Size> found() const { return found_; }

 private:
  std::optional<Integer> value_of(const Size& size) {
    if (size->args.empty()) {
      return size->kind == SizeKind::Const ? std::optional(size->value) : std::nullopt;
    }
    std::optional<Integer> a = visit(size->args[0]);
    std::optional<Integer> b = visit(size->args[1]);
    if (!a || !b) {
      return std::nullopt;
    }
    return size->kind == SizeKind::Add ? Integer(*a + *b) : Integer(*a * *b);
  }

  std::optional<Size> found_;
};

}  // namespace

std::optional<Size> size_beyond_64_bits(const Program& program, const Flat& flat) {
  Search search;
  for (const Parameter& input : program.inputs) {
    search.visit(type_size(input.type));
  }
  search.visit(type_size(program.output.type));
  search.visit(flat);
  return search.found();
}

}  // namespace vouch::array
