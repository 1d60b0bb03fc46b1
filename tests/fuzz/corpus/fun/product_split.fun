# Inner product (product_split): parts of m elements in parallel, then the sum of their products.
kernel product_split(sizes m, parts; xs: num[m * parts], ys: num[m * parts]) -> out: num =
  reduce s in
    map par part in zip(xs, ys).split(m, parts) {
      reduce xy in part with sum = 0 { xy.fst * xy.snd + sum }
    }
  with total = 0 { s + total }
