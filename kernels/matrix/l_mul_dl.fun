# Vector times matrix (l_mul_dl).
kernel l_mul_dl(sizes m, n; x: num[m], a: num[m, n]) -> y: num[n] =
  map par column in a.transpose {
    reduce p in zip(x, column) with sum = 0 { sum + p.fst * p.snd }
  }
