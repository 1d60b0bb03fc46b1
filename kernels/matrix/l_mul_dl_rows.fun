# Vector times matrix: multiples of the rows are added up in the output, in vector lanes.
kernel l_mul_dl_rows(sizes m, n; x: num[m], a: num[m, n]) -> y: num[n] =
  reduce into xa in zip(x, a) with sum = fill(num[n], 0) {
    map vec p in zip(sum, xa.snd) { p.fst + xa.fst * p.snd }
  }
