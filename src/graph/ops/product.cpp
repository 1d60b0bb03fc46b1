// Contractions of matrices.
#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// sum(k < inner) a[…] * b[…], where `a` and `b` place the index k.
template <class A, class B>
Term contraction(const OpContext& c, Term inner, A a, B b) {
  BoundIndex bound = c.bound("k", inner);
  Term k = int_var(bound.name);
  return reduce(Reduction::Sum, {bound}, bool_const(true), c.read(0, a(k)) * c.read(1, b(k)));
}

Terms leading(const Terms& list) {
  return {list.begin(), list.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(list.size()))};
}

// y[…, i, j] = sum(k) a[…, i, k] * b[…, k, j]; leading axes broadcast; a vector is a row (left) or a column (right)
// whose axis is dropped again.
void define_matmul(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_rank_at_least(c, 1, 1) || !require_same_dtype(c, 0, 1) ||
      !require_numeric(c, 0)) {
    return;
  }
  std::size_t rank_a = c.rank(0);
  std::size_t rank_b = c.rank(1);
  const Terms& a = c.extents(0);
  const Terms& b = c.extents(1);
  c.require(eq(a.back(), rank_b == 1 ? b[0] : b[rank_b - 2]), "the last axis of a and the last but one of b have one size");
  Terms batch_a = leading(a);
  Terms batch_b = leading(b);
  Terms batch = broadcast_extents(c, {batch_a, batch_b});
  Terms extents = batch;
  if (rank_a > 1) {
    extents.push_back(a[rank_a - 2]);
  }
  if (rank_b > 1) {
    extents.push_back(b[rank_b - 1]);
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    auto left = [&](Term k) {
      Terms index = broadcast_indices(batch_a, batch, at);
      if (rank_a > 1) {
        index.push_back(i[batch.size()]);
      }
      index.push_back(k);
      return index;
    };
    auto right = [&](Term k) {
      Terms index = broadcast_indices(batch_b, batch, at);
      index.push_back(k);
      if (rank_b > 1) {
        index.push_back(i.back());
      }
      return index;
    };
    return contraction(c, a.back(), left, right);
  });
}

Term scaled(Term factor, Term x) { return is_real(factor, 1) ? x : factor * x; }

// y = alpha * A' B' + beta * C, C broadcast to the result.
void define_gemm(OpContext& c) {
  bool flip_a = c.attr_int_value("transA") != 0;
  bool flip_b = c.attr_int_value("transB") != 0;
  if (c.failed() || !require_rank(c, 0, 2) || !require_rank(c, 1, 2) || !require_same_dtype(c, 0, 1) || !require_numeric(c, 0)) {
    return;
  }
  Term inner = c.extent(0, flip_a ? 0 : 1);
  c.require(eq(inner, c.extent(1, flip_b ? 1 : 0)), "the inner sizes of A and B must be equal");
  Terms extents{c.extent(0, flip_a ? 1 : 0), c.extent(1, flip_b ? 0 : 1)};
  if (c.has(2)) {
    require_same_dtype(c, 0, 2);
    require_broadcasts_to(c, 2, extents);
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Term product = contraction(
        c, inner,
        [&](Term k) {
          return flip_a ? Terms{k, i[0]} : Terms{i[0], k};
        },
        [&](Term k) {
          return flip_b ? Terms{i[1], k} : Terms{k, i[1]};
        });
    product = scaled(c.attr_float("alpha"), product);
    return c.has(2) ? product + scaled(c.attr_float("beta"), read_broadcast(c, 2, extents, i)) : product;
  });
}

// y[…, n] = sum(k) x[…, k] * w[n, k]
void define_dense(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_rank(c, 1, 2) || !require_same_dtype(c, 0, 1)) {
    return;
  }
  Term inner = c.extents(0).back();
  c.require(eq(inner, c.extent(1, 1)), "the last axis of x and the last of w have one size");
  Terms extents = c.extents(0);
  extents.back() = c.extent(1, 0);
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    auto left = [&](Term k) {
      Terms index = i;
      index.back() = k;
      return index;
    };
    return contraction(c, inner, left, [&](Term k) { return Terms{i.back(), k}; });
  });
}

void define_bias_add(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_rank(c, 1, 1) || !require_same_dtype(c, 0, 1)) {
    return;
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  c.require(eq(c.extent(0, axis), c.extent(1, 0)), "the bias has one element for each position of the axis");
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return c.read(0, i) + c.read(1, {i[axis]}); });
}

}  // namespace

std::vector<OpDef> product_ops() {
  auto flag = [](std::string_view name) { return AttrDef{.name = name, .otherwise = 0, .domain = AttrDomain::Flag}; };
  auto factor = [](std::string_view name) { return AttrDef{.name = name, .type = AttrType::Float, .otherwise = 1.0}; };
  return {
      {.name = "MatMul", .operands = {{"a"}, {"b"}}, .define = define_matmul},
      {.name = "Gemm",
       .operands = {{"a"}, {"b"}, {"c", OperandKind::Optional}},
       .attributes = {factor("alpha"), factor("beta"), flag("transA"), flag("transB")},
       .define = define_gemm},
      {.name = "dense", .operands = {{"x"}, {"w"}}, .define = define_dense},
      {.name = "bias_add",
       .operands = {{"x"}, {"b"}},
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis}},
       .define = define_bias_add},
  };
}

}  // namespace vouch
