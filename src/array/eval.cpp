#include "array/eval.h"

#include <algorithm>

#include "array/arithmetic.h"
#include "array/constant.h"
#include "array/index_eval.h"
#include "support/fault.h"

namespace vouch::array {
namespace {

// A type with its sizes evaluated.
struct ShapeNode {
  TypeKind kind = TypeKind::Num;
  std::size_t length = 0;  // Array
  std::vector<Ref<ShapeNode>> parts;
  std::size_t cells = 1;
};
using Shape = Ref<ShapeNode>;

Shape array_of(std::size_t length, const Shape& element) {
  return Shape({TypeKind::Array, length, {element}, length * element->cells});
}
Shape pair_of(const Shape& a, const Shape& b) { return Shape({TypeKind::Pair, 0, {a, b}, a->cells + b->cells}); }

struct Value {
  Shape shape;
  Cells cells;
};

Value element_of(const Value& array, std::size_t i) {
  const Shape& shape = array.shape->parts[0];
  ensure(i < array.shape->length, "an element that is read is within its array");
  auto begin = array.cells.begin() + static_cast<std::ptrdiff_t>(i * shape->cells);
  return {shape, Cells(begin, begin + static_cast<std::ptrdiff_t>(shape->cells))};
}

// An array of `length` elements of the shape `element`.
template <class ElementAt>
Value array_from(std::size_t length, const Shape& element, ElementAt element_at) {
  Value result{array_of(length, element), {}};
  for (std::size_t i = 0; i < length; ++i) {
    Value next = element_at(i);
    result.cells.insert(result.cells.end(), next.cells.begin(), next.cells.end());
  }
  return result;
}

Value half_of(const Value& pair, std::size_t which) {
  std::size_t first = pair.shape->parts[0]->cells;
  auto middle = pair.cells.begin() + static_cast<std::ptrdiff_t>(first);
  return which == 0 ? Value{pair.shape->parts[0], Cells(pair.cells.begin(), middle)}
                    : Value{pair.shape->parts[1], Cells(middle, pair.cells.end())};
}

Value pair_from(const Value& a, const Value& b) {
  Value result{pair_of(a.shape, b.shape), a.cells};
  result.cells.insert(result.cells.end(), b.cells.begin(), b.cells.end());
  return result;
}

class Evaluation {
 public:
  explicit Evaluation(const std::vector<Integer>& sizes) : sizes_(sizes) {}

  std::size_t size(const Size& s) const { return size_value(s, sizes_).convert_to<std::size_t>(); }

  Shape shape(const Type& type) const {
    switch (type->kind) {
      case TypeKind::Num: return Shape(ShapeNode{});
      case TypeKind::Array: return array_of(size(type->size), shape(type->parts[0]));
      case TypeKind::Pair: return pair_of(shape(type->parts[0]), shape(type->parts[1]));
    }
    fault("no such type");
  }

  void push(Value value) { variables_.push_back(std::move(value)); }

  Value eval(const Exp& e) {
    switch (e->kind) {
      case ExpKind::Var: return variables_.at(variables_.size() - 1 - e->var);
      case ExpKind::Const: return constant(e->constant, shape(e->types[0]));
      case ExpKind::Op: return {Shape(ShapeNode{}), {apply_op(e->op, eval(e->args[0]).cells)}};
      case ExpKind::Pair: return pair_from(eval(e->args[0]), eval(e->args[1]));
      case ExpKind::Lay: return through(e->layout, eval(e->args[0]));
      case ExpKind::Pad: return padded(e);
      case ExpKind::If: return eval(e->args[holds(e->guard) ? 0 : 1]);
      case ExpKind::Map: return map(e);
      case ExpKind::Reduce: return reduce(e);
      case ExpKind::Let: {
        push(eval(e->args[0]));
        Value result = eval(e->args[1]);
        variables_.pop_back();
        return result;
      }
      case ExpKind::Mem: return eval(e->args[0]);
      case ExpKind::Cat: {
        Value a = eval(e->args[0]);
        Value b = eval(e->args[1]);
        a.cells.insert(a.cells.end(), b.cells.begin(), b.cells.end());
        return {array_of(a.shape->length + b.shape->length, a.shape->parts[0]), std::move(a.cells)};
      }
    }
    fault("no such term");
  }

 private:
  static Value constant(const Const& c, const Shape& shape) {
    Value out{shape, Cells(shape->cells, float_of(c))};
    if (c.ordinal && shape->kind == TypeKind::Array) {
      for (std::size_t i = 0; i < out.cells.size(); ++i) {
        out.cells[i] = static_cast<float>(i / shape->parts[0]->cells);
      }
    }
    return out;
  }

  // Well-typed terms divide by no zero.
  Integer index(const Index& i) const {
    std::optional<Integer> value = index_value(i, values_);
    ensure(value.has_value(), "index terms are defined");
    return *value;
  }

  bool holds(const Guard& guard) const {
    std::optional<bool> value = guard_value(guard, values_);
    ensure(value.has_value(), "index terms of conditions are defined");
    return *value;
  }

  Value padded(const Exp& e) {
    Value array = eval(e->args[0]);
    const Shape& element = array.shape->parts[0];
    std::size_t low = size(e->sizes[0]);
    std::size_t n = array.shape->length;
    return array_from(low + n + size(e->sizes[2]), element, [&](std::size_t i) {
      return i < low || i >= low + n ? constant(e->constant, element) : element_of(array, i - low);
    });
  }

  Value map(const Exp& e) {
    Value array = eval(e->args[1]);
    return array_from(array.shape->length, shape(e->types[1]), [&](std::size_t i) {
      positions_.emplace_back(i);
      push(element_of(array, i));
      Value result = eval(e->args[0]);
      variables_.pop_back();
      positions_.pop_back();
      return result;
    });
  }

  Value reduce(const Exp& e) {
    Value accumulator = eval(e->args[1]);
    Value array = eval(e->args[2]);
    for (std::size_t i = 0; i < array.shape->length; ++i) {
      positions_.emplace_back(i);
      push(std::move(accumulator));
      push(element_of(array, i));
      accumulator = eval(e->args[0]);
      variables_.resize(variables_.size() - 2);
      positions_.pop_back();
    }
    return accumulator;
  }

  Value split(const Value& x, std::size_t n, std::size_t m) const {
    return {array_of(m, array_of(n, x.shape->parts[0])), x.cells};
  }

  Value transposed(const Value& x) const {
    const Shape& row = x.shape->parts[0];
    return array_from(row->length, array_of(x.shape->length, row->parts[0]), [&](std::size_t j) {
      return array_from(x.shape->length, row->parts[0], [&](std::size_t i) { return element_of(element_of(x, i), j); });
    });
  }

  Value zipped(const Value& x) const {
    Value a = half_of(x, 0);
    Value b = half_of(x, 1);
    return array_from(a.shape->length, pair_of(a.shape->parts[0], b.shape->parts[0]),
                      [&](std::size_t i) { return pair_from(element_of(a, i), element_of(b, i)); });
  }

  Value unzipped(const Value& x) const {
    auto halves = [&](std::size_t which) {
      return array_from(x.shape->length, x.shape->parts[0]->parts[which],
                        [&](std::size_t i) { return half_of(element_of(x, i), which); });
    };
    return pair_from(halves(0), halves(1));
  }

  Value slide(const Layout& of, const Value& x) const {
    std::size_t stride = size(of->sizes[2]);
    std::size_t dilation = size(of->sizes[3]);
    const Shape& element = x.shape->parts[0];
    return array_from(size(of->sizes[0]), array_of(size(of->sizes[1]), element), [&](std::size_t i) {
      return array_from(size(of->sizes[1]), element, [&](std::size_t j) { return element_of(x, i * stride + j * dilation); });
    });
  }

  // The shape that a layout gives, for arrays without elements to look at.
  Value each(const Layout& of, const Value& x) const {
    Value sample{x.shape->parts[0], Cells(x.shape->parts[0]->cells, 0.0F)};
    Shape element = x.shape->length == 0 ? through(of->inner, sample).shape : through(of->inner, element_of(x, 0)).shape;
    return array_from(x.shape->length, element, [&](std::size_t i) { return through(of->inner, element_of(x, i)); });
  }

  Value through(const Layout& of, const Value& x) const {
    switch (of->kind) {
      case LayoutKind::Fst: return half_of(x, 0);
      case LayoutKind::Snd: return half_of(x, 1);
      case LayoutKind::At: return element_of(x, index(of->index).convert_to<std::size_t>());
      case LayoutKind::Zip: return zipped(x);
      case LayoutKind::Unzip: return unzipped(x);
      case LayoutKind::Split: return split(x, size(of->sizes[0]), size(of->sizes[1]));
      case LayoutKind::Join: return {array_of(size(of->sizes[0]) * size(of->sizes[1]), x.shape->parts[0]->parts[0]), x.cells};
      case LayoutKind::Trans: return transposed(x);
      case LayoutKind::Rev:
        return array_from(x.shape->length, x.shape->parts[0],
                          [&](std::size_t i) { return element_of(x, x.shape->length - 1 - i); });
      case LayoutKind::Slide: return slide(of, x);
      case LayoutKind::Slice:
        return array_from(size(of->sizes[1]), x.shape->parts[0],
                          [&](std::size_t i) { return element_of(x, size(of->sizes[0]) + i); });
      case LayoutKind::Repeat: return array_from(size(of->sizes[0]), x.shape, [&](std::size_t) { return x; });
      case LayoutKind::Each: return each(of, x);
    }
    fault("no such layout");
  }

  const std::vector<Integer>& sizes_;
  std::vector<Value> variables_;    // innermost last
  std::vector<Integer> positions_;  // likewise
  const IndexValues values_{sizes_, [this](unsigned i) { return positions_.at(positions_.size() - 1 - i); }};
};

}  // namespace

std::size_t cell_count(const Type& type, const std::vector<Integer>& sizes) { return Evaluation(sizes).shape(type)->cells; }

Cells evaluate(const Program& program, const std::vector<Integer>& sizes, const std::vector<Cells>& inputs) {
  Evaluation evaluation(sizes);
  for (std::size_t i = inputs.size(); i-- > 0;) {  // input 0 is variable 0
    Shape shape = evaluation.shape(program.inputs[i].type);
    ensure(inputs[i].size() == shape->cells, "an input has as many cells as its type");
    evaluation.push({shape, inputs[i]});
  }
  return evaluation.eval(program.term).cells;
}

}  // namespace vouch::array
