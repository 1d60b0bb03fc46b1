// Two (or several) operands, broadcast, element by element.
#include <fmt/format.h>

#include "graph/ops/broadcast.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

using Combine = Term (*)(Term a, Term b);

void require_same_dtype(OpContext& c) {
  if (c.dtype(0) != c.dtype(1)) {
    c.fail(fmt::format("operands have element types {} and {}", dtype_name(c.dtype(0)), dtype_name(c.dtype(1))));
  }
}

// z[i] = combine(x[i], y[i]), broadcast, both of one element type.
template <Combine combine>
void define_binary(OpContext& c) {
  require_same_dtype(c);
  std::vector<Term> extents = broadcast_extents(c, {c.extents(0), c.extents(1)});
  c.result(c.dtype(0), extents, [&](const std::vector<Term>& i) {
    return combine(read_broadcast(c, 0, extents, i), read_broadcast(c, 1, extents, i));
  });
}

Term add(Term a, Term b) { return a + b; }
Term subtract(Term a, Term b) { return a - b; }
Term multiply(Term a, Term b) { return a * b; }

// Integers divide towards zero, as C++ and ONNX do.
void define_div(OpContext& c) {
  require_same_dtype(c);
  bool whole = !is_float(c.dtype(0));
  std::vector<Term> extents = broadcast_extents(c, {c.extents(0), c.extents(1)});
  c.result(c.dtype(0), extents, [&](const std::vector<Term>& i) {
    Term a = read_broadcast(c, 0, extents, i);
    Term b = read_broadcast(c, 1, extents, i);
    return whole ? call(Fn::TruncDiv, {a, b}) : a / b;
  });
}

OpDef binary(std::string_view name, void (*define)(OpContext&), bool commutative) {
  return {.name = name,
          .operands = {{"a"}, {"b"}},
          .attributes = {},
          .traits = {.commutative = commutative, .elementwise = true},
          .define = define};
}

}  // namespace

std::vector<OpDef> arithmetic_ops() {
  return {
      binary("Add", define_binary<add>, true),
      binary("Sub", define_binary<subtract>, false),
      binary("Mul", define_binary<multiply>, true),
      binary("Div", define_div, false),
  };
}

}  // namespace vouch
