// Contractions.
#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/broadcast.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// y[…, i, j] = sum(k) a[…, i, k] * b[…, k, j]; leading axes broadcast; a vector is a row (left) or a column (right)
// whose axis is dropped again.
void define_matmul(OpContext& c) {
  std::size_t rank_a = c.rank(0);
  std::size_t rank_b = c.rank(1);
  if (rank_a == 0 || rank_b == 0) {
    return c.fail("operands of MatMul need rank 1 or more");
  }
  const std::vector<Term>& a = c.extents(0);
  const std::vector<Term>& b = c.extents(1);
  Term inner = a.back();
  Term inner_b = rank_b == 1 ? b[0] : b[rank_b - 2];
  c.require(eq(inner, inner_b), "the last axis of a and the last but one of b have one size");
  std::vector<Term> batch_a(a.begin(), a.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(rank_a)));
  std::vector<Term> batch_b(b.begin(), b.end() - std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(rank_b)));
  std::vector<Term> batch = broadcast_extents(c, {batch_a, batch_b});
  std::vector<Term> extents = batch;
  if (rank_a > 1) {
    extents.push_back(a[rank_a - 2]);
  }
  if (rank_b > 1) {
    extents.push_back(b[rank_b - 1]);
  }
  c.result(c.dtype(0), extents, [&](const std::vector<Term>& i) {
    Term k = int_var("k");
    std::vector<Term> batch_index(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    std::vector<Term> index_a = broadcast_indices(batch_a, batch, batch_index);
    std::vector<Term> index_b = broadcast_indices(batch_b, batch, batch_index);
    if (rank_a > 1) {
      index_a.push_back(i[batch.size()]);
    }
    index_a.push_back(k);
    index_b.push_back(k);
    if (rank_b > 1) {
      index_b.push_back(i.back());
    }
    return reduce(Reduction::Sum, {{Symbol("k"), inner}}, bool_const(true),
                  c.read(0, std::move(index_a)) * c.read(1, std::move(index_b)));
  });
}

}  // namespace

std::vector<OpDef> product_ops() {
  return {
      {.name = "MatMul", .operands = {{"a"}, {"b"}}, .attributes = {}, .traits = {}, .define = define_matmul},
  };
}

}  // namespace vouch
