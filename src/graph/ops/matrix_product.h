// Products of matrices, for operators that do more with their elements or sums.
#pragma once

#include <functional>

#include "graph/ops/operands.h"

namespace vouch {

// What a product of matrices is made of: each term of its sum, from the elements of both (their places given), and what is done
// with the sum.
struct MatrixProduct {
  bool flip_a = false;
  bool flip_b = false;
  std::function<Term(Term a, const Terms& at_a, Term b, const Terms& at_b)> term = {};
  std::function<Term(Term sum, const Terms& at)> finish = {};
  std::size_t right = 1;  // the operand that is B
};

// The result y[…, i, j] = sum(k) a[…, i, k] * b[…, k, j] of operand 0 and the right one; leading axes broadcast; a vector is a
// row (left) or a column (right) whose axis is dropped again. A flipped matrix has its last two axes exchanged.
void result_matmul(OpContext& c, DType dtype, const MatrixProduct& product);

}  // namespace vouch
