# Matrix product, each row accumulated in the output by multiples of rows: the inner loop has stride one.
kernel matmul_rows(sizes m, n, p; a: num[m, n], b: num[n, p]) -> c: num[m, p] =
  map par row in a {
    reduce into xb in zip(row, b) with sum = fill(num[p], 0) {
      map vec sb in zip(sum, xb.snd) { fma(xb.fst, sb.snd, sb.fst) }
    }
  }
