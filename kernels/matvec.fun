# Matrix times vector, rows in parallel.
kernel matvec(sizes m, n; a: num[m, n], x: num[n]) -> y: num[m] =
  map par row in a {
    reduce p in zip(row, x) with sum = 0 { sum + p.fst * p.snd }
  }
