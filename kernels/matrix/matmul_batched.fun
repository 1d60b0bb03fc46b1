# A product of matrices for each of b pairs, all rows of a pair in turn, pairs in parallel.
kernel matmul_batched(sizes b, m, n, p; xs: num[b, m, n], ys: num[b, n, p]) -> zs: num[b, m, p] =
  map par xy in zip(xs, ys) {
    map row in xy.fst {
      map column in xy.snd.transpose {
        reduce q in zip(row, column) with sum = 0 { sum + q.fst * q.snd }
      }
    }
  }
