# Inner product in 16 running sums, one for each vector lane, which are added last.
kernel dot_lanes(sizes m; xs: num[16 * m], ys: num[16 * m]) -> out: num =
  let sums = mem(reduce xy in zip(xs, ys).split(16, m) with lanes = fill(num[16], 0) {
    map vec p in zip(lanes, xy) { fma(p.snd.fst, p.snd.snd, p.fst) }
  }) in
  reduce s in sums with sum = 0 { sum + s }
