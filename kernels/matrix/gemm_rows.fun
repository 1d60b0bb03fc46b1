# alpha * A * B + beta * C, multiples of rows of B added up in a row of sums, in vector lanes.
kernel gemm_rows(sizes m, n, p; alpha: num, beta: num, a: num[m, n], b: num[n, p], c: num[m, p]) -> d: num[m, p] =
  map par rows in zip(a, c) {
    let sums = mem(reduce xb in zip(rows.fst, b) with sum = fill(num[p], 0) {
      map vec sb in zip(sum, xb.snd) { sb.fst + xb.fst * sb.snd }
    }) in
    map vec sc in zip(sums, rows.snd) { alpha * sc.fst + beta * sc.snd }
  }
