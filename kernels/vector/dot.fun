# Inner product in one loop, without a temporary array.
kernel dot(sizes n; xs: num[n], ys: num[n]) -> out: num =
  reduce xy in zip(xs, ys) with sum = 0 { sum + xy.fst * xy.snd }
