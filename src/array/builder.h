// Builds well-typed programs term by term. Types are inferred; sizes and types of the syntax are those of the operands.
//
//   Builder b({"n"}, {}, report);
//   Size n = size_var(0);
//   Built xs = b.input("xs", type_array(n, type_num()));
//   Built sum = b.reduce(Place::Fresh, xs, b.number({0, 0}), [&](Built x, Built acc, unsigned) { return b.op(Op::Add, {acc, x});
//   }); std::optional<Program> program = b.finish("sum", "out", sum);
//
// A term may be used under more binders than it was built under. Where something is wrong, `report` is told, the result is
// nothing, and so is everything that is built from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "array/typing.h"

namespace vouch::array {

struct Typed {
  Exp exp;
  Type type;
  Binders depth;           // the binders it was built under; inputs do not count
  std::size_t height = 1;  // of the tree
};
using Built = std::optional<Typed>;

// What is wrong, and how to mend it.
using Report = std::function<void(std::string message, std::string hint)>;

class Builder {
 public:
  static constexpr std::size_t kMostHeight = 1000;

  Builder(std::vector<std::string> sizes, std::vector<SizeFact> facts, Report report);

  // Before any other term.
  Built input(const std::string& name, const Type& type);

  // Data and index variables are named by level: inputs come first, then what is bound, from outside in.
  unsigned next_level() const { return static_cast<unsigned>(inputs_.size() + variables_.size()); }
  Built variable(unsigned level) const;
  Index position(unsigned level) const;

  Built constant(const Type& type, const Const& value);
  Built number(const Const& value) { return constant(type_num(), value); }
  Built apply(Op op, const Built& argument);
  Built op(Op op, const std::vector<Built>& arguments);
  Built pair(const Built& first, const Built& second);
  Built through(const Layout& layout, const Built& argument);
  Built at(const Built& array, const Index& index) { return through(layout_at(index), array); }
  Built pad(const Size& lo, const Size& hi, const Const& value, const Built& array);
  Built choose(const Guard& guard, const Built& then, const Built& otherwise);
  // The same term, its type written otherwise.
  Built ascribe(const Built& term, const Type& type);
  // `body` is given the element and the level of the position.
  Built map(LoopKind loop, const Built& array, const std::function<Built(Built, unsigned)>& body);
  Built generate(LoopKind loop, const Size& n, const std::function<Built(unsigned)>& body);
  // `body` is given the element, the accumulator and the level of the position.
  static Built unrolled(Built reduction);
  Built reduce(Place place, const Built& array, const Built& start, const std::function<Built(Built, Built, unsigned)>& body);
  Built let(const Built& value, const std::function<Built(Built)>& body);
  Built mem(const Built& term);
  Built cat(const Built& first, const Built& second);

  std::optional<Program> finish(const std::string& name, const Parameter& output, const Built& term);

  const IndexContext& indices() const { return context_; }
  const std::vector<std::string>& sizes() const { return sizes_; }
  std::string text(const Type& type) const { return print_type(type, sizes_); }
  std::string text(const Size& size) const { return print_size(size, sizes_); }

 private:
  Binders depth() const;
  Exp lift(const Typed& term) const;
  Built make(const Exp& exp, const Type& type, std::initializer_list<const Typed*> parts);
  Built fail(std::string message, std::string hint = {});
  bool expect_array(const Built& array, std::string_view what);
  Built bind(const std::vector<Type>& data, const Size* bound, const std::function<Built()>& body);

  std::vector<std::string> sizes_;
  IndexContext context_;
  std::vector<Type> variables_;  // that are bound, from outside in
  std::vector<Parameter> inputs_;
  Report report_;
};

}  // namespace vouch::array
