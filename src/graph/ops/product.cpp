// Contractions of matrices.
#include "graph/ops/broadcast.h"
#include "graph/ops/fused_activation.h"
#include "graph/ops/matrix_product.h"
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

}  // namespace

void result_matmul(OpContext& c, DType dtype, const MatrixProduct& product) {
  std::size_t rank_a = c.rank(0);
  std::size_t rank_b = c.rank(product.right);
  const Terms& a = c.extents(0);
  const Terms& b = c.extents(product.right);
  bool flip_a = product.flip_a && rank_a > 1;
  bool flip_b = product.flip_b && rank_b > 1;
  Term inner = flip_a ? a[rank_a - 2] : a.back();
  c.require(eq(inner, rank_b == 1 ? b[0] : b[rank_b - (flip_b ? 1 : 2)]),
            "the last axis of a and the last but one of b have one size");
  Terms batch_a = leading(a);
  Terms batch_b = leading(b);
  Terms batch = broadcast_extents(c, {batch_a, batch_b});
  Terms extents = batch;
  if (rank_a > 1) {
    extents.push_back(a[rank_a - (flip_a ? 1 : 2)]);
  }
  if (rank_b > 1) {
    extents.push_back(b[rank_b - (flip_b ? 2 : 1)]);
  }
  c.result(dtype, extents, [&](const Terms& i) {
    Terms at(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    BoundIndex bound = c.bound("k", inner);
    Term k = int_var(bound.name);
    Terms left = broadcast_indices(batch_a, batch, at);
    if (rank_a > 1) {
      left.push_back(i[batch.size()]);
    }
    left.push_back(k);
    Terms right = broadcast_indices(batch_b, batch, at);
    right.push_back(k);
    if (rank_b > 1) {
      right.push_back(i.back());
    }
    if (flip_a) {
      std::swap(left[rank_a - 1], left[rank_a - 2]);
    }
    if (flip_b) {
      std::swap(right[rank_b - 1], right[rank_b - 2]);
    }
    Term term = product.term ? product.term(c.read(0, left), left, c.read(product.right, right), right)
                             : c.read(0, left) * c.read(product.right, right);
    Term sum = reduce(Reduction::Sum, {bound}, bool_const(true), term);
    return product.finish ? product.finish(sum, i) : sum;
  });
}

namespace {

bool require_matrices(OpContext& c) { return require_rank_at_least(c, 0, 1) && require_rank_at_least(c, 1, 1); }

void define_matmul(OpContext& c) {
  if (require_matrices(c) && require_same_dtype(c, 0, 1) && require_numeric(c, 0)) {
    result_matmul(c, c.dtype(0), {});
  }
}

Term scaled(Term factor, Term x) { return is_real(factor, 1) ? x : factor * x; }

// y = alpha * A B, either flipped; leading axes are not exchanged with the matrix's.
void define_fused_matmul(OpContext& c) {
  if (!require_matrices(c) || !require_same_dtype(c, 0, 1) || !require_float(c, 0)) {
    return;
  }
  if (c.attr_int_value("transBatchA") != 0 || c.attr_int_value("transBatchB") != 0) {
    return c.fail_undecided("transBatchA and transBatchB must be 0");
  }
  Term alpha = c.attr_float("alpha");
  result_matmul(c, c.dtype(0),
                {.flip_a = c.attr_int_value("transA") != 0,
                 .flip_b = c.attr_int_value("transB") != 0,
                 .finish = [&](Term sum, const Terms&) { return scaled(alpha, sum); }});
}

// Zero points: one number, one for each row of a, one for each column of b.
void define_matmul_integer(OpContext& c) {
  auto is_byte = [&](std::size_t operand) { return c.dtype(operand) == DType::Int8 || c.dtype(operand) == DType::UInt8; };
  if (!require_matrices(c) || !is_byte(0) || !is_byte(1)) {
    return c.failed() ? void() : c.fail("a and b must be of int8 or uint8");
  }
  auto count_of = [&c](std::size_t side) {
    std::size_t rank = c.rank(side);
    return rank == 1 ? Term(1) : c.extents(side)[side == 0 ? rank - 2 : rank - 1];
  };
  for (std::size_t side : {0, 1}) {
    std::size_t zero = side + 2;
    if (c.has(zero) && (!require_same_dtype(c, side, zero) || c.rank(zero) > 1)) {
      return c.failed() ? void() : c.fail("a zero point must be a scalar or a vector");
    }
    if (c.has(zero) && c.rank(zero) == 1) {
      require_one_or_each(c, zero, count_of(side), "there is one zero point, or one for each row of a and column of b");
    }
  }
  auto zero_point = [&](std::size_t side, const Terms& at) {
    std::size_t zero = side + 2;
    if (!c.has(zero)) {
      return real(0);
    }
    bool one = c.rank(zero) == 0 || at.size() < 2;
    return one ? read_scalar(c, zero) : read_one_or_each(c, zero, count_of(side), side == 0 ? at[at.size() - 2] : at.back());
  };
  result_matmul(c, DType::Int32, {.term = [&](Term a, const Terms& at_a, Term b, const Terms& at_b) {
                  return (a - zero_point(0, at_a)) * (b - zero_point(1, at_b));
                }});
}

// y = alpha * A' B' + beta * C, C broadcast to the result: the result, or a local of this name that is stored before more is
// done with it. Gives its extents.
Terms result_gemm(OpContext& c, std::string_view local = {}) {
  bool flip_a = c.attr_int_value("transA") != 0;
  bool flip_b = c.attr_int_value("transB") != 0;
  if (c.failed() || !require_rank(c, 0, 2) || !require_rank(c, 1, 2) || !require_same_dtype(c, 0, 1) || !require_numeric(c, 0)) {
    return {};
  }
  Term inner = c.extent(0, flip_a ? 0 : 1);
  c.require(eq(inner, c.extent(1, flip_b ? 1 : 0)), "the inner sizes of A and B must be equal");
  Terms extents{c.extent(0, flip_a ? 1 : 0), c.extent(1, flip_b ? 0 : 1)};
  if (c.has(2)) {
    require_same_dtype(c, 0, 2);
    require_broadcasts_to(c, 2, extents);
  }
  auto sum_at = [&](const Terms& i) {
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
  };
  if (local.empty()) {
    c.result(c.dtype(0), extents, sum_at);
  } else {
    c.local(local, c.dtype(0), extents, sum_at);
  }
  return extents;
}

void define_gemm(OpContext& c) { result_gemm(c); }

void define_fused_gemm(OpContext& c) {
  Terms parameters;
  for (std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (c.has_attr(name)) {
      parameters.push_back(c.attr_float(name));
    }
  }
  std::string activation = c.has_attr("activation") ? c.attr_string("activation") : std::string();
  if (!fused_activation(c, activation, parameters, real(0))) {
    return;
  }
  Terms extents = result_gemm(c, "product");
  c.result(c.dtype(0), extents,
           [&](const Terms& i) { return *fused_activation(c, activation, parameters, c.read_local("product", i)); });
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
      {.name = "FusedMatMul",
       .operands = {{"a"}, {"b"}},
       .attributes = {factor("alpha"), flag("transA"), flag("transB"), flag("transBatchA"), flag("transBatchB")},
       .define = define_fused_matmul},
      {.name = "FusedGemm",
       .operands = {{"a"}, {"b"}, {"c", OperandKind::Optional}},
       .attributes = {{.name = "activation", .type = AttrType::String, .otherwise = Absent{}},
                      {.name = "activation_alpha", .type = AttrType::Float, .otherwise = Absent{}},
                      {.name = "activation_beta", .type = AttrType::Float, .otherwise = Absent{}},
                      factor("alpha"),
                      factor("beta"),
                      flag("transA"),
                      flag("transB")},
       .define = define_fused_gemm},
      {.name = "MatMulInteger",
       .operands = {{"a"}, {"b"}, {"a_zero", OperandKind::Optional}, {"b_zero", OperandKind::Optional}},
       .define = define_matmul_integer},
      {.name = "dense", .operands = {{"x"}, {"w"}}, .define = define_dense},
      {.name = "bias_add",
       .operands = {{"x"}, {"b"}},
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis}},
       .define = define_bias_add},
  };
}

}  // namespace vouch
