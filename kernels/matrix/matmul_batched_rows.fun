# A product of matrices for each of b pairs, rows accumulated in the output, in vector lanes.
kernel matmul_batched_rows(sizes b, m, n, p; xs: num[b, m, n], ys: num[b, n, p]) -> zs: num[b, m, p] =
  map par xy in zip(xs, ys) {
    map row in xy.fst {
      reduce into xb in zip(row, xy.snd) with sum = fill(num[p], 0) {
        map vec sb in zip(sum, xb.snd) { sb.fst + xb.fst * sb.snd }
      }
    }
  }
