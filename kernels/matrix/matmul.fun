# Matrix product (dl_mul_dl), rows in parallel.
kernel matmul(sizes m, n, p; a: num[m, n], b: num[n, p]) -> c: num[m, p] =
  map par row in a {
    map column in b.transpose {
      reduce q in zip(row, column) with sum = 0 { sum + q.fst * q.snd }
    }
  }
