# alpha * A * B + beta * C.
kernel gemm(sizes m, n, p; alpha: num, beta: num, a: num[m, n], b: num[n, p], c: num[m, p]) -> d: num[m, p] =
  map par rows in zip(a, c) {
    map column in zip(b.transpose, rows.snd) {
      alpha * (reduce q in zip(rows.fst, column.fst) with sum = 0 { sum + q.fst * q.snd }) + beta * column.snd
    }
  }
