# Inner product (product): products in parallel into a temporary, then their sum.
kernel product(sizes n; xs: num[n], ys: num[n]) -> out: num =
  reduce p in map par xy in zip(xs, ys) { xy.fst * xy.snd } with sum = 0 { sum + p }
