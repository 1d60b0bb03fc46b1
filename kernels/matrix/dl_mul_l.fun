# Matrix times vector (dl_mul_l), rows in parallel.
kernel dl_mul_l(sizes m, n; a: num[m, n], x: num[n]) -> y: num[m] =
  map par row in a {
    reduce p in zip(row, x) with sum = 0 { sum + p.fst * p.snd }
  }
